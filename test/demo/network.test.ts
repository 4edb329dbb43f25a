/** Which files of the demo arrive when. */
import { dirname } from 'node:path'
import { filesArriving } from '../../src/demo/network.ts'
import { isMisplaced, parseDirectory } from '../../src/parse/archive-path.ts'
import { parseFilename } from '../../src/parse/filename.ts'
import t from '../tap.ts'

const startedAt = Date.parse('2026-03-01T10:20:30Z') / 1000
const hour = 3600
const day = 24 * hour
const all = filesArriving(0, startedAt, startedAt)

t.test('every name is that of its data, and two files are misplaced', async (t) => {
  const misplaced: string[] = []
  const wrong = all.filter((file) => {
    const parsed = parseFilename(file.path.slice(file.path.lastIndexOf('/') + 1))
    const directory = parseDirectory(dirname(file.path))
    if (parsed.kind !== 'parsed' || directory.kind !== 'directory') return true
    if (isMisplaced(parsed, directory)) misplaced.push(file.path)
    return parsed.startSeconds !== file.startSeconds || parsed.type !== file.type
  })
  t.strictSame(wrong, [])
  t.strictSame(
    misplaced.map((path) => path.slice(0, 30)),
    Array(2).fill('obs/2026/049/GOPE00CZE_R_20260'),
  )
  t.equal(new Set(all.map(({ path }) => path)).size, all.length, 'no path twice')
  t.equal(all.filter(({ damage }) => damage !== undefined).length, 2)
})

t.test('it has two years of days, twenty days of hours, and both forms of names', async (t) => {
  const dates = (of: string) =>
    all.filter(({ period }) => period === of).map(({ startSeconds }) => startSeconds)
  const oldest = (period: string) => (startedAt - Math.min(...dates(period))) / day
  t.ok(oldest('01D') > 729 && oldest('01D') < 732)
  t.ok(oldest('01H') > 19 && oldest('01H') < 21)
  t.ok(all.length > 25_000 && all.length < 40_000, String(all.length))
  for (const name of ['GRAZ00AUT_R_20260590000_01D_30S_MO.rnx.gz', 'zimm3100.24o.gz'])
    t.ok(
      all.some(({ path }) => path.endsWith(`/${name}`)),
      name,
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
