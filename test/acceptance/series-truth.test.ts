/**
 * Day one: an archive of 18 months is there before the service ever starts. Right after the first
 * scan, all answers about series have the numbers that the tree has.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { testFolder } from '../folder.ts'
import t from '../tap.ts'
import { clockWrap, lacksFaketime, setClock } from './fake-clock.ts'
import {
  begin,
  count,
  daysAgo,
  fillArchive,
  firstOf,
  hasEnded,
  hourlyBegin,
  keyOf,
  lastOf,
  missed,
  network,
  now,
  recent,
  rounded,
  sinceOf,
  today,
  words,
} from './series-network.ts'
import type { DiskSeries, Period } from './series-tree.ts'
import { dayMs, isoOf, nameOf, rowsOfCsv, seriesOnDisk, slotsBetween } from './series-tree.ts'
import type { Service } from './service.ts'
import { fetchAlone, startService, stop, until } from './service.ts'

type Row = Readonly<Record<string, unknown>>
type MissingRow = Readonly<Record<'period' | 'start' | 'name', string>>
interface Answer<Result = Row> {
  readonly as_of: string | null
  readonly not_current: string | null
  readonly count: number
  readonly results: readonly Result[]
}

async function startOnDayOne(t: Test) {
  const folder = testFolder(t)
  fillArchive(join(folder, 'archive'))
  setClock(folder, now - Date.now())
  const options = { CHECKSUMS: 'none' }
  const service = await startService(t, folder, { wrap: clockWrap(folder), options })
  await until('the first scan ends', service.ready)
  const asOf = async () => (await json<Answer>(service, 'network/')).as_of
  await until('states are known', async () => (await asOf()) !== null)
  return service
}

/** Reads an answer as text. */
async function read(service: Service, path: string, accept = 'application/json'): Promise<string> {
  const answer = await fetchAlone(new URL(`/rinex/api/${path}`, service.url), {
    headers: { accept },
  })
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return answer.text()
}

const json = async <T>(service: Service, path: string): Promise<T> =>
  JSON.parse(await read(service, path)) as T
const page = (service: Service, path: string) => read(service, path, 'text/html')

t.test(
  'on day one, all answers have the numbers of the tree',
  { skip: lacksFaketime },
  async (t) => {
    const service = await startOnDayOne(t)
    const disk = seriesOnDisk(service.archive)
    t.strictSame(disk.map(keyOf), Object.keys(words), 'the tree has these series')
    await t.test('network', (t) => checkNetwork(t, service, disk))
    await t.test('series', (t) => checkSeries(t, service, disk))
    await t.test('availability', (t) => checkAvailability(t, service, disk))
    await t.test('missing files', (t) => checkMissing(t, service, disk))
    // A month ago, and 15 months ago: longer than deliveries are remembered.
    for (const day of [daysAgo(34), daysAgo(455)])
      await t.test(`report of ${isoOf(day)}`, (t) => checkReport(t, { service, disk, day }))
    const faults = service.log.filter(({ level }) => level === 'error' || level === 'fatal')
    t.strictSame(faults, [], 'no error is logged')
    await Promise.all([stop(service.indexer, 'SIGTERM'), stop(service.api, 'SIGTERM')])
  },
)

async function checkNetwork(t: Test, service: Service, disk: readonly DiskSeries[]) {
  const counted = disk.filter((each) => !hasEnded(each)).map(recent)
  const possible = counted
    .filter(({ delivered }) => delivered > 0)
    .reduce((n, a) => n + a.possible, 0)
  const delivered = counted.reduce((n, a) => n + a.delivered, 0)
  const network = await json<Row>(service, 'network/')
  t.match(network, {
    stations: 7,
    ended: 1,
    not_current: null,
    arrivals_1h: 0,
    states: { down: 1, late: 0, present: 4, silent: 2, unknown: 0 },
    possible_28d: possible,
    delivered_28d: delivered,
    completeness_28d: rounded(delivered, possible),
  })
  const html = await page(service, 'network/')
  for (const text of ['<h1>1 of 5 stations does not deliver: DEAD00ITA</h1>', '<svg'])
    t.ok(html.includes(text), `the page says ${text}`)
  t.notOk(html.includes('class="notice fault"'), 'and has no banner')
}

async function checkSeries(t: Test, service: Service, disk: readonly DiskSeries[]) {
  const { results } = await json<Answer>(service, 'series/?limit=100')
  const expected = disk.map((series) => {
    const { possible, delivered } = recent(series)
    const { station, period } = series
    const [state, ended] = words[keyOf(series)]?.split(' ') ?? []
    const figures =
      ended === undefined && firstOf(series) < Infinity ? rounded(delivered, possible) : null
    return {
      station,
      period,
      state: ended ?? state,
      since: isoOf(sinceOf(series)),
      completeness_28d: figures,
      last_slot: isoOf(lastOf(series)),
    }
  })
  const names = Object.keys(expected[0] ?? {})
  const found = results.map((row) => Object.fromEntries(names.map((name) => [name, row[name]])))
  t.strictSame(found, expected)
  const rows = rowsOfCsv(await read(service, 'series/?format=csv'))
  const texts = results.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        String((value as string | number | boolean | null) ?? ''),
      ]),
    ),
  )
  t.strictSame(rows, texts, 'the CSV says the same')
}

interface Availability extends Row {
  readonly gaps: readonly unknown[]
  readonly states: string
}

async function checkAvailability(t: Test, service: Service, disk: readonly DiskSeries[]) {
  for (const series of disk) {
    const { station, period } = series
    const path = `station/${station}/availability/?period=${period}&from=${isoOf(begin).slice(0, 10)}`
    const { possible, delivered } = count(series, begin, now)
    const first = firstOf(series)
    const figures = {
      possible,
      delivered,
      completeness: rounded(delivered, possible),
      first: first === Infinity ? null : isoOf(first),
      last: isoOf(lastOf(series)),
      ended: hasEnded(series),
    }
    t.match(await json(service, path), figures, station)
    if (possible === 0) continue
    const html = await page(service, path)
    t.ok(
      html.includes(`${delivered.toLocaleString('en')} of ${possible.toLocaleString('en')} files`),
    )
  }
  const read = (station: string, query = '') =>
    json<Availability>(service, `station/${station}/availability/${query}`)
  const month = [isoOf(daysAgo(230)), isoOf(daysAgo(199)), 31, 'missing']
  const withGap = await read('GAPM00DEU')
  t.strictSame(withGap.gaps, [month], 'the month is one range')
  t.equal(withGap.states, 'P318M31P199F1')
  t.equal((await read('HEAL00AUT')).states, `P1S${(begin - Date.UTC(1999, 0, 6)) / dayMs}P548F1`)
  t.equal((await read('DEAD00ITA')).states, 'P539M2L6D1F1')
  const ended = await read('ENDD00POL')
  t.equal(ended.states, 'P349M90S108D1F1')
  t.strictSame(ended.gaps, [], 'an ended series has no gap after its last file')
  t.match((await read('NIGH00NOR', '?period=01H')).states, /^[PSDF\d]+$/, 'nights are not missed')
}

async function checkMissing(t: Test, service: Service, disk: readonly DiskSeries[]) {
  for (const station of Object.keys(network)) {
    const own = disk.filter((series) => series.station === station)
    const path = `missing/?station=${station}&from=${isoOf(begin).slice(0, 10)}`
    const wanted = own.flatMap((series) =>
      missed(series, begin, now).map((start) => ({ ...series, start })),
    )
    const { count, results } = await json<Answer<MissingRow>>(service, `${path}&limit=1000`)
    t.equal(count, wanted.length, `${station}: ${wanted.length} files`)
    const rowOf = ({ period, start }: Omit<MissingRow, 'name'>) => `${period} ${start}`
    const rows = wanted.map(({ period, start }) => rowOf({ period, start: isoOf(start) }))
    t.strictSame(results.map(rowOf).sort(), rows.sort())
    const csv = rowsOfCsv(await read(service, `${path}&format=csv`))
    const texts = results.map((row) =>
      Object.fromEntries(
        Object.entries<string | null>(row).map(([name, value]) => [name, value ?? '']),
      ),
    )
    t.strictSame(csv, texts, 'the CSV says the same')
    // Somebody else has all files; the patterns find those that are missing here.
    const elsewhere = join(service.folder, 'elsewhere', station)
    mkdirSync(elsewhere, { recursive: true })
    for (const { period } of own)
      for (const start of slotsBetween(period, [period === '01D' ? begin : hourlyBegin, today]))
        writeFileSync(join(elsewhere, nameOf(station, period, start)), '')
    const list = `ls -1 ${results.map(({ name }) => name).join(' ')} /dev/null`
    const listed = spawnSync('sh', ['-c', list], { cwd: elsewhere, encoding: 'utf8' })
    const names = wanted.map(({ period, start }) => nameOf(station, period, start))
    t.strictSame(listed.stdout.trim().split('\n').sort(), ['/dev/null', ...names].sort())
    const shown = await page(service, path)
    if (wanted.length === 0) t.match(shown, 'No outages match')
    else {
      const sum = wanted.length.toLocaleString('en')
      t.match(shown, new RegExp(`<h1>.*: ${sum} files? of 1 station`), 'their sum')
    }
  }
}

/** Checks the GPS week of a day: from the Sunday before it. */
async function checkReport(
  t: Test,
  { service, disk, day }: { service: Service; disk: readonly DiskSeries[]; day: number },
) {
  const week = Math.floor((day - Date.UTC(1980, 0, 6)) / (7 * dayMs))
  const from = Date.UTC(1980, 0, 6) + week * 7 * dayMs
  const path = `report/?week=${week}`
  // A series counts in the weeks before its last file, although it has ended since.
  const endedByThen = (series: DiskSeries): boolean =>
    hasEnded(series) && lastOf(series) < from + 7 * dayMs
  const figuresOf = (series: DiskSeries | undefined) => {
    if (series === undefined) return null
    const { possible, delivered } = count(series, from, from + 7 * dayMs)
    const completeness = rounded(delivered, possible)
    return { possible, delivered, completeness, ended: endedByThen(series) }
  }
  const shown = disk.filter(
    (series) =>
      count(series, from, from + 7 * dayMs).delivered > 0 ||
      missed(series, from, from + 7 * dayMs).length > 0,
  )
  const stations = [...new Set(shown.map(({ station }) => station))].map((station) => {
    const of = (period: Period) =>
      figuresOf(shown.find((each) => each.station === station && each.period === period))
    const own = shown.filter((each) => each.station === station)
    const missing = own.flatMap((each) => missed(each, from, from + 7 * dayMs))
    return { station, daily: of('01D'), hourly: of('01H'), missing: missing.length }
  })
  const report = await json<{
    stations: readonly Row[]
    ended: number
  }>(service, path)
  t.equal(report.ended, disk.filter(endedByThen).length)
  const pick = (share: unknown) => {
    if (share === null) return null
    const { possible, delivered, completeness, ended } = share as Row
    return { possible, delivered, completeness, ended }
  }
  const found = report.stations.map(({ station, daily, hourly, missing }) => ({
    station,
    daily: pick(daily),
    hourly: pick(hourly),
    missing: (missing as readonly string[]).length,
  }))
  t.strictSame(found, stations)

  const rows = rowsOfCsv(await read(service, `${path}&format=csv`))
  const html = await page(service, path)
  t.equal(rows.length, stations.length)
  for (const [index, { station, daily, hourly }] of stations.entries())
    for (const [name, share] of Object.entries({ daily, hourly })) {
      const row = rows[index] ?? {}
      t.equal(row['station'], station)
      t.equal(row[`${name}_possible`], String(share?.possible ?? ''))
      t.equal(row[`${name}_delivered`], String(share?.delivered ?? ''))
      if (share === null) continue
      // A station that is complete is named, without figures.
      const isShown = share.delivered < share.possible
      const words = isShown ? `${share.delivered} of ${share.possible}` : station
      t.ok(html.includes(words), `${station} on the page`)
    }
}
