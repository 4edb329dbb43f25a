/**
 * Which losses are alerts, and that nothing arrives at all: tables of cases, and a comparison with
 * a slow reference implementation.
 */
import type { ExpectedRule } from '../../src/series/expectation.ts'
import type { Loss } from '../../src/series/loss.ts'
import type { Period } from '../../src/series/series.ts'
import { periodRules, slotAt, slotsPerDay } from '../../src/series/series.ts'
import { summariseSeries } from '../../src/series/series-summary.ts'
import { SlotSet } from '../../src/series/slot-set.ts'
import { openLosses } from '../../src/series/station-losses.ts'
import type { StationSeries } from '../../src/series/station-states.ts'
import { fc } from '../random.ts'
import t, { exact } from '../tap.ts'

const hour = 3600
const day = 86_400
/** 2026-01-22T00:00:00Z, a midnight. */
const midnight = Date.UTC(2026, 0, 22) / 1000

interface Delivered {
  readonly station?: string
  readonly period?: Period
  /** Seconds before and after `midnight` between which the delivered slots end. */
  readonly from?: number
  readonly to: number
  readonly latency?: number
  /** A scan found the files: none was seen arriving. */
  readonly isFound?: boolean
  readonly rules?: readonly ExpectedRule[]
  /** Whether a slot was lost all the same. */
  readonly isLost?: (slot: number) => boolean
}

/** A series that delivers for 10 days at least, as it is at a time. */
function seriesAt(asOf: number, described: Delivered): StationSeries {
  const { station = 'GRAZ00AUT', period = '01H', from = -10 * day, to, latency = 120 } = described
  const { seconds } = periodRules[period]
  const slots: number[] = []
  for (let end = midnight + from; end <= midnight + to; end += seconds) {
    const slot = end / seconds - 1
    if (end + latency <= asOf && described.isLost?.(slot) !== true) slots.push(slot)
  }
  const now = slotAt(asOf, period)
  const delivered = SlotSet.of(period, slots, {
    firstDay: Math.floor((slots[0] ?? now) / slotsPerDay(period)),
    lastDay: Math.floor(now / slotsPerDay(period)),
  })
  const first = delivered.firstFrom(-Infinity)
  const seen = described.isFound === true ? [] : slots
  const arrivals = { slots: seen, latencies: seen.map(() => latency) }
  const rules = described.rules ?? []
  const past = { delivered, damaged: new Map(), first, arrivals, rules }
  return { station, fileType: 'o', period, past, summary: summariseSeries(past, asOf) }
}

const lossesAt = (seconds: number, ...delivered: Delivered[]): readonly Loss[] =>
  openLosses(
    delivered.map((each) => seriesAt(midnight + seconds, each)),
    midnight + seconds,
  )

const alertsAt = (seconds: number, ...delivered: Delivered[]): readonly Loss[] =>
  lossesAt(seconds, ...delivered).filter(({ alert }) => alert)

const kindsAt = (seconds: number, ...delivered: Delivered[]): string[] =>
  alertsAt(seconds, ...delivered).map(({ kind, series: [first] }) =>
    kind === 'ingest-stalled' ? kind : `${kind} ${first?.station ?? ''} ${first?.period ?? ''}`,
  )

const at = (iso: string): number => Date.parse(iso) / 1000

t.test('a series has an alert after it was late for an hour', async (t) => {
  const until10 = { to: 10 * hour }
  t.same(kindsAt(11 * hour + 600, until10), [], 'late')
  t.same(kindsAt(12 * hour + 599, until10), [])
  t.match(lossesAt(11 * hour + 600, until10), exact([{ alert: false, lateSeconds: 0 }]))
  const times = { since: at('2026-01-22T10:00:00Z'), due: at('2026-01-22T11:10:00Z') }
  const graz = { station: 'GRAZ00AUT', fileType: 'o', period: '01H', kind: 'late' } as const
  t.same(alertsAt(12 * hour + 600, until10), [
    {
      id: 'loss-GRAZ00AUT-2026-01-22T10:00:00Z',
      kind: 'late',
      station: 'GRAZ00AUT',
      country: undefined,
      stations: ['GRAZ00AUT'],
      expectedStations: undefined,
      series: [{ ...graz, ...times, alertFrom: at('2026-01-22T12:10:00Z') }],
      ...times,
      lateSeconds: hour,
      alert: true,
    },
  ])
  const isLost = (slot: number): boolean => slot === midnight / hour + 10
  t.same(kindsAt(14 * hour, { to: 13 * hour, isLost }), [], 'a lost file alone is none')
  t.same(kindsAt(9 * day, until10), ['down GRAZ00AUT 01H'])
  t.same(kindsAt(25 * day, until10), [], 'it is not expected any more')
})

t.test('a file that a rule does not expect hides no loss before it', async (t) => {
  const hours = new Set([0, 1, 2, 3, 4, 5])
  const rules = [{ fromDay: undefined, toDay: undefined, hours }]
  const nightly = { to: 7 * hour, rules, isLost: (slot: number) => slot % 24 === 5 }
  const since = at('2026-01-22T07:00:00Z')
  t.match(alertsAt(9 * hour, nightly), exact([{ kind: 'late', since, due: since - hour + 600 }]))
})

t.test('an alert keeps its id when its series is down; a later loss has another', async (t) => {
  const until10 = { to: 10 * hour }
  const [late] = alertsAt(34 * hour + 600, until10)
  const [down] = alertsAt(34 * hour + 601, until10)
  t.equal(late?.kind, 'late', 'a day and the limit after the last file')
  const { id, since, due } = late ?? {}
  t.match(down, { id, since, due, kind: 'down' })
  const isLost = (slot: number): boolean =>
    slot >= midnight / hour + 10 && slot < midnight / hour + 38
  const back = { to: 39 * hour, isLost }
  t.same(alertsAt(40 * hour, back), [], 'one file ends the alert')
  const [later] = alertsAt(42 * hour, back)
  t.match(later, {
    kind: 'late',
    since: at('2026-01-23T15:00:00Z'),
    due: at('2026-01-23T16:10:00Z'),
  })
  t.not(later?.id, late?.id)
})

t.test('one alert for the stations of a country, with the patience of the first', async (t) => {
  const norway = ['BODO00NOR', 'OSLS00NOR', 'VARD00NOR'].map((station) => ({
    station,
    to: 10 * hour,
    latency: station === 'OSLS00NOR' ? 1800 : 120,
  }))
  const other = { station: 'GRAZ00AUT', to: 100 * hour }
  t.same(kindsAt(12 * hour + 599, ...norway, other), [])
  const [alert, ...none] = alertsAt(12 * hour + 600, ...norway, other)
  t.same(none, [])
  t.match(alert, {
    id: 'loss-NOR-2026-01-22T10:00:00Z',
    due: at('2026-01-22T11:10:00Z'),
    series: exact(norway.map(({ station }) => ({ station, since: at('2026-01-22T10:00:00Z') }))),
  })
  const [down] = alertsAt(34 * hour + 601, ...norway, other)
  t.match(down, { id: alert?.id, kind: 'down' })
})

t.test('the newest loss comes first', async (t) => {
  const rule = { fromDay: midnight / day, toDay: undefined, hours: undefined }
  const network = [
    { to: 10 * hour },
    { station: 'ONSA00SWE', to: -11 * day, rules: [rule] },
    { station: 'WTZR00DEU', to: -2 * day },
    { station: 'YELL00CAN', to: 15 * hour },
    { station: 'ZIMM00CHE', to: 9 * hour },
  ]
  t.same(kindsAt(15 * hour + 600, ...network), [
    'late GRAZ00AUT 01H',
    'late ZIMM00CHE 01H',
    'down ONSA00SWE 01H',
    'down WTZR00DEU 01H',
  ])
})

t.test('the time at which a file was due does not move with the days', async (t) => {
  const lost = { from: -100 * day, to: 10 * hour }
  const dueAfter = (days: number) => alertsAt(days * day, lost).map(({ due }) => due)
  // The limit is an hour when no arrival is in the last 28 days.
  for (const days of [30, 31, 60, 89])
    t.strictSame(dueAfter(days), [at('2026-01-22T12:00:00Z')], `after ${days} days`)
  const rule = { fromDay: midnight / day + 2, toDay: undefined, hours: new Set([6]) }
  for (const days of [3, 30, 60])
    t.match(
      alertsAt(days * day, { ...lost, rules: [rule] }),
      exact([{ due: at('2026-01-24T08:00:00Z') - (days === 3 ? 3000 : 0) }]),
      `with a rule, after ${days} days`,
    )
})

t.test('a series whose files usually take longer gets more time', async (t) => {
  const slow = { to: 10 * hour, latency: 3 * hour }
  t.same(kindsAt(17 * hour - 1, slow), [])
  t.same(kindsAt(17 * hour, slow), ['late GRAZ00AUT 01H'])
  const daily: Delivered = { period: '01D', to: 0 }
  t.same(kindsAt(day + 4 * hour - 1, daily), [])
  t.same(kindsAt(day + 4 * hour, daily), ['late GRAZ00AUT 01D'])
})

t.test('an expected series that never delivered is down, until its rule ends', async (t) => {
  const rule = { fromDay: midnight / day, toDay: undefined, hours: new Set([3, 15]) }
  const never = { to: -11 * day, rules: [rule] }
  t.same(kindsAt(6 * hour - 1, never), [], 'without arrivals, the limit is an hour')
  t.same(kindsAt(6 * hour, never), ['down GRAZ00AUT 01H'])
  const found = alertsAt(40 * hour, never)
  t.match(
    found,
    exact([
      {
        id: 'loss-GRAZ00AUT-never',
        kind: 'down',
        since: undefined,
        due: at('2026-01-22T05:00:00Z'),
        series: [{ since: undefined }],
      },
    ]),
  )
  const ended = { ...never, rules: [{ ...rule, toDay: midnight / day }] }
  t.same(kindsAt(day, ended), ['down GRAZ00AUT 01H'])
  t.same(kindsAt(10 * day, ended), [], 'nothing of the last day is expected')
})

t.test('if no hourly file arrives for two hours, all stations have one alert', async (t) => {
  const both = [{ to: 10 * hour }, { station: 'WTZR00DEU', to: 10 * hour, latency: 600 }]
  const daily: Delivered = { period: '01D', to: -day, station: 'ZIMM00CHE' }
  const late = ['late GRAZ00AUT 01H', 'late WTZR00DEU 01H']
  t.same(kindsAt(12 * hour + 600, ...both), ['ingest-stalled'])
  t.same(kindsAt(12 * hour + 600, ...both, daily), ['ingest-stalled', 'late ZIMM00CHE 01D'])
  t.match(alertsAt(13 * hour, ...both)[0], {
    id: 'ingest-stalled-2026-01-22T10:10:00Z',
    since: at('2026-01-22T10:10:00Z'),
    due: at('2026-01-22T12:10:00Z'),
    stations: exact(['GRAZ00AUT', 'WTZR00DEU']),
    series: exact([{ station: 'GRAZ00AUT' }, { station: 'WTZR00DEU' }]),
  })
  const other = { station: 'ZIMM00CHE', to: 30 * hour }
  t.same(kindsAt(13 * hour, ...both, other), late, 'another station delivers')
  t.same(kindsAt(14 * hour, { to: 10 * hour }), ['late GRAZ00AUT 01H'], 'one station alone')
  const night: Delivered = { period: '01D', to: 0, latency: 13 * hour, station: 'ZIMM00CHE' }
  t.same(kindsAt(13.5 * hour, ...both, night), ['ingest-stalled'], 'a daily file arrives')
})

t.test('files that a scan found did arrive', async (t) => {
  const dead = ['GRAZ00AUT', 'WTZR00DEU'].map((station) => ({ station, to: 10 * hour }))
  const found = [...dead, { station: 'ZIMM00CHE', to: 14 * hour }].map((each) => ({
    ...each,
    isFound: true,
  }))
  const late = ['late GRAZ00AUT 01H', 'late WTZR00DEU 01H']
  t.same(kindsAt(14 * hour + 600, ...found), late, 'the first day')
  const [, , zimm = { to: 0 }] = found
  t.same(kindsAt(14 * hour + 600, ...dead, zimm), late, 'after a restart')
  const since = at('2026-01-22T14:00:00Z')
  t.match(alertsAt(17 * hour, ...found)[0], { kind: 'ingest-stalled', since })
})

t.test('without hourly series, no daily file for two days gives one alert', async (t) => {
  const stations = ['GRAZ00AUT', 'WTZR00DEU', 'ZIMM00CHE']
  const all = stations.map((station): Delivered => ({ station, period: '01D', to: 0 }))
  const late = stations.map((station) => `late ${station} 01D`)
  t.same(kindsAt(2 * day, ...all), late)
  t.same(kindsAt(2 * day + 120, ...all), ['ingest-stalled'])
})

/** The states of all slots, one by one. */
function slotsOf({ summary }: StationSeries): { slot: number; state: string }[] {
  return summary.runs.flatMap(({ state, firstSlot, slots }) =>
    Array.from({ length: slots }, (_, index) => ({ slot: firstSlot + index, state })),
  )
}

interface NaiveLoss {
  readonly alert: boolean
  readonly due: number
}

/** The losses of stations by the definition, slot by slot, and that nothing arrives. */
function naive(states: readonly StationSeries[], now: number): Map<string, NaiveLoss> {
  const lost: { station: string; isHourly: boolean; due: number; alertFrom: number }[] = []
  for (const each of states) {
    const { station, period, summary } = each
    if (summary.state !== 'late' && summary.state !== 'down') continue
    const slots = slotsOf(each)
    const isOverdue = (state: string): boolean => state === 'late' || state === 'missing'
    const lastOther = slots.findLastIndex(({ state }) => /present|removed/.test(state))
    const first = slots.find(({ state }, index) => index > lastOther && isOverdue(state))
    const { seconds } = periodRules[period]
    // The states begin 28 days ago. A longer loss began with the slot after the last delivered one.
    const isLonger = first === slots[0] && summary.since !== undefined
    const start = isLonger ? summary.since : (first?.slot ?? NaN) * seconds
    const due = start + seconds + summary.lateAfter
    const alertFrom = due + Math.max(hour, summary.lateAfter)
    lost.push({ station, isHourly: period !== '01D', due, alertFrom })
  }
  const byStation = Map.groupBy(lost, ({ station }) => station)
  const result = new Map(
    Array.from(byStation, ([station, own]) => [
      station,
      {
        alert: own.some(({ alertFrom }) => alertFrom <= now),
        due: Math.min(...own.map(({ due }) => due)),
      },
    ]),
  )
  const hasHourly = states.some(
    ({ period, summary }) => period !== '01D' && !/silent|unknown/.test(summary.state),
  )
  const watched = lost.filter(({ isHourly }) => isHourly || !hasHourly)
  const overdue = watched
    .filter(({ alertFrom }) => alertFrom <= now)
    .sort((a, b) => a.alertFrom - b.alertFrom)
  const counted = states.filter(({ period }) => period !== '01D' || !hasHourly)
  const arrivals = counted.map(({ summary }) => summary.lastArrival ?? -Infinity)
  // A file arrives after its data, also if a scan found it.
  const ends = counted.flatMap(({ period, summary: { lastSlot } }) => {
    const { seconds } = periodRules[period]
    if (lastSlot === undefined) return []
    return [(lastSlot + 1) * seconds <= now ? (lastSlot + 1) * seconds : lastSlot * seconds]
  })
  const hours = overdue.some(({ isHourly }) => !isHourly) ? 48 : 2
  const silentFrom = Math.max(...arrivals, ...ends) + hours * hour
  const second = overdue.find(({ station }) => station !== overdue[0]?.station)
  if (second === undefined || now < silentFrom) return result
  for (const { station } of watched) result.delete(station)
  return result.set('all', { alert: true, due: Math.max(second.alertFrom, silentFrom) })
}

const histories = fc.record({
  station: fc.constantFrom('GRAZ00AUT', 'WTZR00DEU', 'ZIMM00CHE'),
  period: fc.constantFrom<Period>('15M', '01H', '01D'),
  stop: fc.integer({ min: -40 * 24, max: 30 }),
  latency: fc.constantFrom(0, 60, 900, 5000, 20_000, 100_000),
  lossEvery: fc.integer({ min: 1, max: 40 }),
  isFound: fc.boolean(),
})

t.test('`openLosses` finds the same alerts as a simple reference implementation', async (t) => {
  let stalled = 0
  const networks = fc.uniqueArray(histories, {
    maxLength: 6,
    selector: ({ station, period }) => station + period,
  })
  fc.assert(
    fc.property(networks, fc.integer({ min: 0, max: 3 * day }), (network, offset) => {
      const now = midnight + Math.floor(offset / 60) * 60
      const states = network.map(({ stop, lossEvery, ...each }) =>
        seriesAt(now, {
          ...each,
          from: -80 * day,
          to: stop * hour,
          isLost: (slot) => slot % (lossEvery + 1) === 0,
        }),
      )
      const losses = openLosses(states, now)
      const found = losses.map(({ station = 'all', alert, due }) => [station, { alert, due }])
      t.same(new Map(found as [string, NaiveLoss][]), naive(states, now))
      stalled += losses.filter(({ kind }) => kind === 'ingest-stalled').length
    }),
    { numRuns: 300 },
  )
  t.ok(stalled > 10, `${stalled} times nothing arrives`)
})
