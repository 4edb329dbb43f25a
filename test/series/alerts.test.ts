/** Alerts of series that are late or missing: tables of cases, and a comparison with a slow reference implementation. */
import t, { exact } from '../tap.ts'
import { openAlerts } from '../../src/series/alerts.ts'
import type { Alert, StationSeries } from '../../src/series/alerts.ts'
import type { ExpectedRule } from '../../src/series/expectation.ts'
import { periodRules } from '../../src/series/series.ts'
import type { Period } from '../../src/series/series.ts'
import { summariseSeries } from '../../src/series/series-summary.ts'
import { fc } from '../random.ts'

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
  readonly rules?: readonly ExpectedRule[]
  /** Whether a slot was lost all the same. */
  readonly isLost?: (slot: number) => boolean
}

/** A series that delivers for 10 days at least, as it is at a time. */
function seriesAt(nowSeconds: number, delivered: Delivered): StationSeries {
  const { station = 'GRAZ00AUT', period = '01H', from = -10 * day, to, latency = 120 } = delivered
  const { seconds } = periodRules[period]
  const slots: number[] = []
  for (let end = midnight + from; end <= midnight + to; end += seconds) {
    const slot = end / seconds - 1
    if (end + latency <= nowSeconds && delivered.isLost?.(slot) !== true) slots.push(slot)
  }
  const deliveries = { slots, latencies: slots.map(() => latency) }
  const history = { period, deliveries, knownFromSeconds: 0, lastStart: undefined }
  const rules = delivered.rules ?? []
  return {
    ...{ station, fileType: 'o', period },
    summary: summariseSeries({ ...history, rules }, nowSeconds),
  }
}

const alertsAt = (seconds: number, ...delivered: Delivered[]): readonly Alert[] =>
  openAlerts(
    delivered.map((each) => seriesAt(midnight + seconds, each)),
    midnight + seconds,
  )

const kindsAt = (seconds: number, ...delivered: Delivered[]): string[] =>
  alertsAt(seconds, ...delivered).map(({ kind, series: [first] }) =>
    kind === 'ingest-stalled' ? kind : `${kind} ${first?.station ?? ''} ${first?.period ?? ''}`,
  )

t.test('a series has an alert after it was late for an hour', async (t) => {
  const until10 = { to: 10 * hour }
  t.same(kindsAt(11 * hour + 600, until10), [], 'late')
  t.same(kindsAt(12 * hour + 599, until10), [])
  t.same(alertsAt(12 * hour + 600, until10), [
    {
      id: 'late-GRAZ00AUT-o-01H-2026-01-22T10:00:00Z',
      kind: 'late',
      since: '2026-01-22T10:00:00Z',
      opened: '2026-01-22T12:10:00Z',
      series: [
        { station: 'GRAZ00AUT', file_type: 'o', period: '01H', since: '2026-01-22T10:00:00Z' },
      ],
    },
  ])
  const isLost = (slot: number): boolean => slot === midnight / hour + 10
  t.same(kindsAt(14 * hour, { to: 13 * hour, isLost }), [], 'a lost file alone is none')
  t.same(kindsAt(9 * day, until10), ['late GRAZ00AUT 01H'])
  t.same(kindsAt(25 * day, until10), [], 'it is not expected any more')
})

t.test('a series whose files usually take longer gets more time', async (t) => {
  const slow = { to: 10 * hour, latency: 3 * hour }
  t.same(kindsAt(17 * hour - 1, slow), [])
  t.same(kindsAt(17 * hour, slow), ['late GRAZ00AUT 01H'])
  const daily: Delivered = { period: '01D', to: 0 }
  t.same(kindsAt(day + 4 * hour - 1, daily), [])
  t.same(kindsAt(day + 4 * hour, daily), ['late GRAZ00AUT 01D'])
})

t.test('an expected series without files is late, then missing after its rule ends', async (t) => {
  const rule = { fromDay: midnight / day, toDay: undefined, hours: new Set([3, 15]) }
  const never = { to: -11 * day, rules: [rule] }
  t.same(kindsAt(4 * hour, never), [])
  const [alert] = alertsAt(40 * hour, never)
  t.match(alert, { id: 'late-GRAZ00AUT-o-01H-never', kind: 'late', since: null })
  t.match(alert, { opened: '2026-01-22T05:10:00Z' })
  const ended = { ...never, rules: [{ ...rule, toDay: midnight / day }] }
  t.same(kindsAt(10 * day, ended), ['missing GRAZ00AUT 01H'])
})

t.test('if no hourly file arrives for two hours, all stations have one alert', async (t) => {
  const both = [{ to: 10 * hour }, { station: 'WTZR00DEU', to: 10 * hour, latency: 600 }]
  const daily: Delivered = { period: '01D', to: -day, station: 'ZIMM00CHE' }
  const late = ['late GRAZ00AUT 01H', 'late WTZR00DEU 01H']
  t.same(kindsAt(12 * hour + 600, ...both), ['ingest-stalled'])
  t.same(kindsAt(12 * hour + 600, ...both, daily), ['ingest-stalled', 'late ZIMM00CHE 01D'])
  t.match(alertsAt(13 * hour, ...both)[0], {
    id: 'ingest-stalled-2026-01-22T10:10:00Z',
    since: '2026-01-22T10:10:00Z',
    opened: '2026-01-22T12:10:00Z',
    series: exact([{ station: 'GRAZ00AUT' }, { station: 'WTZR00DEU' }]),
  })
  const other = { station: 'ZIMM00CHE', to: 30 * hour }
  t.same(kindsAt(13 * hour, ...both, other), late, 'another station delivers')
  t.same(kindsAt(14 * hour, { to: 10 * hour }), ['late GRAZ00AUT 01H'], 'one station alone')
  const night: Delivered = { period: '01D', to: 0, latency: 13 * hour, station: 'ZIMM00CHE' }
  t.same(kindsAt(13.5 * hour, ...both, night), ['ingest-stalled'], 'a daily file arrives')
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

/** The alerts by the definition, slot by slot; the time at which each opened. */
function naive(states: readonly StationSeries[], now: number): Map<string, number> {
  const open = new Map<string, { opened: number; station: string; isHourly: boolean }>()
  for (const each of states) {
    const { station, period, summary } = each
    if (summary.state !== 'late' && summary.state !== 'missing') continue
    const slots = slotsOf(each)
    const isOverdue = (state: string): boolean => state === 'late' || state === 'missing'
    const lastOther = slots.findLastIndex(({ state }) => /present|removed|unknown/.test(state))
    const first = slots.find(({ state }, index) => index > lastOther && isOverdue(state))
    const late = ((first?.slot ?? NaN) + 1) * periodRules[period].seconds + summary.usualLatency
    const opened = late + Math.max(hour, summary.usualLatency)
    const isHourly = period !== '01D'
    if (opened <= now)
      open.set(`${summary.state} ${station} ${period}`, { opened, station, isHourly })
  }
  const hasHourly = states.some(
    ({ period, summary }) => period !== '01D' && !/silent|unknown/.test(summary.state),
  )
  const watched = [...open].filter(([, { isHourly }]) => isHourly || !hasHourly)
  const arrivals = states
    .filter(({ period }) => period !== '01D' || !hasHourly)
    .map(({ summary }) => summary.lastArrival ?? -Infinity)
  const hours = watched.some(([key]) => key.endsWith('D')) ? 48 : 2
  const isStalled =
    new Set(watched.map(([, { station }]) => station)).size > 1 &&
    arrivals.every((arrival) => now - arrival >= hours * hour)
  const result = new Map([...open].map(([key, { opened }]) => [key, opened]))
  if (!isStalled) return result
  for (const [key] of watched) result.delete(key)
  const sorted = watched.map(([, each]) => each).sort((a, b) => a.opened - b.opened)
  const second = sorted.find(({ station }) => station !== sorted[0]?.station)?.opened ?? NaN
  return result.set('ingest-stalled', Math.max(second, ...arrivals.map((at) => at + hours * hour)))
}

const histories = fc.record({
  station: fc.constantFrom('GRAZ00AUT', 'WTZR00DEU', 'ZIMM00CHE'),
  period: fc.constantFrom<Period>('15M', '01H', '01D'),
  stop: fc.integer({ min: -20 * 24, max: 30 }),
  latency: fc.constantFrom(0, 60, 900, 5000, 20_000, 100_000),
  lossEvery: fc.integer({ min: 1, max: 40 }),
})

t.test('`openAlerts` finds the same alerts as a simple reference implementation', async (t) => {
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
          from: -40 * day,
          to: stop * hour,
          isLost: (slot) => slot % (lossEvery + 1) === 0,
        }),
      )
      const found = openAlerts(states, now).map(({ kind, opened, series }): [string, number] => [
        kind === 'ingest-stalled'
          ? kind
          : `${kind} ${series[0]?.station ?? ''} ${series[0]?.period ?? ''}`,
        Date.parse(opened) / 1000,
      ])
      t.same(new Map(found), naive(states, now))
    }),
    { numRuns: 300 },
  )
})
