/**
 * Histories made by hand, whose answers are known: those of the slow reference, and of the program.
 */
import { fc } from '../random.ts'
import t, { exact } from '../tap.ts'
import { checkedMissing, checkedNow, checkedRange } from './compared.ts'
import { histories } from './histories.ts'
import type { History, Period, Rule } from './oracle.ts'
import { oracleMissing, oracleNow, oracleRange } from './oracle.ts'

const minute = 60
const hour = 3600
const day = 24 * hour
const lengths: Record<Period, number> = { '15M': 900, '01H': hour, '01D': day }

const time = (date: string): number => Date.parse(`${date}Z`) / 1000
const dayOf = (date: string): number => time(`${date}T00:00:00`) / day

/** The slots of a number of whole days. */
const slotsOf = (period: Period, firstDay: number, days: number): number[] => {
  const perDay = day / lengths[period]
  return Array.from({ length: days * perDay }, (_, index) => firstDay * perDay + index)
}

/** A history whose files came after a minute and are all live. */
const historyOf = (
  period: Period,
  slots: readonly number[],
  asOf: number,
  more: { latency?: number | undefined; rules?: readonly Rule[] } = {},
): History => {
  const latency = 'latency' in more ? more.latency : minute
  const delivered = new Map(slots.map((slot) => [slot, latency]))
  const { rules } = more
  return {
    period,
    delivered,
    live: new Set(slots),
    damaged: new Map(),
    asOf,
    ...(rules !== undefined && { rules }),
  }
}

/** The availability of a number of whole days. */
const daysOf = (history: History, firstDay: number, days: number) => {
  const perDay = day / lengths[history.period]
  return checkedRange(history, { from: firstDay * perDay, to: (firstDay + days) * perDay - 1 })
}

const percent = (share: number | null): string => `${(100 * (share ?? NaN)).toFixed(1)} %`

/** An ordinary day to begin with. */
const start = dayOf('2025-03-03')

t.test('a series that comes is present since 28 days, and all of its slots are', async (t) => {
  const asOf = (start + 60) * day + 30 * minute
  const slots = slotsOf('01H', start, 60)
  t.strictSame(checkedNow(historyOf('01H', slots, asOf)), {
    state: 'present',
    ended: false,
    since: (start + 32) * day,
    usual_s: 60,
    late_after_s: 600,
    last_slot: asOf - 90 * minute,
    last_arrival: asOf - 29 * minute,
    possible_28d: 672,
    delivered_28d: 672,
    half_28d: 0,
    completeness_28d: 1,
    expected_28d: 672,
    within_target_28d: 1,
    class: 'good',
  })
})

t.test('a series that is dead for 9 days is down, and the days count in full', async (t) => {
  const slots = slotsOf('01H', start, 365)
  const history = historyOf('01H', slots, (start + 374) * day + 30 * minute)
  const now = checkedNow(history)
  t.match(now, { state: 'down', ended: false, since: (start + 365) * day, class: 'poor' })
  t.match(now, { possible_28d: 28 * 24, delivered_28d: 19 * 24 })
  t.equal(percent(now.completeness_28d), '67.9 %')
  const all = daysOf(history, start, 375)
  t.equal(percent(all.completeness), '97.6 %')
  t.equal(all.states, 'P8760M144L72F24')
  // Half a day later, all that is missing is 9.5 days of 28.
  const later = checkedNow({ ...history, asOf: (start + 374) * day + 12.5 * hour })
  t.equal(percent(later.completeness_28d), '66.1 %')
})

t.test('a month lost of a year is lost after the return too', async (t) => {
  const lost = (days: number) => {
    const slots = slotsOf('01D', start, 365).filter(
      (slot) => slot < start + 100 || slot >= start + 100 + days,
    )
    return daysOf(historyOf('01D', slots, (start + 365) * day + hour), start, 365)
  }
  t.match(lost(30), { states: 'P100M30P235', possible: 365, delivered: 335 })
  t.equal(percent(lost(30).completeness), '91.8 %')
  t.equal(percent(lost(31).completeness), '91.5 %')
})

for (const days of [15, 40])
  t.test(`a stray hour after ${days} days: late for a day, then down again`, async (t) => {
    const stray = (start + 100 + days) * 24 + 7
    const slots = [...slotsOf('01H', start, 100), stray]
    const end = (stray + 1) * hour
    const at = (asOf: number) => checkedNow(historyOf('01H', slots, asOf))
    t.match(at(end - hour - 1), { state: 'down', since: (start + 100) * day })
    t.match(at(end), { state: 'present', since: stray * hour })
    const { late_after_s } = at(end)
    const late = at(end + hour + late_after_s)
    t.match(late, { state: 'late', since: end })
    const limit = end + day + at(end + day).late_after_s
    t.match(at(limit), { state: 'late', since: end })
    t.match(at(limit + 1), { state: 'down', since: end, ended: false })
  })

t.test(
  'an outage of 36 hours that is backfilled at once leaves the limit at 10 minutes',
  async (t) => {
    const back = (start + 50) * 24 + 12
    const delivered = new Map(slotsOf('01H', start, 60).map((slot) => [slot, minute]))
    for (let slot = back - 36; slot < back; slot++)
      delivered.set(slot, (back - slot - 1) * hour + 90)
    const history = historyOf('01H', [...delivered.keys()], (start + 60) * day + 5 * minute)
    const now = checkedNow({ ...history, delivered })
    // 24 of the arrivals came within 24 hours, and count: 24 of 661 are less than 5 %.
    t.match(now, { state: 'present', usual_s: 60, late_after_s: 600 })
    t.equal(now.within_target_28d, (28 * 24 - 35) / (28 * 24))
  },
)

t.test('late after is the 95th percentile, with limits', async (t) => {
  const lateAfter = (period: Period, days: number, latency: number | undefined) => {
    const history = historyOf(period, slotsOf(period, start, days), (start + days) * day, {
      latency,
    })
    return checkedNow(history).late_after_s
  }
  t.equal(lateAfter('01H', 1, 1234), 1234, '24 arrivals are enough')
  t.equal(lateAfter('15M', 1, 12), 300)
  t.equal(lateAfter('01H', 3, 12), 600)
  t.equal(lateAfter('01D', 3, 12), 7200)
  t.equal(lateAfter('01D', 2, 12), day, 'too few arrivals')
  t.equal(lateAfter('01H', 3, undefined), hour, 'a scan saw no arrival')
  t.equal(lateAfter('01H', 3, day), day)
  t.equal(lateAfter('01H', 3, day + 1), hour, 'none came within a day')
  t.equal(lateAfter('01D', 5, 3 * day), day)
  const delivered = new Map(slotsOf('01H', start, 1).map((slot, index) => [slot, 1000 + index]))
  const history = historyOf('01H', [...delivered.keys()], (start + 1) * day)
  // Of 24 arrivals the 23rd (22.8); the median is the 12th.
  t.match(checkedNow({ ...history, delivered }), { late_after_s: 1022, usual_s: 1011 })
})

t.test('a slot is due, then late, then missing, each from an exact second on', async (t) => {
  for (const [period, limit, lateDays] of [
    ['15M', 300, 3],
    ['01H', 600, 3],
    ['01D', 7200, 7],
  ] as const) {
    const slots = slotsOf(period, start, 10)
    const slot = (start + 10) * (day / lengths[period])
    const end = (slot + 1) * lengths[period]
    const missing = end + lateDays * day
    const at = (asOf: number) => {
      const history = historyOf(period, slots, asOf)
      const range = { from: slot, to: slot }
      const { states, possible } = checkedRange(history, range)
      return [states, possible, ...checkedMissing(history, range)]
    }
    const late = { slot, state: 'late', expected_by: end + limit, since: end + limit }
    t.strictSame(at(end - 1), ['F1', 0])
    t.strictSame(at(end), ['D1', 0])
    t.strictSame(at(end + limit - 1), ['D1', 0])
    t.strictSame(at(end + limit), ['L1', 1, late])
    t.strictSame(at(missing - 1), ['L1', 1, late])
    t.strictSame(at(missing), ['M1', 1, { ...late, state: 'missing', since: missing }])
  }
})

t.test('a series that stops is late, then down, then silent, from a second on', async (t) => {
  const slots = slotsOf('01H', start, 40)
  const end = (start + 40) * day
  for (const [seconds, state, ended] of [
    [hour + 599, 'present', false],
    [hour + 600, 'late', false],
    [day + 600, 'late', false],
    [day + 601, 'down', false],
    // Without arrivals in 28 days, the limit is an hour.
    [40 * day + 2 * hour - 1, 'down', false],
    [40 * day + 2 * hour, 'silent', true],
  ] as const) {
    // The run of delivered slots begins 28 days before the present slot.
    const since = state === 'present' ? end + hour - 28 * day : end
    const found = checkedNow(historyOf('01H', slots, end + seconds))
    t.match(found, { state, since, ended }, `${seconds} s after the last file`)
  }
})

t.test('a series that ran for a year is missed for 90 days, and has then ended', async (t) => {
  const slots = slotsOf('01D', start, 365)
  const at = (days: number) => historyOf('01D', slots, (start + 365 + days) * day + hour)
  // The last day is 364, and day 454 is the last one on which it is expected.
  t.match(checkedNow(at(91)), { state: 'down', ended: false, class: 'poor' })
  const ended = at(92)
  t.match(checkedNow(ended), { state: 'silent', ended: true, since: (start + 365) * day })
  t.match(checkedNow(ended), { possible_28d: 0, completeness_28d: null, class: null })
  const answer = daysOf(ended, start, 460)
  t.match(answer, { states: 'P365M85L5S1D1F3', ended: true, possible: 365, delivered: 365 })
  t.match(answer, { completeness: 1, class: null })
  t.strictSame(answer.gaps, [])
  // A return ends the end.
  const back = historyOf('01D', [...slots, start + 500], (start + 501) * day + hour)
  t.match(checkedNow(back), { state: 'present', ended: false, since: (start + 500) * day })
  t.match(daysOf(back, start, 501), { possible: 501, delivered: 366, ended: false, class: 'poor' })
  t.strictSame(daysOf(back, start, 501).gaps, [
    [(start + 365) * day, (start + 455) * day, 90, 'missing'],
    [(start + 455) * day, (start + 500) * day, 45, 'silent'],
  ])
})

t.test('a stray file is never missed, but what is there is shown and counted', async (t) => {
  const history = historyOf('01D', [start], (start + 20) * day)
  t.match(checkedNow(history), { state: 'silent', ended: false, since: (start + 1) * day })
  t.match(checkedNow(history), { last_slot: start * day, possible_28d: 19, delivered_28d: 1 })
  t.match(daysOf(history, start, 19), { states: 'P1S18', first: start * day, last: start * day })
  t.match(daysOf(history, start, 19), { possible: 19, delivered: 1 })
  t.strictSame(daysOf(history, start, 19).spans, [[start * day, (start + 1) * day]])
})

t.test('campaigns of one day, years apart, are all there', async (t) => {
  const days = [2010, 2012, 2014, 2016].map((year) => dayOf(`${year}-06-01`))
  const [first = NaN, , , last = NaN] = days
  const history = historyOf('01D', days, (last + 400) * day, { latency: undefined })
  const answer = checkedRange(history, { from: first, to: last })
  t.match(answer, {
    first: first * day,
    last: last * day,
    delivered: 4,
    possible: last - first + 1,
  })
  t.equal(answer.spans.length, 4)
  t.match(checkedNow(history), { state: 'silent', ended: false, possible_28d: 27 })
})

t.test('a first file with a wrong date is shown and counted', async (t) => {
  const real = slotsOf('01D', dayOf('2020-01-01'), 100)
  const old = dayOf('1999-08-22')
  const history = historyOf('01D', [old, ...real], (dayOf('2020-01-01') + 100) * day + hour)
  const answer = checkedRange(history, { from: old, to: dayOf('2020-04-09') })
  t.match(answer, { first: old * day, possible: 7537, delivered: 101, class: 'poor' })
  t.match(answer.states, /^P1S7436P100$/)
  t.match(checkedNow(history), { completeness_28d: 1, state: 'present', expected_28d: 28 })
})

t.test('damaged files are no deliveries, but signs of life', async (t) => {
  const slots = slotsOf('01H', start, 40)
  const bad = slots.slice(-30)
  const good = slots.slice(0, -30)
  const at = (hours: number): History => ({
    ...historyOf('01H', good, (start + 40) * day + hours * hour),
    damaged: new Map(bad.map((slot) => [slot, (slot + 1) * hour])),
  })
  const since = (start + 40) * day - 27 * day
  t.match(checkedNow(at(0)), { state: 'present', delivered_28d: 672 - 30, possible_28d: 672 })
  t.match(checkedNow(at(24)), { state: 'late', since: (start + 40) * day })
  t.match(checkedNow(at(26)), { state: 'down' })
  t.match(checkedNow(at(24)).since, since + 27 * day)
  const range = daysOf(at(0), start, 40)
  t.match(range, { states: 'P930X30', possible: 960, delivered: 930 })
  t.strictSame(range.gaps, [[(start + 40) * day - 30 * hour, (start + 40) * day, 30, 'damaged']])
  const from = (start + 38) * 24
  const rows = checkedMissing(at(0), { from, to: from + 47 })
  t.strictSame([rows.length, rows[0]?.state], [30, 'damaged'])
  // A good file beside a damaged one fills the slot; one that was removed did.
  const beside = { ...at(0), delivered: new Map(slots.map((slot) => [slot, minute])) }
  t.match(daysOf({ ...beside, live: new Set(slots) }, start, 40), {
    states: 'P960',
    delivered: 960,
  })
  t.match(daysOf({ ...beside, live: new Set(good) }, start, 40), {
    states: 'P930R30',
    gaps: exact([]),
  })
})

t.test('a station that runs for ten hours a night is missed only by a rule', async (t) => {
  const hours = new Set([20, 21, 22, 23, 0, 1, 2, 3, 4, 5])
  const slots = slotsOf('01H', start, 60).filter((slot) => hours.has(slot % 24))
  const noon = (start + 60) * day - 12 * hour
  const until = slots.filter((slot) => slot * hour < noon)
  t.match(checkedNow(historyOf('01H', until, noon)), { state: 'silent', expected_28d: 0 })
  t.match(checkedNow(historyOf('01H', until, noon)), { possible_28d: 671, delivered_28d: 280 })
  const ruled = historyOf('01H', until, noon, { rules: [{ hours }] })
  // The range of 28 days begins at noon, and its first slot of a night is 20:00.
  const since = noon - 28 * day + 8 * hour
  t.match(checkedNow(ruled), { state: 'present', expected_28d: 280, since })
  t.equal(daysOf(ruled, start + 58, 1).states, 'P6S14P4')
  const evening = { ...ruled, asOf: noon + 9 * hour + 600 }
  t.match(checkedNow(evening), { state: 'late', since: (start + 59) * day + 6 * hour })
  // Off for a day, the station is late until its limit and a day have passed since its last file.
  t.equal(checkedNow({ ...ruled, asOf: noon + 18 * hour + 600 }).state, 'late')
  t.equal(checkedNow({ ...ruled, asOf: noon + 18 * hour + 601 }).state, 'down')
})

t.test('a campaign of three days is missed for three days', async (t) => {
  const slots = slotsOf('01H', start, 3)
  const at = (days: number) => historyOf('01H', slots, (start + days) * day - 1)
  t.equal(daysOf(at(30), start, 8).states, 'P72M72S48')
  t.match(checkedNow(at(6)), { state: 'down', ended: false })
  t.match(checkedNow(at(8)), { state: 'silent', ended: true, since: (start + 3) * day })
  t.match(daysOf(at(30), start, 8), { possible: 72, delivered: 72, gaps: exact([]) })
})

t.test('a series that begins tomorrow is not there yet', async (t) => {
  const asOf = start * day + 12 * hour
  const history = historyOf('01H', slotsOf('01H', start + 1, 2), asOf)
  t.match(checkedNow(history), {
    state: 'silent',
    since: null,
    last_slot: null,
    last_arrival: null,
  })
  t.match(daysOf(history, start, 2), {
    states: 'S11D1F36',
    first: null,
    last: null,
    spans: exact([]),
  })
  const rules = [{ fromDay: start + 1 }]
  t.match(checkedNow({ ...history, rules }), { state: 'silent', since: null, expected_28d: 0 })
  t.match(checkedNow({ ...history, rules: [{ fromDay: start }] }), { state: 'down', since: null })
})

t.test('a purge does not change the past', async (t) => {
  const slots = slotsOf('01H', start, 40)
  const live = new Set(slots.slice(0, -48))
  const history = { ...historyOf('01H', slots, (start + 40) * day), live }
  t.match(checkedNow(history), { state: 'present', completeness_28d: 1, delivered_28d: 672 })
  const answer = daysOf(history, start, 40)
  t.match(answer, { states: 'P912R48', possible: 960, delivered: 960, gaps: exact([]) })
  t.strictSame(answer.spans, [[start * day, (start + 38) * day]])
})

t.test('more than 90 % is good, 80 % is fair', async (t) => {
  const lost = (count: number) => {
    const slots = slotsOf('01D', start, 20).filter(
      (slot) => slot < start + 5 || slot >= start + 5 + count,
    )
    return daysOf(historyOf('01D', slots, (start + 20) * day + 2 * hour), start, 20)
  }
  t.match(lost(1), { completeness: 0.95, class: 'good' })
  t.match(lost(2), { completeness: 0.9, class: 'fair' })
  t.match(lost(4), { completeness: 0.8, class: 'fair' })
  t.match(lost(5), { completeness: 0.75, class: 'poor' })
})

t.test('a file that comes before its slot has ended is present, but not possible', async (t) => {
  const slots = slotsOf('01H', start, 10)
  const history = historyOf('01H', slots, (start + 10) * day - 10 * minute, {
    latency: -15 * minute,
  })
  const last_arrival = (start + 10) * day - 15 * minute
  t.match(checkedNow(history), { state: 'present', last_arrival, usual_s: 0 })
  t.match(daysOf(history, start, 10), { states: 'P240', possible: 239, delivered: 239 })
})

t.test('the answers of any history agree with each other', async (t) => {
  const words = new Set<string>()
  const property = fc.property(histories, ({ history, range }) => {
    const now = oracleNow(history)
    const answer = oracleRange(history, range)
    const missing = oracleMissing(history, range)
    const count = (letters: RegExp) =>
      [...answer.states.matchAll(/(.)(\d+)/g)].reduce(
        (sum, [, letter, slots]) => sum + (letters.test(letter ?? '') ? Number(slots) : 0),
        0,
      )
    if (answer.half > 0) words.add('half')
    words.add(`${now.state}${now.ended ? ' ended' : ''}`).add(String(now.class))
    for (const [letter] of answer.states.matchAll(/\D/g)) words.add(letter)
    // Slots that were possible and not delivered are gaps. A damaged file may be there early.
    const gaps = answer.gaps.reduce((sum, [, , slots]) => sum + slots, 0)
    const early = answer.gaps.some(([, to, , state]) => state === 'damaged' && to > history.asOf)
    return (
      count(/./) === answer.slots &&
      count(/[LMX]/) === missing.length &&
      answer.delivered <= count(/[PR]/) &&
      (early || answer.possible - answer.delivered === gaps) &&
      answer.spans.length === answer.states.split('P').length - 1 &&
      now.delivered_28d <= now.possible_28d &&
      answer.half <= answer.delivered
    )
  })
  fc.assert(property, { numRuns: 200 })
  const all = [
    'present',
    'late',
    'down',
    'silent',
    'silent ended',
    'good',
    'fair',
    'poor',
    'null',
    'half',
  ]
  t.strictSame(
    [...all, ...Array.from('PRXDLMSF')].filter((word) => !words.has(word)),
    [],
    'the histories have all kinds of states',
  )
})
