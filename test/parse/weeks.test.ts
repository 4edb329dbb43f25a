import { dayToIso, gpsWeek, gpsWeekOf } from '../../src/parse/calendar.ts'
import t from '../tap.ts'

const dayOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / 86_400_000

/** 0 for Sunday to 6 for Saturday, from the calendar of the language. */
const weekday = (day: number): number => new Date(day * 86_400_000).getUTCDay()

/** Weeks whose bounds are known from calendars. */
const known: readonly (readonly [number: number, from: string, to: string])[] = [
  [0, '1980-01-06', '1980-01-12'],
  [1, '1980-01-13', '1980-01-19'],
  // The weeks in which the receivers' ten bits of the number begin at 0 again.
  [1024, '1999-08-22', '1999-08-28'],
  [2048, '2019-04-07', '2019-04-13'],
  [2402, '2026-01-18', '2026-01-24'],
  [9999, '2171-08-25', '2171-08-31'],
]

t.test('weeks have exact bounds', async (t) => {
  for (const [number, from, to] of known) {
    const { fromDay, toDay } = gpsWeek(number)
    t.strictSame([dayToIso(fromDay), dayToIso(toDay)], [from, to], String(number))
  }
})

t.test('a GPS week begins on Sunday, and has the seven days until Saturday', async (t) => {
  const faults: string[] = []
  for (let number = 0; number <= 9999; number++) {
    const { fromDay, toDay } = gpsWeek(number)
    if (weekday(fromDay) !== 0 || weekday(toDay) !== 6 || toDay - fromDay !== 6)
      faults.push(`${number} has other days`)
    for (const day of [fromDay, fromDay + 3, toDay])
      if (gpsWeekOf(day).number !== number) faults.push(`${number} does not have its days`)
  }
  t.strictSame(faults, [])
})

t.test('no GPS week is before week 0', async (t) => {
  for (const date of ['1970-01-01', '1980-01-05', '1980-01-06', '1980-01-12'])
    t.equal(gpsWeekOf(dayOf(date)).number, 0, date)
  t.equal(gpsWeekOf(dayOf('1980-01-13')).number, 1)
})
