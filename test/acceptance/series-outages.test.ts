/**
 * Us or them: while the indexer is stopped or cannot read the archive, no station turns late, and
 * every answer says why. A station that really dies goes from late to down and to its end.
 */
import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { testFolder } from '../folder.ts'
import t, { exact } from '../tap.ts'
import { clockWrap, lacksFaketime, removeShared, setClock } from './fake-clock.ts'
import { dayMs, deliver, hourMs, isoOf, slotsBetween } from './series-tree.ts'
import type { Service } from './service.ts'
import { fetchAlone, startService, stop, until } from './service.ts'

// Tests that mostly wait, each with a service of its own.
t.jobs = 2

/** Far ahead, so that no file is young. */
const noon = Date.UTC(2029, 5, 18, 12)
const today = Date.UTC(2029, 5, 18)
const minuteMs = 60_000

interface Row {
  readonly station: string
  readonly state: string
  readonly since: string
  readonly late_after_s: number
  readonly usual_s: number | null
  readonly last_arrival: string | null
  readonly last_slot: string | null
}

interface Answer<Result = Row> {
  readonly as_of: string
  readonly not_current: string | null
  readonly count: number
  readonly results: readonly Result[]
}

/** Starts a service whose clock shows a time. */
async function startAt(t: Test, now: number, fill: (archive: string) => void) {
  const folder = testFolder(t)
  fill(join(folder, 'archive'))
  setClock(folder, now - Date.now())
  const options = { CHECKSUMS: 'none', SWEEP_INTERVAL_SECONDS: '1' }
  const service = await startService(t, folder, { wrap: clockWrap(folder), options })
  await until('the first scan ends', service.ready)
  return service
}

const json = async <T>({ get }: Service, path: string): Promise<T> =>
  (await get(`/rinex/api/${path}`)).body as T
const series = (service: Service) => json<Answer>(service, 'series/')

/** The answer of `series/` when the catalogue is current again and as new as a time. */
async function currentSince(service: Service, time: number): Promise<Answer> {
  let found: Answer | undefined
  await until(`current at ${isoOf(time)}`, async () => {
    found = await series(service)
    return found.not_current === null && Date.parse(found.as_of) >= time
  })
  return found as Answer
}

async function checkEnd(t: Test, { log, indexer, api }: Service) {
  const faults = log.filter(({ level }) => level === 'fatal')
  t.strictSame(faults, [], 'no process failed')
  t.strictSame(await Promise.all([stop(indexer, 'SIGTERM'), stop(api, 'SIGTERM')]), [0, 0])
}

const hourly = ['GRAZ00AUT', 'LINZ00AUT', 'WIEN00AUT']
const isPresent = ({ state }: Row): boolean => state === 'present'

/**
 * The reason that each answer gives for a catalogue that is not current, by its query; null if it
 * gives none.
 */
async function reasonsOf(service: Service) {
  const reasons: Record<string, string | null> = {}
  const read = async (path: string, format: string, find: (answer: Response) => unknown) => {
    const url = new URL(`/rinex/api/${path}`, service.url)
    url.searchParams.set('format', format)
    const answer = await fetchAlone(url, { headers: { accept: 'text/html' } })
    if (answer.status !== 200) throw new Error(`${url.href}: ${answer.status}`)
    reasons[`${format} ${path}`] = ((await find(answer)) ?? null) as string | null
  }
  const station = 'station/GRAZ00AUT/'
  const availability = `${station}availability/?period=01H`
  const lists = ['series/', 'missing/', 'report/', availability]
  for (const path of [...lists, 'network/', 'alerts/'])
    await read(path, 'json', async (answer) => ((await answer.json()) as Answer).not_current)
  for (const path of lists) await read(path, 'csv', (answer) => answer.headers.get('not-current'))
  const pages = [...lists, 'network/', 'alerts/', 'station/', station, `${station}latency/`]
  const banner = /class="notice fault"[^>]*>(.*?)(?: since [\w: ]+ UTC)?\. States are those of/
  for (const path of pages)
    await read(path, 'api', async (answer) =>
      banner.exec(await answer.text())?.[1]?.replace(/^The /, 'the '),
    )
  return reasons
}

/** The value of `rinex_catalogue_current`. */
async function currentGauge({ url }: Service): Promise<string | undefined> {
  const metrics = await (await fetchAlone(new URL('/metrics', url))).text()
  return /^rinex_catalogue_current (\d)$/m.exec(metrics)?.[1]
}

/**
 * Waits until the catalogue is not current; then three hours pass, in which files go on arriving in
 * a directory.
 */
async function standStill(
  t: Test,
  service: Service,
  { archive, from, reason }: { archive: string; from: number; reason: RegExp },
) {
  await until('it is not current', async () =>
    reason.test((await series(service)).not_current ?? ''),
  )
  const before = await series(service)
  for (let hour = 1; hour <= 3; hour++) {
    const now = from + hour * hourMs
    setClock(service.folder, now + 20 * minuteMs - Date.now())
    for (const station of hourly) deliver(archive, station, '01H', [now - hourMs])
    const { as_of, results } = await series(service)
    t.equal(as_of, before.as_of, `as_of stands after ${hour} hours`)
    t.strictSame(results, before.results, 'and so do all states')
  }
  t.ok(before.results.every(isPresent), 'nothing is late')
  const reasons = await reasonsOf(service)
  const said = Object.values(reasons)
  t.ok(
    said.every((each) => reason.test(each ?? '')),
    'every answer says why',
  )
  t.strictSame([...new Set(said)], [before.not_current], JSON.stringify(reasons, null, 2))
  t.equal(await currentGauge(service), '0')
  t.match(await json(service, 'alerts/'), { count: 0 }, 'there is no alert')
}

/** Waits until the catalogue is current again; meanwhile no answer shows a late series. */
async function recover(t: Test, service: Service, from: number) {
  const worst: Row[] = []
  await until('it is current again', async () => {
    const { as_of, not_current, results } = await series(service)
    worst.push(...results.filter((row) => !isPresent(row)))
    return not_current === null && Date.parse(as_of) >= from
  })
  t.strictSame(worst, [], 'nothing is late, in no answer')
  const { results } = await series(service)
  t.ok(results.every(isPresent), 'everything is present')
  t.match(await json(service, 'missing/'), { count: 0 }, 'nothing is missing')
  const quiet = { losses: { length: 0 }, states: { late: 0, down: 0 }, arrivals_1h: 0 }
  t.match(await json(service, 'network/'), quiet)
  const ours = results.filter((row) => row.last_arrival !== null || row.usual_s !== null)
  t.strictSame(ours, [], 'our outage is no latency of a station')
  t.match(await json(service, 'alerts/'), { count: 0 }, 'there is no alert')
  t.strictSame(
    [...new Set(Object.values(await reasonsOf(service)))],
    [null],
    'no answer has a reason',
  )
  t.equal(await currentGauge(service), '1')
}

t.test('nobody turns late because of us', { skip: lacksFaketime }, async (t) => {
  const service = await startAt(t, noon + 20 * minuteMs, (archive) => {
    for (const station of hourly)
      deliver(archive, station, '01H', slotsBetween('01H', [today - 5 * dayMs, noon]))
    deliver(archive, 'GRAZ00AUT', '01D', slotsBetween('01D', [today - 9 * dayMs, today]))
  })
  const { archive, folder } = service
  t.ok((await currentSince(service, noon)).results.every(isPresent))

  const { indexer } = service
  await stop(indexer, 'SIGKILL')
  removeShared(indexer)
  await standStill(t, service, { archive, from: noon, reason: /^the indexer is stopped$/ })
  service.startIndexer()
  await recover(t, service, noon + 3 * hourMs)

  const away = join(folder, 'away')
  mkdirSync(away)
  for (const area of ['obs', 'nrt']) renameSync(join(archive, area), join(away, area))
  const from = noon + 3 * hourMs
  await standStill(t, service, {
    archive: away,
    from,
    reason: /(?:obs|nrt)\/ below the archive root/,
  })
  for (const area of ['obs', 'nrt']) renameSync(join(away, area), join(archive, area))
  await recover(t, service, noon + 6 * hourMs)
  await checkEnd(t, service)
})

interface Alert {
  readonly id: string
  readonly kind: string
}

t.test('a station that dies is late, down and ended', { skip: lacksFaketime }, async (t) => {
  const stations = ['GRAZ00AUT', 'LINZ00AUT']
  const service = await startAt(t, today + hourMs, (archive) => {
    for (const station of stations)
      deliver(archive, station, '01D', slotsBetween('01D', [today - 100 * dayMs, today]))
  })
  const { archive, folder } = service
  let delivered = today
  /** Sets the clock; one station has delivered all days, and the other one some. */
  const goTo = async (time: number, days: readonly number[] = []) => {
    setClock(folder, time - Date.now())
    // Files are seen arriving when they were not there a few minutes ago.
    await until(`the indexer has seen ${isoOf(time)}`, async () =>
      Boolean((await currentSince(service, time)).results),
    )
    deliver(archive, 'GRAZ00AUT', '01D', days)
    const end = Math.floor(time / dayMs) * dayMs
    deliver(archive, 'LINZ00AUT', '01D', slotsBetween('01D', [delivered, end]))
    delivered = end
    let rows: readonly Row[] = []
    await until(`states at ${isoOf(time)}`, async () => {
      const { results } = await currentSince(service, time)
      rows = results
      // The newest day may be due, so that the station is present without it.
      const newest = isoOf(end - dayMs)
      return results.some((row) => row.station === 'LINZ00AUT' && row.last_slot === newest)
    })
    const alerts = await json<Answer<Alert>>(service, 'alerts/?alert=true')
    const dead = rows.find(({ station }) => station === 'GRAZ00AUT')
    const { state: word = '', since = '', late_after_s: limit = NaN } = dead ?? {}
    return { word, since, limit, alerts: alerts.results }
  }
  // Both deliver an hour after midnight, so that the limit is learned: two hours.
  for (const day of [1, 2, 3]) await goTo(today + day * dayMs + hourMs, [today + (day - 1) * dayMs])
  const end = today + 3 * dayMs
  const since = isoOf(end)
  const early = await goTo(end + dayMs + 1.9 * hourMs)
  t.match(early, { word: 'present', limit: 7200, alerts: { length: 0 } }, 'it may still come')
  const late = await goTo(end + dayMs + 2.1 * hourMs)
  t.match(late, { word: 'late', since, alerts: { length: 0 } }, 'late after its limit')
  const announced = await goTo(end + dayMs + 4.1 * hourMs)
  t.match(announced, exact({ word: 'late', since, alerts: [{ kind: 'late', since }] }))
  const { id } = announced.alerts[0] ?? {}
  const last = await goTo(end + 3 * dayMs + 1.9 * hourMs)
  t.match(last, { word: 'late', since, alerts: exact([{ id, kind: 'late' }]) })
  const down = await goTo(end + 3 * dayMs + 2.1 * hourMs)
  t.match(down, exact({ word: 'down', since, alerts: [{ id, kind: 'down' }] }))
  // Its limit is not known any more when its last arrival is 28 days old.
  const due = isoOf(end + 2 * dayMs)
  for (const day of [30, 60, 90]) {
    const still = await goTo(end + day * dayMs + 23 * hourMs)
    const alerts = [{ id, kind: 'down', due }]
    t.match(still, exact({ word: 'down', since, alerts }), `after ${day} days`)
  }
  t.match(await json(service, 'network/'), { ended: 0, states: { down: 1 } })
  const ended = await goTo(end + 92 * dayMs + hourMs)
  t.match(ended, { word: 'ended', since, alerts: { length: 0 } }, 'and then it has ended')
  t.match(await json(service, 'network/'), { stations: 1, ended: 1, states: { silent: 0 } })
  const back = end + 92 * dayMs
  const returned = await goTo(back + dayMs + hourMs, [back])
  t.match(
    returned,
    { word: 'present', since: isoOf(back), alerts: { length: 0 } },
    'until it is back',
  )
  t.match(await json(service, 'network/'), { ended: 0, states: { present: 2 } })
  await checkEnd(t, service)
})
