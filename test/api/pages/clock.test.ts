/**
 * Pages that depend on the time of the request, and pages that are requested before the deliveries
 * are read.
 */
import type { Test } from 'tap'
import type { DeliveriesQuery } from '../../../src/catalogue/questions/network-deliveries.ts'
import { nameOf, startOf } from '../../rinex-names.ts'
import t from '../../tap.ts'
import { readPage } from '../html.ts'
import { openService, startUs } from '../service.ts'

const browser = { accept: 'text/html' }

async function open(t: Test) {
  const service = await openService(t, { nowUs: Math.floor(startUs / 60e6) * 60e6 })
  const station = 'GRAZ00AUT'
  const names = Array.from({ length: 28 }, (_value, index) =>
    nameOf(station, startOf(2025, index + 1)),
  )
  await service.addNames('obs/2025/001', names)
  /** Sets the clock; the catalogue is current each minute. */
  const setSecond = (second: number): Promise<void> => {
    service.clock.us = startUs + second * 1e6
    const atUs = startUs + Math.floor(second / 60) * 60e6
    return service.writer.setAsOf({ atUs, limitSeconds: 180 })
  }
  await setSecond(0)
  return { ...service, setSecond }
}

t.test('every answer that depends on the clock has an ETag that changes each minute', async (t) => {
  const { app, setSecond } = await open(t)
  const pages = ['network/', 'series/', 'missing/', 'report/', 'station/', 'station/GRAZ/']
  const both = ['station/GRAZ/availability/', 'station/GRAZ/latency/', 'station/?state=silent']
  const targets = [
    ...[...pages, ...both].map((path) => ({ path, headers: browser })),
    ...[...both, 'network/', 'series/', 'missing/', 'report/'].map((path) => ({
      path,
      headers: { accept: 'application/json' },
    })),
    ...['series/?format=csv', 'missing/?format=csv', 'report/?format=csv'].map((path) => ({
      path,
      headers: {},
    })),
  ]
  await app.inject('/rinex/api/network/')
  for (const { path, headers } of targets) {
    await setSecond(0)
    const url = `/rinex/api/${path}`
    const { statusCode, headers: first } = await app.inject({ url, headers })
    t.match({ statusCode, cache: first['cache-control'] }, { statusCode: 200, cache: 'no-cache' })
    const known = { ...headers, 'if-none-match': String(first.etag) }
    for (const [second, status] of [
      [1, 304],
      [61, 200],
    ] as const) {
      await setSecond(second)
      const again = await app.inject({ url, headers: known })
      t.equal(again.statusCode, status, `${path} after ${second} s`)
    }
  }
})

t.test('only answers that need the states of series wait for the recent deliveries', async (t) => {
  const { app, reader } = await open(t)
  let release = (): void => undefined
  const wait = new Promise<void>((resolve) => (release = resolve))
  const read = reader.deliveries.bind(reader)
  const waiting = async (query: DeliveriesQuery) => {
    await wait
    return read(query)
  }
  Object.assign(reader, { deliveries: waiting })
  const stations = await app.inject({ url: '/rinex/api/station/', headers: browser })
  t.match(stations, { statusCode: 200 })
  t.notOk(readPage(stations.body).has('svg', { role: 'img' }))
  t.equal((await app.inject('/metrics')).statusCode, 200)
  const network = app.inject('/rinex/api/network/')
  release()
  t.equal((await network).statusCode, 200)
  const later = await app.inject({ url: '/rinex/api/station/', headers: browser })
  t.ok(readPage(later.body).has('svg', { role: 'img' }))
  t.not(later.headers.etag, stations.headers.etag)
})

t.test('the deliveries are read when the server listens, before any request', async (t) => {
  const service = await open(t)
  const { reader } = service
  const queries = new Promise<void>((resolve) => {
    const read = reader.deliveries.bind(reader)
    const noticed = (query: DeliveriesQuery) => {
      resolve()
      return read(query)
    }
    Object.assign(reader, { deliveries: noticed })
  })
  await service.listen()
  await queries
})

t.test('stations are filtered by their state', async (t) => {
  const { app } = await open(t)
  const codes = async (query: string) => {
    const { results } = (await app.inject(`/rinex/api/station/?${query}`)).json<{
      results: { code: string }[]
    }>()
    return results.map(({ code }) => code)
  }
  t.strictSame(await codes('state=down,ended'), ['GRAZ00AUT'])
  t.strictSame(await codes('state=present'), [])
  t.strictSame(await codes('state=ended&country=DEU'), [])
  const bad = await app.inject('/rinex/api/station/?state=away')
  t.match(bad, { statusCode: 400 })
  t.strictSame(Object.keys(bad.json<object>()), ['state'])
})

t.test('every form shows the faults of a rejected request at its fields', async (t) => {
  const { page } = await open(t)
  for (const [path, field, value] of [
    ['rinex-file/?startDate=%3Cb%3E', 'startDate', '<b>'],
    ['station/?state=%3Cb%3E', 'state', '<b>'],
    ['series/?period=1', 'period', '1'],
    ['missing/?from=never', 'from', 'never'],
    ['report/?week=x', 'week', 'x'],
    ['station/GRAZ/availability/?from=never', 'from', 'never'],
    ['station/GRAZ/latency/?to=never', 'to', 'never'],
    ['status/problems/?problem=all', 'problem', 'all'],
    ['changes/?station=x', 'station', 'x'],
  ] as const) {
    const html = await page(path, 400)
    t.ok(html.has('*', { id: `e-${field}` }), path)
    t.ok(html.has('*', { value }), path)
  }
})
