/** Filters in words: a table of cases, and hostile values. */
import t from '../../tap.ts'
import { filterWords, headline } from '../../../src/api/files/filter-words.ts'
import { readListRequest } from '../../../src/api/files/list-request.ts'
import { fc } from '../../random.ts'
import { filterParameters } from '../../../src/api/parameters/file-filters.ts'

type Query = Parameters<typeof readListRequest>[0]

const words = (query: Query): string =>
  filterWords(readListRequest(query, 1000, 'json').filter).join(', ')

const cases: readonly (readonly [Query, string])[] = [
  [{}, ''],
  [{ station: 'graz' }, 'GRAZ'],
  [{ station: 'graz,WTZR00DEU' }, 'GRAZ or WTZR00DEU'],
  [{ station: 'aaaa,bbbb,cccc' }, 'AAAA, BBBB or CCCC'],
  [{ station: 'aaaa,bbbb,cccc,dddd,eeee' }, 'AAAA, BBBB, CCCC and 2 more stations'],
  [{ country: 'AUT' }, 'Austria'],
  [{ country: 'DEU,CHE' }, 'Germany or Switzerland'],
  [{ country: 'XKX' }, 'Kosovo'],
  [
    { station: 'graz', file_type: 'o', startDate: '2026-01', endDate: '2026-01' },
    'GRAZ, observation, January 2026',
  ],
  [{ file_duration: 'd' }, 'day files'],
  [{ file_duration: 'm,h' }, 'minute files or hour files'],
  [{ file_version: 'r2', area: 'obs' }, 'short names, obs'],
  [{ file_type: 'o', fileType: 'nav' }, 'no types'],
  [{ interval: '30s', content: 'mo', source: 'R' }, '30S, MO, from receivers'],
  [{ problem: 'broken,incomplete' }, 'broken or incomplete'],
  [{ year: '2026' }, '2026'],
  [{ year: '2024,2025,2026' }, '2024 to 2026'],
  [{ year: '2024,2026' }, '2024 or 2026'],
  [{ date: '2026-01-22' }, '22 January 2026'],
  [{ date: '2024-02' }, 'February 2024'],
  [{ doy: '2026-365' }, '31 December 2026'],
  [{ date: '2026-01-22,2026-01-23,2026-02-01' }, '22 to 23 January 2026 or 1 February 2026'],
  [{ startDate: '2026-01-22', endDate: '2026-02-03' }, '22 January to 3 February 2026'],
  [{ startDate: '2025-12-30', endDate: '2026-01-03' }, '30 December 2025 to 3 January 2026'],
  [{ startDate: '2025-11', endDate: '2026-01' }, 'November 2025 to January 2026'],
  [{ startDate: '2026-01', endDate: '2026-03' }, 'January to March 2026'],
  [{ startDate: '2026', endDate: '2026' }, '2026'],
  [{ startDate: '2026-01-22' }, 'from 22 January 2026'],
  [{ endDate: '2026-01-22' }, 'until 22 January 2026'],
  [{ endDate: '2026-01-22T05:13' }, 'until 22 January 2026 05:13'],
  [{ covers: '2026-03-03T05:13' }, 'at 3 March 2026 05:13'],
  [{ covers: '2026-03-03T05:13:07' }, 'at 3 March 2026 05:13:07'],
  [{ covers: '2026-03-03' }, 'at 3 March 2026'],
  [{ overlaps: '../..' }, ''],
  [{ overlaps: '../2026-01-22' }, 'until 22 January 2026'],
  [{ data_date__gte: '2026-01-22', data_date__lt: '2026-01-24' }, 'data 22 to 23 January 2026'],
  [{ created__gte: '2026-01-22' }, 'arrived from 22 January 2026'],
  [{ created__lt: '2026-01-22' }, 'arrived until 21 January 2026'],
  [{ modified__gt: '2026-01-22T05:00' }, 'modified from 22 January 2026 05:00'],
  [{ filename: 'X' }, 'named “x”'],
  [
    { filename__startswith: 'graz', filename__contains: '_MO' },
    'name begins with “graz”, name contains “_mo”',
  ],
  [{ filename__contains: 'x'.repeat(100) }, `name contains “${'x'.repeat(60)}…”`],
  [{ id__gt: '5', id__lt: '9' }, 'records above 5, records below 9'],
]

t.test('a filter in words', async (t) => {
  for (const [query, wanted] of cases) t.equal(words(query), wanted, JSON.stringify(query))
})

t.test('a headline has the count, and the sizes as far as they are known', async (t) => {
  const of = (filter: object, count: number, sizes?: { bytes: number; sized: number }) =>
    headline({ filter, count, sizes })
  t.equal(of({}, 222_108, { bytes: 34.1e9, sized: 222_108 }), 'All 222,108 files, 34.1 GB')
  t.equal(of({}, 0, { bytes: 0, sized: 0 }), 'No files')
  t.equal(of({}, 1, { bytes: 1, sized: 1 }), 'All 1 file, 1 byte')
  const graz = { stations: ['GRAZ'] }
  t.equal(of(graz, 31, { bytes: 12.3e6, sized: 31 }), 'GRAZ: 31 files, 12.3 MB')
  t.equal(of(graz, 31, { bytes: 12.3e6, sized: 30 }), 'GRAZ: 31 files, at least 12.3 MB')
  t.equal(of(graz, 31, { bytes: 0, sized: 0 }), 'GRAZ: 31 files')
  t.equal(of(graz, 31), 'GRAZ: 31 files')
  t.equal(of(graz, 0, { bytes: 0, sized: 0 }), 'GRAZ: 0 files')
})

t.test('every valid filter has words of limited length', async (t) => {
  const hostile = [
    '<script>',
    '"\'&',
    '\0',
    '\u202e',
    '\ud800',
    '9'.repeat(400),
    '../..',
    '0000-01-01',
    '9999-12-31',
    '0000',
    '9999',
    '2026-01-01/..',
  ]
  const value = fc.oneof(fc.constantFrom(...hostile), fc.string())
  const query = fc.dictionary(fc.constantFrom(...filterParameters.keys()), value, { maxKeys: 4 })
  let known = 0
  fc.assert(
    fc.property(query, (query) => {
      let filter
      try {
        filter = readListRequest(query, 1000, 'json').filter
      } catch {
        return true
      }
      known++
      const found = filterWords(filter)
      return found.every((text) => text.length < 500 && !/undefined|NaN/.test(text))
    }),
    { numRuns: 3000 },
  )
  t.ok(known > 200, `${known} valid filters`)
})
