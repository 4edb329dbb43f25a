/** The headline of the list: its filters in words, and its size. */
import { headline } from '../../../src/api/files/page.ts'
import { filterWords } from '../../../src/api/pages/active-filters.ts'
import { fileFilters } from '../../../src/api/parameters/file-filters.ts'
import { defaultLayout } from '../../../src/parse/layout.ts'
import { fc } from '../../random.ts'
import t from '../../tap.ts'

const filterParameters = fileFilters(defaultLayout)

const words = (query: Readonly<Record<string, string>>): string =>
  filterWords(Object.entries(query), filterParameters)

const cases: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
  [{}, ''],
  [{ station: 'graz' }, 'GRAZ'],
  [{ station: 'graz,WTZR00DEU' }, 'GRAZ, WTZR00DEU'],
  [{ country: 'DEU,che' }, 'Germany, Switzerland'],
  [
    { endDate: '2026-02', file_type: 'o', startDate: '2026-01', station: 'graz' },
    'GRAZ, from January 2026, to February 2026, observation',
  ],
  [{ file_duration: 'd' }, 'day'],
  [{ file_version: 'r2', area: 'obs' }, 'short names, obs'],
  [{ rinexVersion: '3', filePeriod: '24h', fileType: 'NAV' }, 'long names, day, navigation'],
  [{ rinexVersion: 'all' }, 'all'],
  [{ interval: '30s', content: 'mo', source: 'R' }, '30S, MO, from receivers'],
  [{ problem: 'broken,incomplete' }, 'damaged, incomplete'],
  [{ year: '2026' }, '2026'],
  [{ date: '2026-01-22' }, '22 Jan 2026 (022)'],
  [{ date: '2024-02' }, 'February 2024'],
  [{ doy: '2026-365' }, '31 Dec 2026 (365)'],
  [{ endDate: '2026-01-22T05:13' }, 'to 22 Jan 2026 05:13'],
  [{ covers: '2026-03-03T05:13:07' }, 'covers the time 3 Mar 2026 05:13:07'],
  [{ overlaps: '../2026-01-22' }, 'overlaps .. to 22 Jan 2026 (022)'],
  [
    { data_date__gte: '2026-01-22', data_date__lt: '2026-01-24' },
    'data date from 22 Jan 2026 (022), data date before 24 Jan 2026 (024)',
  ],
  [{ created__gte: '2026' }, 'listed since 2026'],
  [{ created__gt: '2026' }, 'created after 2026'],
  [{ filename: 'X' }, 'filename X'],
  [{ filename__startswith: 'graz' }, 'filename begins with graz'],
  [{ filename__contains: 'x'.repeat(100) }, `name contains ${'x'.repeat(60)}…`],
  [{ id__gt: '5', id__lt: '9' }, 'id after 5, id before 9'],
  [{ flag: 'short', share__lt: '0.5' }, 'short, share below 0.5'],
  [{ station: 'graz', ordering: 'id', expand: 'file' }, 'GRAZ'],
]

t.test('filters in words', async (t) => {
  for (const [query, wanted] of cases) t.equal(words(query), wanted, JSON.stringify(query))
  const many = Array.from({ length: 21 }, () => ['station', 'graz'] as const)
  t.equal(filterWords(many, filterParameters), '21 filters')
})

t.test('every value has words of limited length', async () => {
  const hostile = [
    '<script>',
    '\0',
    '\u202e',
    '\ud800',
    '9'.repeat(400),
    '0000-01-01',
    '9999',
    '//',
  ]
  const value = fc.oneof(fc.constantFrom(...hostile), fc.string())
  const query = fc.dictionary(fc.constantFrom(...filterParameters.keys()), value, { maxKeys: 4 })
  fc.assert(
    fc.property(query, (query) => words(query).length < 500 && !/undefined|NaN/.test(words(query))),
    { numRuns: 3000 },
  )
})

t.test('a headline has the count, and the sum of the sizes if it was counted', async (t) => {
  t.equal(headline('', 222_108, 34.1e9), 'All 222,108 files, 34.1 GB')
  t.equal(headline('', 0, 0), 'No files')
  t.equal(headline('', 1, 1), 'All 1 file, 1 byte')
  t.equal(headline('GRAZ', 31, 12.3e6), 'GRAZ: 31 files, 12.3 MB')
  t.equal(headline('GRAZ', 31, undefined), 'GRAZ: 31 files')
})
