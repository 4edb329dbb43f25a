import t from '../tap.ts'
import { dayToIso } from '../../src/parse/calendar.ts'
import { gpsWeekOf, parseWeek, weekBeside } from '../../src/series/weeks.ts'
import type { Week } from '../../src/series/weeks.ts'

const dayOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / 86_400_000
const shown = (week: Week | undefined) =>
  week && `${week.name} ${dayToIso(week.fromDay)} ${dayToIso(week.toDay)}`

/** 0 for Sunday to 6 for Saturday, from the calendar of the language. */
const weekday = (day: number): number => new Date(day * 86_400_000).getUTCDay()

/** Weeks whose bounds are known from calendars. */
const known: readonly (readonly [name: string, from: string, to: string])[] = [
  ['0', '1980-01-06', '1980-01-12'],
  ['1', '1980-01-13', '1980-01-19'],
  // The weeks in which the receivers' ten bits of the number begin at 0 again.
  ['1024', '1999-08-22', '1999-08-28'],
  ['2048', '2019-04-07', '2019-04-13'],
  ['2402', '2026-01-18', '2026-01-24'],
  ['9999', '2171-08-25', '2171-08-31'],
  ['1976-W53', '1976-12-27', '1977-01-02'],
  ['1979-W01', '1979-01-01', '1979-01-07'],
  ['1979-W05', '1979-01-29', '1979-02-04'],
  ['1979-W52', '1979-12-24', '1979-12-30'],
  ['1980-W01', '1979-12-31', '1980-01-06'],
  ['1981-W53', '1981-12-28', '1982-01-03'],
  ['1999-W52', '1999-12-27', '2000-01-02'],
  ['2000-W01', '2000-01-03', '2000-01-09'],
  ['2015-W53', '2015-12-28', '2016-01-03'],
  ['2020-W01', '2019-12-30', '2020-01-05'],
  ['2020-W53', '2020-12-28', '2021-01-03'],
  ['2021-W01', '2021-01-04', '2021-01-10'],
  ['2026-W01', '2025-12-29', '2026-01-04'],
  ['2026-W04', '2026-01-19', '2026-01-25'],
  ['2026-W53', '2026-12-28', '2027-01-03'],
]

t.test('weeks have exact bounds', async (t) => {
  for (const [name, from, to] of known)
    t.equal(shown(parseWeek(name)), `${name} ${from} ${to}`, name)
  t.strictSame(parseWeek('2026w04'), parseWeek('2026-W04'))
  t.strictSame(parseWeek('0001'), parseWeek('1'))
})

t.test('a GPS week begins on Sunday, and has the seven days until Saturday', async (t) => {
  const faults: string[] = []
  for (let number = 0; number <= 9999; number++) {
    const week = parseWeek(String(number))
    if (week === undefined) throw new Error(`no week ${number}`)
    const { fromDay, toDay } = week
    if (weekday(fromDay) !== 0 || weekday(toDay) !== 6 || toDay - fromDay !== 6)
      faults.push(`${number} has other days`)
    for (const day of [fromDay, fromDay + 3, toDay])
      if (gpsWeekOf(day).name !== String(number)) faults.push(`${number} does not have its days`)
  }
  t.strictSame(faults, [])
})

t.test('no GPS week is before week 0', async (t) => {
  t.equal(parseWeek('-1'), undefined)
  for (const date of ['1970-01-01', '1980-01-05', '1980-01-06', '1980-01-12'])
    t.equal(gpsWeekOf(dayOf(date)).name, '0', date)
  t.equal(gpsWeekOf(dayOf('1980-01-13')).name, '1')
})

t.test('ISO weeks of all years that names can have follow each other without gaps', async (t) => {
  const faults: string[] = []
  let next: number | undefined
  for (let year = 0; year <= 9999; year++) {
    const digits = String(year).padStart(4, '0')
    const jan1 = new Date(0)
    jan1.setUTCFullYear(year, 0, 1)
    const dec31 = new Date(0)
    dec31.setUTCFullYear(year, 11, 31)
    // A year has 53 weeks if it begins or ends on a Thursday.
    const count = jan1.getUTCDay() === 4 || dec31.getUTCDay() === 4 ? 53 : 52
    for (let number = 1; number <= count; number++) {
      const name = `${digits}-W${String(number).padStart(2, '0')}`
      const week = parseWeek(name)
      if (week?.name !== name || weekday(week.fromDay) !== 1 || week.toDay - week.fromDay !== 6)
        faults.push(`${name} is wrong`)
      if (next !== undefined && week?.fromDay !== next) faults.push(`${name} follows a gap`)
      next = (week?.toDay ?? NaN) + 1
    }
    if (parseWeek(`${digits}-W${count + 1}`) !== undefined) faults.push(`${digits} has too many`)
    const fourth = jan1.getTime() / 86_400_000 + 3
    const first = parseWeek(`${digits}-W01`)
    if (first === undefined || first.fromDay > fourth || first.toDay < fourth)
      faults.push(`week 1 of ${digits} does not have 4 January`)
  }
  t.strictSame(faults.slice(0, 10), [])
})

t.test('a week is beside the weeks of its own kind', async (t) => {
  for (const [before, name, after] of [
    ['2401', '2402', '2403'],
    ['2026-W03', '2026-W04', '2026-W05'],
    ['2020-W52', '2020-W53', '2021-W01'],
    ['2020-W53', '2021-W01', '2021-W02'],
    ['1978-W52', '1979-W01', '1979-W02'],
    ['0049-W52', '0050-W01', '0050-W02'],
    ['0', '0', '1'],
  ] as const) {
    const week = parseWeek(name)
    if (week === undefined) throw new Error(`no week ${name}`)
    t.strictSame(weekBeside(week, -1), parseWeek(before), `before ${name}`)
    t.strictSame(weekBeside(week, 1), parseWeek(after), `after ${name}`)
  }
})

t.test('other text is no week', async (t) => {
  for (const text of [
    ...['', ' ', 'x', '-1', '+1', '1.5', '10000', '24o2', '2402 ', '٢٤٠٢'],
    ...['2026-W00', '2026-W54', '2025-W53', '1979-W53', '2026-W4', '2026-W004', '2026W', 'W04'],
    ...['26-W04', '02026-W04', '-2026-W04', '2026--W04', '2026-04', '2026-W04-1'],
  ])
    t.equal(parseWeek(text), undefined, text)
})
