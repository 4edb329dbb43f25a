/** Small files from memory: never a version that was replaced, whatever happens to the file. */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import type { Test } from 'tap'
import { openHotFiles } from '../../src/api/hot-files.ts'
import type { Observation } from '../../src/api/observation.ts'
import { change } from '../catalogue/change.ts'
import { fc } from '../random.ts'
import { openPress } from '../../src/api/press/press.ts'
import { answerAgain } from '../../src/api/ready-answers.ts'
import { pieceBytes } from '../../src/api/pieces.ts'
import { day, dayFile, hour, hourFile, openService, shortFile } from './service.ts'

/** When the files were written, as answers tell it. */
const date = 'Thu, 01 Jan 2026 00:00:00 GMT'

/** A server that sends what is hot from memory, and says `cold` of everything else. */
async function openDoor(t: Test, { mostBytes = 1_000_000 } = {}) {
  const service = await openService(t)
  const { archive, reader, writer } = service
  const observed: Observation[] = []
  // As far as the files are concerned, everything happened long ago.
  let aheadMs = 60_000
  const nowMs = () => Date.now() + aheadMs
  const hot = openHotFiles({ reader, press: openPress(), archive, mostBytes, nowMs })
  const again = answerAgain([hot], (observation) => observed.push(observation))
  let wanted: ((request: IncomingMessage) => Promise<void>) | undefined
  const server = createServer((request, response) => {
    void (async () => {
      await wanted?.(request)
      again(request, response, () => response.end('cold'))
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const url = (name: string) => `/rinex/data/${day}/${name}`
  const { port } = server.address() as AddressInfo
  const ask = async (target: string, headers: OutgoingHttpHeaders = {}, method = 'GET') => {
    const init = { method, headers: { connection: 'close', ...headers } as Record<string, string> }
    const answer = await fetch(`http://127.0.0.1:${port}${target}`, init)
    return { headers: answer.headers, text: await answer.text() }
  }
  /** Keeps a file, or its headers alone, as the second request for it finds it now, if it is wanted. */
  const heat = async (
    name: string,
    target = url(name),
    headers: OutgoingHttpHeaders = {},
    isWhole = true,
  ) => {
    const record = await reader.file(day, name)
    if (record === undefined) return
    const stats = statSync(join(archive, day, name))
    const body = readFileSync(join(archive, day, name))
    wanted = async (request) => {
      wanted = undefined
      const kept = { etag: '"1"', 'last-modified': date, 'content-length': String(body.length) }
      const answer = { request, route: '/data/*', headers: kept }
      for (const isSecond of [false, true])
        if (!isWhole) hot.keep(answer, { record, stats, body: undefined })
        else if (hot.wants(request, { record, stats }) && isSecond)
          hot.keep(answer, { record, stats, body })
    }
    await ask(target, headers)
    wanted = undefined
  }
  return {
    service,
    writer,
    observed,
    url,
    ask,
    heat,
    fileOf: (name: string) => join(archive, day, name),
    letPass: (ms: number) => (aheadMs += ms),
    /** Whether a request for a file would have it kept. */
    wants: async (name: string, directory = day) => {
      const record = await reader.file(directory, name)
      const request = { url: `/rinex/data/${directory}/${name}`, method: 'GET', headers: {} }
      if (record === undefined) throw new Error(`${name} is not catalogued`)
      return hot.wants(request, { record, stats: statSync(join(archive, directory, name)) })
    },
  }
}

t.test('a file that was sent is sent from memory, with the headers that it had', async (t) => {
  const { service, observed, url, ask, heat } = await openDoor(t)
  await service.add(`${day}/${dayFile}`, 'content')
  t.equal((await ask(url(dayFile))).text, 'cold')
  await heat(dayFile)
  observed.length = 0
  const { headers, text } = await ask(url(dayFile))
  t.equal(text, 'content')
  t.equal(headers.get('etag'), '"1"')
  t.match(headers.get('x-request-id'), /^[0-9a-f-]{36}$/)
  t.match(observed, [{ method: 'GET', target: url(dayFile), route: '/data/*', status: 200 }])
  const asked = { range: 'bytes=0-1', 'if-modified-since': 'x', 'if-match': '*' }
  for (const [name, value] of Object.entries(asked))
    t.equal((await ask(url(dayFile), { [name]: value })).text, 'cold', `not with ${name}`)
  const head = await ask(url(dayFile), {}, 'HEAD')
  t.equal(head.headers.get('etag'), '"1"')
  t.equal(head.headers.get('content-length'), '7')
  t.equal(head.text, '')
  t.equal((await ask(`${url(dayFile)}?x`)).text, 'cold', 'nor by another target')
})

t.test('who has the file is told that it is the same', async (t) => {
  const { service, observed, url, ask, heat } = await openDoor(t)
  await service.add(`${day}/${dayFile}`, 'content')
  await heat(dayFile)
  observed.length = 0
  for (const method of ['GET', 'HEAD']) {
    const { headers, text } = await ask(url(dayFile), { 'if-none-match': '"0", "1"' }, method)
    t.equal(text, '')
    t.equal(headers.get('etag'), '"1"')
    t.notOk(headers.get('content-length'))
    t.match(observed.pop(), { method, status: 304 })
  }
  t.equal((await ask(url(dayFile), { 'if-none-match': '"2"' })).text, 'content')
  const dated = { 'if-modified-since': date }
  const answer = await ask(url(dayFile), dated)
  t.equal(answer.text, '')
  t.equal(answer.headers.get('last-modified'), date)
  t.match(observed.pop(), { status: 304 })
  const other = { 'if-modified-since': 'Fri, 02 Jan 2026 00:00:00 GMT' }
  t.equal((await ask(url(dayFile), other)).text, 'cold', 'another date is weighed by the route')
  for (const also of [dated, other])
    t.equal((await ask(url(dayFile), { ...also, 'if-none-match': '"2"' })).text, 'content')
})

t.test('of what is asked for without its body the headers are kept', async (t) => {
  const { service, url, ask, heat, fileOf } = await openDoor(t)
  await service.add(`${day}/${dayFile}`, 'content')
  await heat(dayFile, url(dayFile), {}, false)
  const answers = async () => [
    (await ask(url(dayFile), {}, 'HEAD')).headers.get('content-length'),
    (await ask(url(dayFile), { 'if-none-match': '"1"' })).headers.get('etag'),
    (await ask(url(dayFile), { 'if-modified-since': date })).headers.get('etag'),
    (await ask(url(dayFile))).text,
    (await ask(url(dayFile), { 'if-none-match': '"2"' })).text,
  ]
  t.same(await answers(), ['7', '"1"', '"1"', 'cold', 'cold'], 'and nobody gets more than that')
  await heat(dayFile)
  const whole = ['7', '"1"', '"1"', 'content', 'content']
  t.same(await answers(), whole, 'until the whole is there')
  await heat(dayFile, url(dayFile), {}, false)
  t.same(await answers(), whole, 'which they do not drive out')
  writeFileSync(fileOf(dayFile), 'another')
  t.equal((await ask(url(dayFile), {}, 'HEAD')).headers.get('etag'), null, 'a file that changed')
  await service.add(`${day}/${shortFile}`, 'content')
  await heat(shortFile, `${url(shortFile)}?x`, {}, false)
  const { headers } = await ask(`${url(shortFile)}?x`, {}, 'HEAD')
  t.equal(headers.get('etag'), null, 'one of which there could be any number')
})

t.test('what is not to be kept is not', async (t) => {
  const { service, url, ask, heat, fileOf } = await openDoor(t, { mostBytes: 8000 })
  await service.add(`${day}/${dayFile}`, 'content')
  await service.add(`${day}/${shortFile}`, 'x'.repeat(4000))
  await heat(shortFile)
  t.equal((await ask(url(shortFile))).text, 'cold', 'a file for which there is no room')
  await heat(dayFile, `${url(dayFile)}?x`)
  t.equal((await ask(`${url(dayFile)}?x`)).text, 'cold', 'one of which there could be any number')
  await heat(dayFile, url(dayFile), { range: 'bytes=0-' })
  t.equal((await ask(url(dayFile))).text, 'cold', 'what was asked for in another way')
  writeFileSync(fileOf(dayFile), 'another')
  utimesSync(fileOf(dayFile), 1, 1)
  await heat(dayFile)
  t.equal((await ask(url(dayFile))).text, 'cold', 'a version that the catalogue does not know')
})

t.test('headers have a share of their own', async (t) => {
  const { service, url, ask, heat, letPass } = await openDoor(t, { mostBytes: 8 * 7000 })
  const names = [dayFile, shortFile]
  for (const name of names) await service.add(`${day}/${name}`, 'content')
  await service.add(`${hour}/${hourFile}`, 'content')
  const tags = async () =>
    Promise.all(names.map(async (name) => (await ask(url(name), {}, 'HEAD')).headers.get('etag')))
  for (const name of names) await heat(name, url(name), {}, false)
  t.same(await tags(), ['"1"', null], 'there is room for one, which stays')
  letPass(11_000)
  await heat(shortFile, url(shortFile), {}, false)
  t.same(await tags(), [null, '"1"'])
  await heat(dayFile)
  t.same(await tags(), ['"1"', '"1"'], 'a whole file takes none of it')
})

t.test('a file is wanted when it is asked for again', async (t) => {
  const { service, wants } = await openDoor(t)
  await service.add(`${day}/${dayFile}`, 'content')
  await service.add(`${day}/${shortFile}`, 'content')
  t.notOk(await wants(dayFile))
  t.notOk(await wants(shortFile))
  t.ok(await wants(dayFile))
  await service.add(`${hour}/${hourFile}`, Buffer.alloc(pieceBytes))
  t.notOk(await wants(hourFile, hour))
  t.ok(await wants(hourFile, hour), 'as large as can be read at once')
  await service.add(`${day}/${hourFile}`, Buffer.alloc(pieceBytes + 1))
  for (let times = 0; times < 3; times++) t.notOk(await wants(hourFile), 'larger')
})

t.test('a file that is there is not wanted again, whatever it was asked for with', async (t) => {
  const { service, url, ask, heat, wants } = await openDoor(t)
  await service.add(`${day}/${dayFile}`, 'content')
  await heat(dayFile, url(dayFile), {}, false)
  t.notOk(await wants(dayFile))
  t.ok(await wants(dayFile), 'its headers do not count')
  await heat(dayFile)
  t.equal((await ask(url(dayFile), { 'if-modified-since': 'x' })).text, 'cold')
  t.notOk(await wants(dayFile))
})

t.test(
  'a file that may still be written to within a tick of its clock is not wanted',
  async (t) => {
    const { service, wants, letPass } = await openDoor(t)
    await service.add(`${day}/${dayFile}`, 'content')
    letPass(-60_000)
    for (let times = 0; times < 3; times++) t.notOk(await wants(dayFile))
    letPass(60_000)
    t.notOk(await wants(dayFile))
    t.ok(await wants(dayFile))
  },
)

t.test('the oldest makes room for the newest when nobody asks for it any more', async (t) => {
  const { service, url, ask, heat, letPass } = await openDoor(t, { mostBytes: 9000 })
  await service.add(`${day}/${dayFile}`, '1'.repeat(1000))
  await service.add(`${day}/${shortFile}`, '2'.repeat(1000))
  await heat(dayFile)
  for (let times = 0; times < 3; times++) {
    letPass(9000)
    await heat(shortFile)
    t.equal((await ask(url(shortFile))).text, 'cold')
    t.equal((await ask(url(dayFile))).text, '1'.repeat(1000))
  }
  letPass(11_000)
  await heat(shortFile)
  t.equal((await ask(url(shortFile))).text, '2'.repeat(1000))
  t.equal((await ask(url(dayFile))).text, 'cold')
})

/** What can happen to a file: names are steps of a story. */
const events = [
  'rewritten',
  'replaced',
  'cut',
  'removed',
  'linked',
  'renamed',
  'gone',
  'changed',
  'heated',
] as const

t.test('whatever happens to a file, what comes from memory is what is there', async (t) => {
  const { service, writer, url, ask, heat, fileOf } = await openDoor(t)
  const file = fileOf(dayFile)
  const aside = join(service.archive, 'aside')
  mkdirSync(aside)
  let version = 1
  /** Of the same length always, and with the same time: nothing but the file's own identity tells. */
  const write = (path: string) => {
    writeFileSync(path, `version ${String(version++).padStart(6, '0')}`)
    utimesSync(path, 1000, 1000)
  }
  const steps: Record<(typeof events)[number], () => Promise<void> | void> = {
    rewritten: () => {
      write(file)
    },
    replaced: () => {
      write(join(aside, 'new'))
      renameSync(join(aside, 'new'), file)
    },
    cut: () => {
      writeFileSync(file, '')
    },
    removed: () => {
      rmSync(file, { force: true })
    },
    linked: () => {
      write(join(aside, 'target'))
      rmSync(file, { force: true })
      symlinkSync(join(aside, 'target'), file)
    },
    renamed: () => {
      renameSync(fileOf('.'), join(aside, 'day'))
      mkdirSync(fileOf('.'))
      write(file)
      rmSync(join(aside, 'day'), { recursive: true })
    },
    gone: async () => {
      const known = await service.reader.file(day, dayFile)
      await writer.apply([change(day, { removed: known === undefined ? [] : [known.id] })])
    },
    changed: async () => {
      const known = await service.reader.file(day, dayFile)
      if (known === undefined) return
      const facts = { id: known.id, name: dayFile, size: 14, mtimeUs: 1_000_000_000 }
      await writer.apply([change(day, { modified: [facts] })])
    },
    heated: () => heat(dayFile).catch(() => undefined),
  }
  let sent = 0
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...events), { maxLength: 8 }), async (story) => {
      rmSync(file, { force: true })
      const known = await service.reader.file(day, dayFile)
      if (known !== undefined) await writer.apply([change(day, { removed: [known.id] })])
      await service.add(`${day}/${dayFile}`, 'version 000000')
      await steps.rewritten()
      await steps.changed()
      for (const event of ['heated', ...story] as const) {
        await steps[event]()
        const { text } = await ask(url(dayFile))
        if (text === 'cold') continue
        sent++
        if ((await service.reader.file(day, dayFile)) === undefined) throw new Error('it is gone')
        if (text !== readFileSync(file, 'utf8')) throw new Error(`${text} is not there any more`)
      }
    }),
    { numRuns: 150 },
  )
  t.ok(sent > 150, `${sent} of the answers came from memory`)
})
