/** Which files of the demo arrive when. */
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readStationsFile } from '../../src/config/stations-file.ts'
import { pastTimes, watchedSince } from '../../src/demo/history.ts'
import { demoLists, filesArriving, purgedFiles } from '../../src/demo/network.ts'
import { demoStations, stationsCsv } from '../../src/demo/stations.ts'
import { createLayout } from '../../src/parse/layout.ts'
import { placementIn } from '../../src/parse/placement.ts'
import { testFolder } from '../folder.ts'
import t from '../tap.ts'

const startedAt = Date.parse('2026-03-01T10:20:30Z') / 1000
const hour = 3600
const day = 24 * hour
const all = filesArriving(0, startedAt, startedAt)
const { parseDirectory, parseFilename } = createLayout(demoLists)

t.test('every name is that of its data, and two files are misplaced', async (t) => {
  const misplaced: string[] = []
  const wrong = all.filter((file) => {
    const parsed = parseFilename(file.path.slice(file.path.lastIndexOf('/') + 1))
    const directory = parseDirectory(dirname(file.path))
    if (parsed.kind !== 'parsed' || directory.kind !== 'directory') return true
    if (placementIn(dirname(file.path)).isMisplaced(parsed)) misplaced.push(file.path)
    return parsed.startSeconds !== file.startSeconds || parsed.type !== file.type
  })
  t.strictSame(wrong, [])
  t.strictSame(
    misplaced.map((path) => path.slice(0, 30)),
    Array(2).fill('obs/2026/049/GOPE00CZE_R_20260'),
  )
  t.equal(new Set(all.map(({ path }) => path)).size, all.length, 'no path twice')
  t.strictSame(
    new Set(all.flatMap(({ fault }) => fault ?? [])),
    new Set(['cut', 'changed', 'unfinished', 'torn', 'half', 'mislabelled']),
  )
  t.equal(all.filter(({ fault }) => fault !== undefined).length, 6)
})

t.test('it has two years of days, twenty days of hours, and both forms of names', async (t) => {
  const dates = (of: string) =>
    all.filter(({ period }) => period === of).map(({ startSeconds }) => startSeconds)
  const oldest = (period: string) => (startedAt - Math.min(...dates(period))) / day
  t.ok(oldest('01D') > 729 && oldest('01D') < 732)
  t.ok(oldest('01H') > 19 && oldest('01H') < 21)
  t.ok(all.length > 25_000 && all.length < 50_000, String(all.length))
  for (const path of [
    'obs/2026/059/GRAZ00AUT_R_20260590000_01D_30S_MO.crx.gz',
    'obs/2024/310/zimm3100.24d.gz',
    'stations/SOFI/2026/sofi0590.26d.Z',
    'stations/SOFI/2026/sofi0590.26n.Z',
    'stations/SOFI/2024/sofi3100.24d.Z',
    'stations/PENC00HUN/2026/PENC00HUN_R_20260590000_01D_30S_MO.crx.gz',
  ])
    t.ok(
      all.some((file) => file.path === path),
      path,
    )
})

/** Hours since the last hourly file of a station began. */
function silence(station: string, now: number): number {
  const starts = filesArriving(0, now, startedAt)
    .filter(({ path, period }) => path.includes(`/${station}`) && period === '01H')
    .map(({ startSeconds }) => startSeconds)
  return (now - Math.max(...starts)) / hour
}

t.test('one station is dead, a country has stopped, the others go on', async (t) => {
  for (const now of [startedAt, startedAt + 3 * hour]) {
    const later = (now - startedAt) / hour
    t.ok(silence('GRAZ', now) < 2.1)
    for (const code of ['TRDS', 'TROM', 'NYA1'])
      t.ok(Math.abs(silence(code, now) - later - 7) < 0.5, `${code}: ${silence(code, now)}`)
    t.ok(silence('MATE', now) > 9 * 24)
  }
  const share = all.filter(({ path }) => path.includes('BRUX')).length
  t.ok(share / all.filter(({ path }) => path.includes('GRAZ')).length < 0.85, 'one is flaky')
})

t.test('files arrive once, in order, however often one asks', async (t) => {
  const until = startedAt + 2 * hour
  const parts = []
  for (let from = startedAt; from < until; from += 7)
    parts.push(...filesArriving(from, Math.min(from + 7, until), startedAt))
  const whole = filesArriving(startedAt, until, startedAt)
  t.strictSame(parts, whole)
  t.strictSame(
    whole,
    whole.toSorted((a, b) => a.arrivesAt - b.arrivesAt),
  )
  const pauses = whole.map(
    ({ arrivesAt }, index) => arrivesAt - (whole[index - 1] ?? { arrivesAt }).arrivesAt,
  )
  t.ok(Math.max(...pauses) < 300, 'one every few minutes')
  t.ok(filesArriving(startedAt - 40 * 60, startedAt, startedAt).length > 15, 'and many at first')
})

t.test('every station has a place', async (t) => {
  const path = join(testFolder(t), 'stations.csv')
  writeFileSync(path, stationsCsv())
  const { places, faults } = readStationsFile(path)
  t.strictSame(faults, [])
  t.strictSame(
    places.map(({ code, name }) => [code, name]),
    demoStations.map(({ code, name }) => [code, name]),
  )
})

t.test('the hours of one station come six at once', async (t) => {
  const own = all.filter(({ path }) => /HOFN.*_01H_.*MO/.test(path))
  const batches = Map.groupBy(own, ({ arrivesAt }) => Math.floor(arrivesAt / (6 * hour)))
  const sizes = Array.from(batches.values(), ({ length }) => length)
  t.ok(sizes.length > 70)
  t.strictSame([...new Set(sizes.slice(1, -1))], [6])
  const late = own.map(({ arrivesAt, startSeconds }) => arrivesAt - startSeconds - hour)
  t.ok(Math.max(...late) > 5 * hour && Math.min(...late) < hour)
})

t.test('one station got another code, and its old one has ended', async (t) => {
  const days = (code: string) =>
    all
      .filter(({ path, period }) => path.includes(code) && period === '01D')
      .map(({ startSeconds }) => Math.round((startedAt - startSeconds) / day))
  const [old, renamed] = [days('HERS'), days('HERT')]
  t.ok(Math.min(...old) > 90 && Math.max(...old) > 700)
  t.equal(Math.max(...renamed), Math.min(...old) - 1)
})

t.test('its past has 104 days: what arrived, and what was purged since', async (t) => {
  const stored = (files: typeof all) =>
    files.map((file) => ({ ...file, modifiedAt: file.arrivesAt, size: 1 }))
  const [kept, purged] = [stored(all), stored(purgedFiles(startedAt))]
  const past = pastTimes({ kept, purged }, startedAt)
  t.equal(past.length, 103 + 24, 'days, and the hours of the last one')
  t.equal(past.at(-1)?.endsAt, startedAt)
  const files = past.flatMap((day) => day.files)
  t.equal(new Set(files.map(({ path }) => path)).size, kept.length + purged.length)
  const since = watchedSince(startedAt)
  for (const { path, arrivesAt, isSeen } of files) if (isSeen !== arrivesAt >= since) t.fail(path)
  // Each hour is there: purged, or kept.
  const hours = new Set(
    [...purgedFiles(startedAt), ...all]
      .filter(({ path }) => /GRAZ.*_01H_.*MO/.test(path))
      .map(({ startSeconds }) => startSeconds / hour),
  )
  const last = Math.max(...hours)
  t.equal(last - Math.min(...hours) + 1, hours.size)
  t.ok(hours.size > 103 * 24)
  // A directory is removed twenty days after its files came, and has none that are kept.
  const gone = past.flatMap((day) => day.purged)
  t.equal(new Set(gone).size, gone.length)
  t.strictSame(gone.toSorted(), [...new Set(purged.map(({ path }) => dirname(path)))].sort())
  t.notOk(kept.some(({ path }) => gone.includes(dirname(path))))
})
