/** Computes the states of the slots of some series on some days. */
import type { CatalogueReader } from '../../catalogue/questions/reader.ts'
import type { DayRange } from '../../series/series.ts'
import { lookbackDays, slotAt, slotsPerDay } from '../../series/series.ts'
import type { SeriesPast } from '../../series/series-summary.ts'
import { latenciesIn } from '../../series/series-summary.ts'
import type { Looking, SeriesHistory, SlotRange, SlotStates } from '../../series/slot-states.ts'
import { joinStates, slotStates } from '../../series/slot-states.ts'
import type { Requester } from '../http/limits.ts'
import type { DeliveryReader } from './delivery-reader.ts'
import type { KnownSeries, NetworkStatus } from './known-series.ts'
import { seriesAtOnce } from './known-series.ts'
import { setOf, together } from './old-series.ts'

export interface NetworkDays extends DayRange {
  readonly isWanted: (series: KnownSeries) => boolean
  readonly withLatencies?: boolean
}

/** A series with the states of its slots on some days. */
export interface SeriesOfDays extends KnownSeries {
  readonly slots: SlotStates
  /** Latencies of the files that were seen arriving, in seconds, ascending. */
  readonly latencies: ArrayLike<number>
}

interface Sources {
  readonly network: NetworkStatus
  readonly reader: Pick<CatalogueReader, 'liveSlots'>
  readonly deliveries: DeliveryReader
}

/** Series whose live files are read in one query, and computed without interruption. */
const seriesReadAtOnce = 10

/** Number of slots that are computed without interruption, which takes some milliseconds. */
const slotsAtOnce = 20_000

/** Returns no series until the first scan has ended. */
export async function readNetworkDays(
  { network, reader, deliveries }: Sources,
  { fromDay, toDay, isWanted, withLatencies = false }: NetworkDays,
  requester: Requester,
): Promise<readonly SeriesOfDays[]> {
  const { seconds: asOf } = network.asOf
  if (asOf === undefined) return []
  const wanted = network.states.filter(isWanted)
  const isInMemory = fromDay - lookbackDays >= deliveries.days.slotsFrom
  const areLatenciesInMemory = !withLatencies || fromDay >= deliveries.days.latenciesFrom
  const read = areLatenciesInMemory
    ? undefined
    : await deliveries.read({ fromDay, toDay }, requester)
  const found: SeriesOfDays[] = []
  const atOnce = isInMemory ? seriesAtOnce : seriesReadAtOnce
  for (let start = 0; start < wanted.length; start += atOnce) {
    const part = wanted.slice(start, start + atOnce)
    const pasts = isInMemory
      ? part.map(({ past }) => past)
      : await withLive(reader, part, { fromDay, toDay, asOf }, requester)
    for (const [index, series] of part.entries()) {
      const past = pasts[index] ?? series.past
      const range = slotsOf(series, { fromDay, toDay })
      const arrivals = read?.arrivalsOf(series.ids) ?? past.arrivals
      const { lateAfter } = series.summary
      found.push({
        ...series,
        slots: await statesInParts(past, range, { asOf, lateAfter, requester }),
        latencies: latenciesIn(arrivals, range),
      })
    }
    await requester.turn()
  }
  return found
}

/** Computes the states of a long range in parts, with a turn for each. */
export async function statesInParts(
  history: SeriesHistory,
  { from, to }: SlotRange,
  { requester, ...looking }: Looking & { readonly requester: Requester },
): Promise<SlotStates> {
  let states = slotStates(history, { from, to: Math.min(to, from + slotsAtOnce - 1) }, looking)
  for (let start = from + slotsAtOnce; start <= to; start += slotsAtOnce) {
    await requester.turn()
    const end = Math.min(to, start + slotsAtOnce - 1)
    states = joinStates(states, slotStates(history, { from: start, to: end }, looking))
  }
  return states
}

/** The slots of some days. */
export function slotsOf(
  { period }: Pick<KnownSeries, 'period'>,
  { fromDay, toDay }: DayRange,
): SlotRange {
  const perDay = slotsPerDay(period)
  return { from: fromDay * perDay, to: (toDay + 1) * perDay - 1 }
}

/** Adds the live files of some days, and of those from which expectations are learned. */
async function withLive(
  reader: Sources['reader'],
  part: readonly KnownSeries[],
  { fromDay, toDay, asOf }: DayRange & { readonly asOf: number },
  requester: Requester,
): Promise<readonly SeriesPast[]> {
  const earliest = fromDay - lookbackDays
  const read = await reader.liveSlots(
    {
      now: asOf,
      series: part.map(({ station, fileType, period, past }) => ({
        station,
        fileType,
        period,
        range: slotsOf({ period }, { fromDay: earliest, toDay }),
        firstDelivered: past.delivered.firstFrom(-Infinity),
      })),
    },
    requester,
  )
  return part.map(({ period, past }, index) => {
    const { first, slots } = read[index] ?? { first: undefined, slots: [] }
    const all = together({ first, slots: setOf(period, slots) }, past)
    return { ...past, ...all, delivered: all.delivered.upTo(slotAt(asOf, period)) }
  })
}
