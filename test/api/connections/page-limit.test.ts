/** Pages that take several queries count towards the limit of pages of their address. */
import { setImmediate as nextTick } from 'node:timers/promises'
import t from '../../tap.ts'
import { until } from '../../until.ts'
import { day, dayFile, openService } from '../service.ts'

const pages = [
  ['station/GRAZ/', 200],
  ['station/NONE/', 404],
  ['rinex-file/1/', 200],
  ['status/', 200],
] as const

for (const [path, status] of pages)
  t.test(`only eight pages of ${path} are made at a time`, async (t) => {
    let started = 0
    let release = (): void => undefined
    const released = new Promise<void>((resolve) => (release = resolve))
    const hold = async (): Promise<void> => {
      started++
      await released
    }
    const service = await openService(t, {
      reader: (reader) => ({
        station: (code) => hold().then(() => reader.station(code)),
        record: (query) => hold().then(() => reader.record(query)),
        summary: () => hold().then(() => reader.summary()),
      }),
    })
    await service.addNames(day, [dayFile])
    const request = { url: `/rinex/api/${path}`, headers: { accept: 'text/html' } }
    const answers = Array.from({ length: 12 }, async () => service.app.inject(request))
    await until('eight have started', () => started >= 8)
    for (let tick = 0; tick < 100; tick++) await nextTick()
    t.equal(started, 8)
    release()
    for (const { statusCode } of await Promise.all(answers)) t.equal(statusCode, status)
  })

const shared = ['series/', 'missing/', 'alerts/', 'network/', 'report/', 'station/?state=late']

for (const path of shared)
  t.test(`pages of ${path} that waited for the same states are made in turns`, async (t) => {
    let release = (): void => undefined
    const released = new Promise<void>((resolve) => (release = resolve))
    const service = await openService(t, {
      reader: (reader) => ({
        deliveries: (query, asker) => released.then(() => reader.deliveries(query, asker)),
      }),
    })
    let made = 0
    let most = 0
    service.app.addHook('onSend', (_request, _reply, _payload, done) => {
      most = Math.max(most, ++made)
      done()
    })
    await service.addNames(day, [dayFile])
    const request = { url: `/rinex/api/${path}`, headers: { accept: 'text/html' } }
    const answers = Promise.all(Array.from({ length: 8 }, async () => service.app.inject(request)))
    let isRunning = true
    const countTick = (): void => {
      made = 0
      if (isRunning) setImmediate(countTick)
    }
    countTick()
    release()
    for (const { statusCode } of await answers) t.equal(statusCode, 200)
    isRunning = false
    t.equal(most, 1, 'one page in each tick of the event loop')
  })
