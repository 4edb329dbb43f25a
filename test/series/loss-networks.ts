/** Networks of which stations are lost, made by hand and at random. */
import { secondsToIso } from '../../src/parse/calendar.ts'
import { summariseSeries } from '../../src/series/series-summary.ts'
import { openLosses } from '../../src/series/station-losses.ts'
import type { StationSeries } from '../../src/series/station-states.ts'
import { fc } from '../random.ts'
import { pastOf } from './compared.ts'
import type { NetworkHistory } from './losses-oracle.ts'
import type { History, Period, Rule } from './oracle.ts'

export const hour = 3600
export const day = 24 * hour
export const lengths: Record<Period, number> = { '15M': 900, '01H': hour, '01D': day }
/** 2026-01-22T00:00:00Z, a midnight. */
export const midnight = Date.UTC(2026, 0, 22) / 1000

/** A time of `midnight`, in seconds after it, as ISO text. */
export const iso = (seconds: number): string => secondsToIso(midnight + seconds)

export interface Described {
  station: string
  type?: 'o' | 'n'
  period?: Period
  /** Days before `midnight` at which the series begins. */
  days?: number
  /** Lost slots, by their begin in seconds after `midnight`. */
  lost?: readonly (readonly [from: number, to: number])[]
  latency?: number
  rules?: readonly Rule[]
  /** Damaged slots, by their begin, and the time at which each was found so, as `lost`. */
  damaged?: readonly (readonly [start: number, found: number])[]
}

export function seriesAt(asOf: number, described: Described): NetworkHistory {
  const { station, type = 'o', period = '01H', days = 100, lost = [], latency = 120 } = described
  const delivered = new Map<number, number>()
  for (let start = -days * day; start + lengths[period] + latency <= asOf; start += lengths[period])
    if (!lost.some(([from, to]) => start >= from && start < to))
      delivered.set((midnight + start) / lengths[period], latency)
  const damaged = new Map<number, number>()
  for (const [start, found] of described.damaged ?? [])
    if (start <= asOf && !delivered.has((midnight + start) / lengths[period]))
      damaged.set((midnight + start) / lengths[period], midnight + found)
  const history: History = {
    period,
    delivered,
    live: new Set(delivered.keys()),
    asOf: midnight + asOf,
    damaged,
    ...(described.rules !== undefined && { rules: described.rules }),
  }
  return { station, type, history }
}

const statesOf = (network: readonly NetworkHistory[]): StationSeries[] =>
  network.map(({ station, type, history }) => {
    const past = pastOf(history)
    const summary = summariseSeries(past, history.asOf)
    return { station, fileType: type, period: history.period, past, summary }
  })

export function lossesOf(network: readonly NetworkHistory[], asOf: number) {
  const states = statesOf(network)
  return { states, losses: openLosses(states, asOf) }
}

/**
 * Random networks at a time in seconds after `midnight`, with losses: of a country, with slots more
 * or less at each station, or of a series.
 */
export const networks = fc
  .record({
    asOf: fc.integer({ min: 0, max: 3 * day }),
    period: fc.constantFrom<Period>('01H', '01H', '01D'),
    series: fc.uniqueArray(
      fc.record({
        station: fc.constantFrom(
          ...['NO0A00NOR', 'NO1A00NOR', 'NO2A00NOR', 'NO3A00NOR', 'NO4A00NOR', 'NO5A00NOR'],
          ...['AT0A00AUT', 'AT1A00AUT', 'AT2A00AUT', 'AT3A00AUT', 'OSLS'],
        ),
        type: fc.constantFrom<'o' | 'n'>('o', 'o', 'n'),
        isOther: fc.nat(3).map((number) => number === 0),
        days: fc.constantFrom(75, 75, 75, 40, 10, 3),
        latency: fc.constantFrom(60, 60, 900, 5000, 40_000),
        hasRule: fc.nat(9).map((number) => number === 0),
        own: fc.array(
          fc.tuple(fc.integer({ min: 0, max: 75 * 24 }), fc.integer({ min: 1, max: 90 })),
          {
            maxLength: 2,
          },
        ),
        jitter: fc.constantFrom(0, 0, 0, 0, 1, 1, 2, 500),
        damaged: fc.array(
          fc.tuple(fc.integer({ min: 0, max: 9 * 24 }), fc.integer({ min: 0, max: 100 })),
          { maxLength: 2 },
        ),
      }),
      {
        minLength: 10,
        maxLength: 20,
        selector: ({ station, type, isOther }) => station + type + String(isOther),
      },
    ),
    common: fc.array(
      fc.record({
        country: fc.constantFrom('NOR', 'NOR', 'AUT'),
        before: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 60 * 24 })),
        hours: fc.integer({ min: 1, max: 60 }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  })
  .map(({ asOf, period, series, common }) => ({
    asOf,
    described: series.map((each): Described => {
      const own = each.isOther ? (period === '01D' ? '01H' : '01D') : period
      const stretch = own === '01D' ? 24 : 1
      const losses = [
        ...each.own.map(([before, hours]) => [before, hours] as const),
        ...common
          .filter(({ country }) => each.station.endsWith(country))
          .map(({ before, hours }) => [before - each.jitter * stretch, hours] as const),
      ]
      const slotBefore = (hours: number): number =>
        Math.floor((asOf - hours * hour) / lengths[own]) * lengths[own]
      return {
        ...each,
        period: own,
        damaged: each.damaged.map(([before, minutes]) => [
          slotBefore(before),
          Math.min(asOf, slotBefore(before) + lengths[own] + minutes * 60),
        ]),
        lost: [
          ...losses.map(([before, hours]): [number, number] => {
            const from = slotBefore(before)
            return [from, from + hours * stretch * hour]
          }),
          // A damaged file is no delivery.
          ...each.damaged.map(([before]): [number, number] => [
            slotBefore(before),
            slotBefore(before) + 1,
          ]),
        ],
        ...(each.hasRule && {
          rules: [{ fromDay: midnight / day - 30, hours: new Set([0, 5, 6]) }],
        }),
      }
    }),
  }))
