import { parseTimeUs } from '../../src/parse/calendar.ts'
import { dayToIso, parseDay, parseDays } from '../../src/parse/calendar.ts'
import { fc } from '../random.ts'
import t from '../tap.ts'

const secondsPerDay = 86_400

t.test('a date is parsed into days since 1970, other texts into undefined', async (t) => {
  const cases: Readonly<Record<string, number | undefined>> = {
    '1970-01-01': 0,
    '1969-12-31': -1,
    '2026-01-22': 20_475,
    '2024-02-29': 19_782,
    '2000-02-29': 11_016,
    '0000-01-01': -719_528,
    '0000-02-29': -719_469,
    '9999-12-31': 2_932_896,
    '2023-02-29': undefined,
    '1900-02-29': undefined,
    '2026-02-30': undefined,
    '2026-04-31': undefined,
    '2026-13-01': undefined,
    '2026-00-10': undefined,
    '2026-01-00': undefined,
    '2026-1-22': 20_475,
    '2026-01-2': 20_455,
    '20260122': 20_475,
    '20260230': undefined,
    '22.1.2026': 20_475,
    '22.01.2026': 20_475,
    '1.22.2026': undefined,
    '22.1.26': undefined,
    '2026-122': 20_575,
    '2026-1-': undefined,
    '2026-0122': undefined,
    '202601-22': undefined,
    '-2026-01-01': undefined,
    '+002026-01-01': undefined,
    '2026-01-01\n': undefined,
    ' 2026-01-01': undefined,
    '2026-01-01Z': undefined,
    '２０２６-01-01': undefined,
    '': undefined,
  }
  for (const [text, day] of Object.entries(cases)) t.equal(parseDay(text), day, text)
})

t.test('a day, a month or a year has a first and a last day', async (t) => {
  const cases: Readonly<Record<string, readonly [string, string] | undefined>> = {
    '2026-01-22': ['2026-01-22', '2026-01-22'],
    '2026-022': ['2026-01-22', '2026-01-22'],
    '2026-01': ['2026-01-01', '2026-01-31'],
    '2026-2': ['2026-02-01', '2026-02-28'],
    '2024-02': ['2024-02-01', '2024-02-29'],
    '2026-12': ['2026-12-01', '2026-12-31'],
    '2024': ['2024-01-01', '2024-12-31'],
    '9999': ['9999-01-01', '9999-12-31'],
    '2026-13': undefined,
    '2026-0': undefined,
    '202601': undefined,
    '26': undefined,
    '2026-': undefined,
    '': undefined,
  }
  for (const [text, days] of Object.entries(cases)) {
    const found = parseDays(text)
    t.strictSame(found && [dayToIso(found.from), dayToIso(found.to)], days, text)
  }
})

t.test('a date may be written with the day of the year', async (t) => {
  const cases: Readonly<Record<string, number | undefined>> = {
    '1970-001': 0,
    '2026-022': 20_475,
    '2024-366': 20_088,
    '2023-365': 19_722,
    '2023-366': undefined,
    '2026-000': undefined,
    '2026-367': undefined,
    '2026-22': undefined,
    '2026-0022': undefined,
    '2026022': 20_475,
    '2023366': undefined,
    '2026/022': undefined,
    '': undefined,
  }
  for (const [text, day] of Object.entries(cases)) t.equal(parseDay(text), day, text)
})

t.test('times are parsed in all accepted forms', async (t) => {
  const cases: Readonly<Record<string, string>> = {
    '2026-01-22': '2026-01-22T00:00:00.000000',
    '2026-01-22T05:06': '2026-01-22T05:06:00.000000',
    '2026-01-22 05:06': '2026-01-22T05:06:00.000000',
    '2026-01-22t05:06:07z': '2026-01-22T05:06:07.000000',
    '2026-01-22T05:06:07.5Z': '2026-01-22T05:06:07.500000',
    '2026-01-22T05:06:07,5Z': '2026-01-22T05:06:07.500000',
    '2026-01-22T05:06:07.000008Z': '2026-01-22T05:06:07.000008',
    '2026-01-22T05:06:07.000008999Z': '2026-01-22T05:06:07.000008',
    '2026-01-22T05:06:07+02:00': '2026-01-22T03:06:07.000000',
    '2026-01-22T05:06:07 02:00': '2026-01-22T03:06:07.000000',
    '2026-01-22T05:06:07+0200': '2026-01-22T03:06:07.000000',
    '2026-01-22T05:06:07+02': '2026-01-22T03:06:07.000000',
    '2026-01-22T05:06-05:30': '2026-01-22T10:36:00.000000',
    '2026-01-22T00:00:00+23:59': '2026-01-21T00:01:00.000000',
    '2026-01-22T05:06:07-00:00': '2026-01-22T05:06:07.000000',
    '1969-12-31T23:59:59.999999': '1969-12-31T23:59:59.999999',
    '0000-01-01T00:00Z': '0000-01-01T00:00:00.000000',
    '2026-022T05:06:07Z': '2026-01-22T05:06:07.000000',
    '2026022T05:06': '2026-01-22T05:06:00.000000',
    '20260122T050607Z': '2026-01-22T05:06:07.000000',
    '20260122T050607.25Z': '2026-01-22T05:06:07.250000',
    '20260122T0506+0200': '2026-01-22T03:06:00.000000',
    '2026-01-22T05': '2026-01-22T05:00:00.000000',
    '2026-01-22T00Z': '2026-01-22T00:00:00.000000',
    '22.1.2026 05:06': '2026-01-22T05:06:00.000000',
    '2026-01-22T24:00': '2026-01-23T00:00:00.000000',
    '2026-12-31T24:00:00Z': '2027-01-01T00:00:00.000000',
    '2016-12-31T23:59:60Z': '2017-01-01T00:00:00.000000',
    '2026-01-22T05:06:60.5': '2026-01-22T05:07:00.500000',
  }
  for (const [text, iso] of Object.entries(cases)) {
    const [seconds = '', fraction] = iso.split('.')
    t.equal(parseTimeUs(text), Date.parse(`${seconds}Z`) * 1000 + Number(fraction), text)
  }
})

t.test('texts in other forms are not accepted as times', async (t) => {
  const cases = [
    '2026-02-30T00:00',
    '2026-01-22T23:60',
    '2026-01-22T5:06',
    '2026-01-22T',
    '2026-01-22T05:06:07.',
    '2026-01-22T05:06.5',
    '2026-01-22T05:06:07.1234567890',
    '2026-01-22T05:06:07+24:00',
    '2026-01-22T05:06:07+02:60',
    '2026-01-22T05:06:07+2',
    '2026-01-22T05:06:07+020',
    '2026-01-22T05:06:07Z+02:00',
    '2026-01-22T05:06:07 UTC',
    '2026-01-22_05:06',
    '2026-01-22T24:01',
    '2026-01-22T24:00:00.1',
    '2026-01-22T25',
    '2026-01-22T23:59:61',
    '2026-01-22T05:0607',
    '2026-01-22T0506:07',
    '2026-01T05:06',
    '2026T05',
    '1769058367',
    'now',
    '..',
    '',
  ]
  for (const text of cases) t.equal(parseTimeUs(text), undefined, text)
})

t.test('any date is parsed alike as a date and as a day of the year', async () => {
  fc.assert(
    fc.property(fc.integer({ min: -719_528, max: 2_932_896 }), (day) => {
      const date = new Date(day * secondsPerDay * 1000)
      const text = date.toISOString().slice(0, 10)
      const start = Date.parse(`${text.slice(0, 4)}-01-01T00:00:00Z`) / 1000 / secondsPerDay
      const ofYear = `${text.slice(0, 4)}-${String(day - start + 1).padStart(3, '0')}`
      return (
        parseDay(text) === day &&
        parseDay(ofYear) === day &&
        parseTimeUs(text) === day * secondsPerDay * 1e6
      )
    }),
    { numRuns: 2000 },
  )
})

t.test('any text is parsed into a finite number or into undefined', async () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: fc.constantFrom('0', '1', '2', '9', '-', ':', '.', 'T', 'Z', '+', ' ') }),
      ),
      (text) =>
        [parseDay, parseTimeUs].every((parse) => {
          const value = parse(text)
          return value === undefined || Number.isFinite(value)
        }),
    ),
    { numRuns: 5000 },
  )
})
