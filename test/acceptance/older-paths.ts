/**
 * Paths of the original service and what the example configurations of nginx and Apache make of
 * them.
 */

/** Older paths below `/rinex/data/`, with their present paths on 22 January 2026. */
export const rewritten: Readonly<Record<string, string>> = {
  'obs_v3/2026/022/x.gz': 'obs/2026/022/x.gz',
  'obs_v3/': 'obs/',
  obs_v3: 'obs',
  'obs_v3?format=json': 'obs?format=json',
  'obs_v3/?x=/data/obs_v3/': 'obs/?x=/data/obs_v3/',
  'nrt/022/05/x.gz': 'nrt/2026/022/05/x.gz',
  'nrt/022/05/?format=json': 'nrt/2026/022/05/?format=json',
  'nrt/022': 'nrt/2026/022',
}

/** Paths below `/rinex/data/` that are similar and stay unchanged. */
export const unchanged = [
  ...['obs_v3x/2026/', 'obs_v30/', 'xobs_v3/', 'obs/obs_v3/', 'obs_v3%2F2026/', 'OBS_V3/', 'nrt/'],
  ...['nrt/2026/022/05/', 'nrt/22/05/', 'nrt/0220/', 'nrt/02a/', 'obs/022/05/'],
  ...['nrt/%30%32%32/05/', '?x=/rinex/data/obs_v3/', 'x/nrt/022/05/'],
]

/** The year of an hourly path without one: of the date of the request, or of the year before. */
export const years: readonly (readonly [date: string, day: string, year: string])[] = [
  ['2026-01-22', '022', '2026'],
  ['2026-01-22', '365', '2026'],
  ['2026-12-31', '365', '2026'],
  ['2026-12-31', '001', '2026'],
  ['2027-01-01', '365', '2026'],
  ['2027-01-01', '001', '2027'],
  ['2027-01-01', '300', '2027'],
  ['2027-01-01', '301', '2026'],
  ['2027-01-07', '309', '2026'],
  ['2027-01-08', '365', '2027'],
  ['2027-02-07', '365', '2027'],
  ['2029-01-01', '366', '2028'],
  ['2030-01-01', '365', '2029'],
  ['2040-01-02', '365', '2039'],
  ['2099-01-01', '365', '2098'],
]
