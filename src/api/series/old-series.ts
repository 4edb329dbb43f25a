/**
 * The live files of series that delivered too little to be judged in the days in memory. They are
 * kept until older files or the ends of the series change.
 */
import type { NetworkSeries } from '../../catalogue/questions/network-deliveries.ts'
import type { CatalogueReader } from '../../catalogue/questions/reader.ts'
import type { LiveSlots } from '../../catalogue/questions/series-slots.ts'
import { secondsPerDay } from '../../parse/calendar.ts'
import type { Period } from '../../series/series.ts'
import { settledDays, slotAt, slotsPerDay, startOf } from '../../series/series.ts'
import { recentSlots } from '../../series/series-summary.ts'
import { SlotSet } from '../../series/slot-set.ts'
import type { DamagedSlots } from '../../series/slot-states.ts'
import type { LoadedWindow } from './delivery-reader.ts'
import { keyOf } from './known-series.ts'

/** Maximum number of series in one query, which then takes a fraction of a second. */
const seriesInQuery = 100

/** What a series delivered. */
export interface Delivered {
  readonly delivered: SlotSet
  readonly damaged: DamagedSlots
  readonly first: number | undefined
}

export function nothing({ period }: NetworkSeries): Delivered {
  return { delivered: new SlotSet(period, 0, 0), damaged: noDamaged, first: undefined }
}

const noDamaged: DamagedSlots = new Map()

function damagedUpTo({ damaged, period }: NetworkSeries, asOf: number): DamagedSlots {
  if (damaged.length === 0) return noDamaged
  const now = slotAt(asOf, period)
  const found = new Map<number, number>()
  for (const [slot, seconds] of damaged)
    if (slot <= now) found.set(slot, Math.min(seconds, found.get(slot) ?? Infinity))
  return found
}

/** The live files of a series, in a set of the days from the first to the last of them. */
interface Live {
  readonly first: number | undefined
  readonly slots: SlotSet
}

interface Kept {
  readonly station: string
  /** Changes when the first or the last file of the series, or their number, changes. */
  readonly version: string
  readonly live: Live
}

export class OldSeries {
  readonly #reader: Pick<CatalogueReader, 'liveSlots'>
  readonly #kept = new Map<string, Kept>()

  constructor(reader: Pick<CatalogueReader, 'liveSlots'>) {
    this.#reader = reader
  }

  /**
   * Returns what tells what a series delivered up to a time in seconds since 1970.
   */
  async pastsOf(
    { window, series, olderChanged, fromDay }: LoadedWindow,
    asOf: number,
  ): Promise<(series: NetworkSeries) => Delivered> {
    this.#forget(olderChanged)
    const recent = new Map<NetworkSeries, Delivered>()
    const old: { readonly series: NetworkSeries; readonly version: string }[] = []
    for (const each of series) {
      const { ids, period } = each
      const delivered = window.slotsOf(ids, period).upTo(slotAt(asOf, period))
      const first = delivered.firstFrom(-Infinity)
      recent.set(each, { delivered, damaged: damagedUpTo(each, asOf), first })
      if (isOld({ ...each, delivered, first, fromDay, asOf }))
        old.push({ series: each, version: versionOf(each, first, asOf) })
    }
    await this.#read(old, recent, asOf)
    return (each) => {
      const found = recent.get(each) ?? nothing(each)
      const kept = this.#kept.get(keyOf(each))
      return kept === undefined ? found : together(kept.live, found)
    }
  }

  #forget(changed: LoadedWindow['olderChanged']): void {
    if (changed === 'all') this.#kept.clear()
    else if (changed.size > 0)
      for (const [key, { station }] of this.#kept) if (changed.has(station)) this.#kept.delete(key)
  }

  async #read(
    old: readonly { readonly series: NetworkSeries; readonly version: string }[],
    recent: ReadonlyMap<NetworkSeries, Delivered>,
    asOf: number,
  ): Promise<void> {
    const keys = new Set(old.map(({ series }) => keyOf(series)))
    for (const key of this.#kept.keys()) if (!keys.has(key)) this.#kept.delete(key)
    const wanted = old.filter(
      ({ series, version }) => this.#kept.get(keyOf(series))?.version !== version,
    )
    for (let start = 0; start < wanted.length; start += seriesInQuery) {
      const part = wanted.slice(start, start + seriesInQuery)
      const read = await this.#reader.liveSlots({
        now: asOf,
        series: part.map(({ series }) => ({
          station: series.station,
          fileType: series.fileType,
          period: series.period,
          firstDelivered: recent.get(series)?.first,
        })),
      })
      for (const [index, { series, version }] of part.entries()) {
        const { first, slots } = read[index] ?? { first: undefined, slots: [] }
        const live = { first, slots: setOf(series.period, slots) }
        this.#kept.set(keyOf(series), { station: series.station, version, live })
      }
    }
  }
}

/** True if files from before the window decide: expectations, or the first slot. */
function isOld(series: {
  readonly period: NetworkSeries['period']
  readonly firstStart: number | undefined
  readonly delivered: SlotSet
  readonly first: number | undefined
  readonly fromDay: number
  readonly asOf: number
}): boolean {
  const { period, firstStart, delivered, first, fromDay, asOf } = series
  if (firstStart === undefined || firstStart >= fromDay * secondsPerDay) return false
  const last = delivered.lastUpTo(Infinity)
  const learnedFrom = (fromDay + settledDays) * slotsPerDay(period)
  if (last === undefined || last < learnedFrom) return true
  return first === undefined || first > recentSlots(period, asOf).from
}

function versionOf(
  { firstStart, lastStart, files, period }: NetworkSeries,
  firstDelivered: number | undefined,
  asOf: number,
): string {
  // With a file that begins later, the last one before it may be another one with the time.
  const now = lastStart !== undefined && lastStart > asOf ? slotAt(asOf, period) : ''
  return [firstStart, lastStart, files, firstDelivered, now].join()
}

/** A set of the days from the first to the last slot. @param slots ascending */
export function setOf(period: Period, slots: readonly number[]): SlotSet {
  const dayOf = (slot: number): number => Math.floor(startOf(slot, period) / secondsPerDay)
  const [first = 0, last = -1] = [slots[0], slots.at(-1)]
  return SlotSet.of(period, slots, { firstDay: dayOf(first), lastDay: dayOf(last) })
}

/**
 * The live slots and the recorded ones of a series, in a set of the days from the first to the last
 * of them: a series that ended long ago takes as little as one that is new.
 */
export function together(
  live: Pick<LiveSlots, 'first'> & { readonly slots: SlotSet },
  { delivered, damaged, first }: Delivered,
): Delivered {
  const { period } = delivered
  const known = { damaged, first: live.first ?? first }
  const [last, lastLive] = [delivered.lastUpTo(Infinity), live.slots.lastUpTo(Infinity)]
  if (last === undefined) return { delivered: live.slots, ...known }
  if (lastLive === undefined) return { delivered, ...known }
  const dayOf = (slot: number): number => Math.floor(startOf(slot, period) / secondsPerDay)
  const all = SlotSet.of(period, live.slots, {
    firstDay: Math.min(delivered.firstDay, live.slots.firstDay),
    lastDay: dayOf(Math.max(last, lastLive)),
  })
  for (const slot of delivered) all.add(slot)
  return { delivered: all, ...known }
}
