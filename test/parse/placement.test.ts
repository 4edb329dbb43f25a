import { gpsWeekOf } from '../../src/parse/calendar.ts'
import { parseFilename } from '../../src/parse/filename.ts'
import { datesOfPath } from '../../src/parse/path-dates.ts'
import { placementIn } from '../../src/parse/placement.ts'
import { fc } from '../random.ts'
import { nameOf, startOf } from '../rinex-names.ts'
import t from '../tap.ts'

const days = (...dates: string[]): number[] => dates.map((date) => Date.parse(date) / 86_400_000)

interface Case {
  readonly years?: number[]
  readonly month?: [number: number, weak?: 'weak']
  readonly days?: number[]
  readonly hours?: number[]
}

/** What paths say that name no station. */
const paths: Record<string, Case> = {
  '': {},
  obs: {},
  'obs/2024': { years: [2024] },
  'obs/1979': {},
  'obs/2080': {},
  'obs/y2024': { years: [2024] },
  'REFDATA.99': { years: [1999] },
  'obs/2024/101': { years: [2024], days: days('2024-04-10') },
  'obs/2023/366': { years: [2023] },
  'obs/2024/366/23': { years: [2024], days: days('2024-12-31'), hours: [23] },
  'obs/2024/d101': { years: [2024], days: days('2024-04-10') },
  'obs/2024/DOY101': { years: [2024], days: days('2024-04-10') },
  'obs/2024/day_101/13': { years: [2024], days: days('2024-04-10'), hours: [13] },
  'obs/2024/dog101': { years: [2024] },
  'obs/2024/24d': { years: [2024] },
  'nrt/2024/101/05': { years: [2024], days: days('2024-04-10'), hours: [5] },
  'nrt/2024/101/24': { years: [2024], days: days('2024-04-10') },
  'nrt/2024/101/f/30': { years: [2024], days: days('2024-04-10'), hours: [5] },
  'nrt/2024/101/F': { years: [2024], days: days('2024-04-10'), hours: [5] },
  // Letters of types: what is below a day by type is of all hours.
  'jaxa/2024/101/d': { years: [2024], days: days('2024-04-10') },
  'jaxa/2024/101/O': { years: [2024], days: days('2024-04-10') },
  'nrt/101/05': {},
  'daily/2024101': { years: [2024], days: days('2024-04-10') },
  'daily/2024-101/13': { years: [2024], days: days('2024-04-10'), hours: [13] },
  'daily/20240410': { years: [2024], days: days('2024-04-10') },
  'daily/2024_04_10': { years: [2024], days: days('2024-04-10') },
  'daily/2024.04-10': {},
  'daily/20261301': {},
  'daily/2023366': {},
  // A whole day replaces year and month that came before it.
  '2020/Apr/2024101': { years: [2024], days: days('2024-04-10') },
  'daily/24107': { days: days('2024-04-16') },
  'daily/24107/13': { days: days('2024-04-16'), hours: [13] },
  'daily/2024/24101/13': { years: [2024], days: days('2024-04-10'), hours: [13] },
  'daily/2023/24101': { years: [2023] },
  // It may also be the day of a GPS week.
  'daily/23103': { days: days('2023-04-13', '2024-04-17') },
  'daily/23103/13': { days: days('2023-04-13', '2024-04-17'), hours: [13] },
  // The number of a site looks like a day until a year follows.
  '92110/05/2024/101': { years: [2024], days: days('2024-04-10') },
  '92110/2024101': { years: [2024], days: days('2024-04-10') },
  '2024/92110': { years: [2024] },
  '2024/Apr': { years: [2024], month: [4] },
  '2024/april/10': { years: [2024], month: [4], days: days('2024-04-10') },
  '2024/04_april/10': { years: [2024], month: [4], days: days('2024-04-10') },
  '2024/04-Apr': { years: [2024], month: [4] },
  '2024/05-Apr': { years: [2024] },
  '2024/SEPT': { years: [2024], month: [9] },
  'RefData.24/Month.Apr/Day.10': { years: [2024], month: [4], days: days('2024-04-10') },
  '2024/Mar': { years: [2024], month: [3] },
  '2024/MAR': { years: [2024] },
  'Apr/2024': { years: [2024] },
  '2024/04': { years: [2024], month: [4, 'weak'] },
  '2024/13': { years: [2024] },
  '2024/rinex/04': { years: [2024] },
  '2024/04/10/13': { years: [2024], month: [4, 'weak'], days: days('2024-04-10'), hours: [13] },
  '2024/02/30': { years: [2024], month: [2, 'weak'] },
  '2024/02/101': { years: [2024], month: [2, 'weak'], days: days('2024-04-10') },
  // Of several years, days and hours, any may be meant.
  '2006/2024': { years: [2006, 2024] },
  '2023/2024/366': { years: [2023, 2024], days: days('2024-12-31') },
  '2024/101/102': { years: [2024], days: days('2024-04-10', '2024-04-11') },
  '2024/101/05/06': { years: [2024], days: days('2024-04-10'), hours: [5, 6] },
}

t.test('a path names years, months, days and hours', async (t) => {
  for (const [path, { years = [], month, days = [], hours = [] }] of Object.entries(paths)) {
    const found = datesOfPath(path)
    t.strictSame(
      { years: found.years, month: found.month, days: found.days, hours: found.hours },
      { years, month: month && { number: month[0], weak: month[1] === 'weak' }, days, hours },
      path,
    )
  }
})

t.test('what could be a date says nothing where it is the station of the file', async (t) => {
  const cases: [path: string, site: string, Case][] = [
    ['2024/june', 'JUNE', { years: [2024] }],
    ['2024/JUNE00AUT', 'JUNE', { years: [2024] }],
    ['2024/d101', 'D101', { years: [2024] }],
    ['2024/GRAZ/04', 'GRAZ', { years: [2024], month: [4, 'weak'] }],
    ['2024/GRAZ00AUT/04', 'GRAZ', { years: [2024], month: [4, 'weak'] }],
    ['2024/GRAZ/04', 'ZIMM', { years: [2024] }],
    // A station whose code is a year is read as a year.
    ['2006/101', '2006', { years: [2006], days: days('2006-04-11') }],
  ]
  for (const [path, site, { years = [], month, days: found = [] }] of cases) {
    const dates = datesOfPath(path, site)
    t.strictSame(dates.years, years, path)
    t.strictSame(dates.month, month && { number: month[0], weak: month[1] === 'weak' }, path)
    t.strictSame(dates.days, found, path)
  }
})

const isMisplaced = (directory: string, name: string): boolean => {
  const parsed = parseFilename(name)
  if (parsed.kind === 'rejected') throw new Error(name)
  return placementIn(directory).isMisplaced(parsed)
}

t.test('a file is misplaced if its path contradicts its name', async (t) => {
  const daily = 'graz1010.24d.gz'
  const hourly = 'graz101f.24d.gz'
  const cases: [directory: string, name: string, isMisplaced: boolean][] = [
    ['obs/2024/101', daily, false],
    ['obs/2024/102', daily, true],
    ['obs/2023/101', daily, true],
    ['nrt/2024/101/05', hourly, false],
    ['nrt/2024/101/06', hourly, true],
    ['nrt/2024/102/05', hourly, true],
    // The files of a whole day, or of an unknown part of it, may be in the directory of an hour.
    ['nrt/2024/101/06', daily, false],
    ['nrt/2024/101/06', 'graz1011.24d.gz', false],
    ['nrt/2024/101/06', 'GRAZ00AUT_R_20241010500_24H_30S_MO.crx.gz', false],
    ['nrt/2024/101/05', 'GRAZ00AUT_R_20241010545_15M_01S_MO.crx.gz', false],
    ['nrt/2024/101/05', 'GRAZ00AUT_R_20241010500_06H_30S_MO.crx.gz', false],
    ['nrt/2024/101/06', 'GRAZ00AUT_R_20241010500_06H_30S_MO.crx.gz', true],
    ['nrt/2024/101/06', 'GRAZ00AUT_R_20241010500_00U_MN.rnx.gz', false],
    ['obs', daily, false],
    ['obs/reprocessed', daily, false],
    ['obs/2024', daily, false],
    ['obs/2023', daily, true],
    // 10 April 2024 is in GPS week 2309, and no week is a year of the path.
    ['weekly/2309', daily, false],
    // GPS week 2020 was from 23 to 29 September 2018: a number may be a year or a week.
    ['weekly/2020', 'graz2650.18d.gz', true],
    ['weekly/2020', 'graz2660.18d.gz', false],
    ['weekly/2020', 'graz2720.18d.gz', false],
    ['weekly/2020', 'graz2730.18d.gz', true],
    // Day 4 of GPS week 2309 was 11 April 2024.
    ['daily/23094', 'graz0940.23d.gz', false],
    ['daily/23094', 'graz1020.24d.gz', false],
    ['daily/23094', daily, true],
    ['2024/Apr', daily, false],
    ['2024/May', daily, true],
    ['2024/05', daily, true],
    // 05 may also be the day of the month, or the day of the year.
    ['2024/05', 'graz0960.24d.gz', false],
    ['2024/05', 'graz0050.24d.gz', false],
    ['2024/May', 'graz0050.24d.gz', true],
  ]
  for (const [directory, name, expected] of cases)
    t.equal(isMisplaced(directory, name), expected, `${directory}/${name}`)
})

t.test('only a directory that may have the code of a station reads it for each file', async (t) => {
  for (const path of ['obs/2024/101', 'data/daily/2024/101', 'GRAZ/2024/101', '2024/101/graz'])
    t.equal(placementIn(path).perStation, false, path)
  for (const path of ['2024/june', '2024/GRAZ/04', 'JUNE00AUT/2024/june/10'])
    t.equal(placementIn(path).perStation, true, path)
  t.equal(isMisplaced('2024/june', 'june1010.24d.gz'), false)
  t.equal(isMisplaced('2024/june', 'graz1010.24d.gz'), true)
})

const two = (value: number): string => String(value).padStart(2, '0')
const names =
  'January February March April May June July August September October November December'
    .split(' ')
    .map((name, index) => (index === 8 ? ['September', 'Sept', 'sep'] : [name, name.slice(0, 3)]))

/** Parts of a time as a layout may write them. */
interface Time {
  readonly year: number
  readonly dayOfYear: number
  readonly hour: number
}

const dateIn = ({ year, dayOfYear }: Time): Date => new Date(Date.UTC(year, 0, dayOfYear))
const monthIn = (time: Time): number => dateIn(time).getUTCMonth()
const dayIn = (time: Time): string => two(dateIn(time).getUTCDate())
const three = (time: Time): string => String(time.dayOfYear).padStart(3, '0')
const short = ({ year }: Time): string => two(year % 100)
const nameIn = (time: Time, index: number): string => names[monthIn(time)]?.at(index) ?? ''

/** Segments, and the least part of the date that they name; a number alone is a weak month. */
const dateForms: [
  form: (time: Time) => string,
  part: 'none' | 'year' | 'weak month' | 'month' | 'day',
][] = [
  [() => 'rinex', 'none'],
  [({ year }) => `${year}`, 'year'],
  [({ year }) => `y${year}`, 'year'],
  [(time) => `RefData.${short(time)}`, 'year'],
  [(time) => `${time.year}/${two(monthIn(time) + 1)}`, 'weak month'],
  [(time) => `${time.year}/${nameIn(time, 0)}`, 'month'],
  [(time) => `${time.year}/${three(time)}`, 'day'],
  [(time) => `Y${time.year}/d${three(time)}`, 'day'],
  [(time) => `${time.year}/DOY_${three(time)}`, 'day'],
  [(time) => `${time.year}/${two(monthIn(time) + 1)}-${nameIn(time, -1)}/${dayIn(time)}`, 'day'],
  [(time) => `${time.year}/${two(monthIn(time) + 1)}/${three(time)}`, 'day'],
  [(time) => `${time.year}/${two(monthIn(time) + 1)}/${dayIn(time)}`, 'day'],
  [(time) => `${time.year}/${nameIn(time, -1)}/${dayIn(time)}`, 'day'],
  [(time) => `RefData.${short(time)}/Month.${nameIn(time, 1)}/Day.${dayIn(time)}`, 'day'],
  [(time) => `${time.year}${three(time)}`, 'day'],
  [(time) => `${time.year}-${three(time)}`, 'day'],
  [(time) => `${time.year}${two(monthIn(time) + 1)}${dayIn(time)}`, 'day'],
  [(time) => `${time.year}_${two(monthIn(time) + 1)}_${dayIn(time)}`, 'day'],
  [(time) => `${short(time)}${three(time)}`, 'day'],
  [(time) => `${time.year}/${short(time)}${three(time)}`, 'day'],
]

const letters = 'abcdefghijklmnopqrstuvwx'
const hourForms: ((time: Time) => string | undefined)[] = [
  () => undefined,
  ({ hour }) => two(hour),
  ({ hour }) => ('dglmnop'.includes(letters.charAt(hour)) ? two(hour) : letters.charAt(hour)),
]

const times = fc.record({
  year: fc.integer({ min: 1980, max: 2079 }),
  dayOfYear: fc.integer({ min: 1, max: 365 }),
  hour: fc.nat(23),
})

const layouts = fc.record({
  area: fc.constantFrom('obs', 'pub/rinex3', 'data', 'GPS/GPSDATA'),
  date: fc.constantFrom(...dateForms),
  hour: fc.constantFrom(...hourForms),
  /** Where the station stands: after so many segments; nowhere if it is after the last one. */
  station: fc.nat(6),
})

type Layout = typeof layouts extends fc.Arbitrary<infer Value> ? Value : never

function pathOf(layout: Layout, time: Time, site: string) {
  const [form, part] = layout.date
  const hour = part === 'day' ? layout.hour(time) : undefined
  const segments = [layout.area, ...form(time).split('/'), ...(hour === undefined ? [] : [hour])]
  if (layout.station <= segments.length) segments.splice(layout.station, 0, site)
  return { path: segments.join('/'), part: hour === undefined ? part : 'hour' }
}

t.test('the path that is made from a name agrees, that of another time contradicts', async () => {
  const stations = fc.constantFrom('GRAZ', 'zimm', '0203', 's101', 'GRAZ00AUT', 'ZIMM00CHE')
  const periods = fc.constantFrom('01D', '01H', '15M')
  fc.assert(
    fc.property(
      layouts,
      times,
      times,
      stations,
      periods,
      (layout, time, other, station, period) => {
        const { year, dayOfYear } = time
        const start = startOf(year, dayOfYear, period === '01D' ? 0 : time.hour)
        const name = nameOf(station.toUpperCase(), start, { period })
        const own = pathOf(layout, time, station)
        if (isMisplaced(own.path, name)) return false

        const others = pathOf(layout, other, station).path
        const day = Math.floor(start / 86_400)
        const week = gpsWeekOf(day)
        const ofWeek = `${String(week.number).padStart(4, '0')}${day - week.fromDay}`
        const segments = others.split('/')
        const isDayOfWeek = segments.includes(ofWeek) && !segments.includes(`${other.year}`)
        const isSameDay = isDayOfWeek || (other.year === year && other.dayOfYear === dayOfYear)
        const isOtherYear = other.year !== year && other.year !== week.number
        const isOtherMonth = monthIn(other) !== monthIn(time)
        const mayBeDay = [dayOfYear, Number(dayIn(time))].includes(monthIn(other) + 1)
        const differs = {
          none: false,
          year: isOtherYear,
          'weak month': isOtherYear || (isOtherMonth && !mayBeDay),
          month: isOtherYear || isOtherMonth,
          day: !isSameDay,
          hour: !isSameDay || (period !== '01D' && other.hour !== time.hour),
        }[own.part]
        return isMisplaced(others, name) === differs
      },
    ),
    { numRuns: 5000 },
  )
})
