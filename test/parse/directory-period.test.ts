import { periodOfDirectory } from '../../src/parse/directory-period.ts'
import { fc } from '../random.ts'
import t from '../tap.ts'

const second = (iso: string): number => Date.parse(iso) / 1000
const [hour, day] = [3600, 86_400]
const now = second('2026-06-15T12:00Z')

t.test('the path of a directory names a year, month, day or hour', async (t) => {
  const cases: [path: string, start: string, span: number][] = [
    ['obs/2026', '2026-01-01T00:00Z', 365 * day],
    ['obs/2024', '2024-01-01T00:00Z', 366 * day],
    ['obs/GRAZ/2026', '2026-01-01T00:00Z', 365 * day],
    ['2026/GRAZ', '2026-01-01T00:00Z', 365 * day],
    ['obs/2026/001', '2026-01-01T00:00Z', day],
    ['obs/1996/060', '1996-02-29T00:00Z', day],
    ['obs/2026/366', '2026-01-01T00:00Z', 365 * day],
    ['obs/GRAZ/2026/d001/late', '2026-01-01T00:00Z', day],
    ['pub/20260613', '2026-06-13T00:00Z', day],
    ['pub/26167', '2026-06-16T00:00Z', day],
    ['pub/2026/26164', '2026-06-13T00:00Z', day],
    ['pub/2026/26164/23', '2026-06-13T23:00Z', hour],
    ['nrt/2026/164/23', '2026-06-13T23:00Z', hour],
    ['nrt/2026/164/x/GRAZ', '2026-06-13T23:00Z', hour],
    ['nrt/2026/164/24', '2026-06-13T00:00Z', day],
    ['pub/2024/Feb', '2024-02-01T00:00Z', 29 * day],
    ['pub/2025/12', '2025-12-01T00:00Z', 31 * day],
    ['pub/2025/12/31', '2025-12-31T00:00Z', day],
    ['obs/2027/001', '2027-01-01T00:00Z', day],
  ]
  for (const [path, start, spanSeconds] of cases) {
    const expected = { startSeconds: second(start), spanSeconds, isRelative: false }
    t.strictSame(periodOfDirectory(path, now), expected, path)
  }
})

t.test('of several the latest that begins at most two days ahead', async (t) => {
  const cases: [path: string, start: string][] = [
    ['obs/2006/2024/101', '2024-04-10T00:00Z'],
    ['obs/2030/2024/101', '2024-04-10T00:00Z'],
    ['pub/26164', '2026-06-13T00:00Z'],
    ['pub/23103/13', '2024-04-17T13:00Z'],
    ['obs/166', '2026-06-15T00:00Z'],
    ['obs/doy166', '2026-06-15T00:00Z'],
    ['obs/168', '2026-06-17T00:00Z'],
    ['obs/169', '2025-06-18T00:00Z'],
    ['obs/366/GRAZ', '2024-12-31T00:00Z'],
    ['nrt/166/13', '2026-06-15T13:00Z'],
    ['nrt/GRAZ/168/13', '2025-06-17T13:00Z'],
  ]
  for (const [path, start] of cases)
    t.match(
      periodOfDirectory(path, now),
      { startSeconds: second(start), isRelative: true },
      `${path}: ${start}`,
    )
})

t.test('other paths name none', async (t) => {
  const none = 'obs|nrt/GRAZ|obs/26|obs/year|obs/000|obs/367|obs/Apr/10|obs/04/10||obs/GRAZ/daily'
  for (const path of none.split('|')) t.equal(periodOfDirectory(path, now), undefined, `"${path}"`)
})

t.test('a day without a year is the latest one, at any time', async () => {
  fc.assert(
    fc.property(
      fc.integer({ min: second('1990-01-01'), max: second('2070-01-01') }),
      fc.integer({ min: 1, max: 366 }),
      (at, number) => {
        const { startSeconds = NaN } =
          periodOfDirectory(`obs/${String(number).padStart(3, '0')}`, at) ?? {}
        const date = new Date(startSeconds * 1000)
        const isThatDay = (startSeconds - Date.UTC(date.getUTCFullYear(), 0) / 1000) / day + 1
        const longest = number === 366 ? 8 * 366 : 366
        return (
          isThatDay === number &&
          startSeconds <= at + 2 * day &&
          startSeconds > at + 2 * day - longest * day
        )
      },
    ),
  )
})
