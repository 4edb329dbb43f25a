import assert from 'node:assert/strict'
import {
  dayOfYearAt,
  daysInYear,
  dayStartSeconds,
  fullYear,
  isDayOfYear,
  sessionHour,
} from '../../src/parse/calendar.ts'
import { fc } from '../random.ts'
import t from '../tap.ts'

t.test('leap years have 366 days; a century is a leap year only if divisible by 400', async (t) => {
  for (const year of [2024, 2000, 1980, 2400, 0]) t.equal(daysInYear(year), 366, `${year}`)
  for (const year of [2023, 2026, 1900, 2100, 1]) t.equal(daysInYear(year), 365, `${year}`)
})

t.test('a day of the year is between 1 and 365 or 366', async (t) => {
  t.ok(isDayOfYear(2025, 1))
  t.ok(isDayOfYear(2025, 365))
  t.ok(isDayOfYear(2024, 366))
  t.notOk(isDayOfYear(2025, 366))
  t.notOk(isDayOfYear(2024, 367))
  t.notOk(isDayOfYear(2024, 0))
  t.notOk(isDayOfYear(2024, -1))
})

t.test('two digits of a year mean 1980 to 2079', async (t) => {
  t.equal(fullYear(80), 1980)
  t.equal(fullYear(99), 1999)
  t.equal(fullYear(0), 2000)
  t.equal(fullYear(79), 2079)
})

t.test('session letters mean hours, and other characters mean none', async (t) => {
  Array.from('abcdefghijklmnopqrstuvwx').forEach((letter, hour) => {
    t.equal(sessionHour(letter), hour, letter)
    t.equal(sessionHour(letter.toUpperCase()), hour, letter.toUpperCase())
  })
  for (const session of ['y', 'z', 'Y', 'Z', '0', '1', '9', '', '_', '@', 'ä', '\u2026']) {
    t.equal(sessionHour(session), undefined, session)
  }
})

t.test('days begin at the same times as the days of Date.UTC', async (t) => {
  t.equal(dayStartSeconds(1970, 1), 0)
  t.equal(dayStartSeconds(1969, 365), -86_400)
  t.equal(dayStartSeconds(2026, 22), Date.UTC(2026, 0, 22) / 1000)
  for (let year = 100; year < 10_000; year++) {
    if (dayStartSeconds(year, 1) !== Date.UTC(year, 0, 1) / 1000) t.fail(`${year}`)
  }
})

t.test('dayOfYearAt is the inverse of dayStartSeconds', async () => {
  const day = fc.record({
    year: fc.integer({ min: 0, max: 9999 }),
    dayOfYear: fc.integer({ min: 1, max: 365 }),
  })
  fc.assert(
    fc.property(day, fc.integer({ min: 0, max: 86_399 }), ({ year, dayOfYear }, second) => {
      assert.deepEqual(dayOfYearAt(dayStartSeconds(year, dayOfYear) + second), { year, dayOfYear })
    }),
  )
})

t.test('the seconds around a new year belong to the right year', async (t) => {
  for (let year = 0; year < 10_000; year++) {
    const newYear = dayStartSeconds(year, 1)
    const last = dayOfYearAt(newYear - 1)
    const first = dayOfYearAt(newYear)
    if (last.year !== year - 1 || last.dayOfYear !== daysInYear(year - 1)) t.fail(`before ${year}`)
    if (first.year !== year || first.dayOfYear !== 1) t.fail(`${year}`)
  }
})
