/** Reads the deliveries of all series into memory, and then only those of days that changed. */
import type {
  NetworkDeliveries,
  NetworkSeries,
} from '../../catalogue/questions/network-deliveries.ts'
import type { CatalogueReader } from '../../catalogue/questions/reader.ts'
import type { Head } from '../../catalogue/records.ts'
import type { Asker } from '../../catalogue/turns.ts'
import { DeliveryWindow } from '../../series/delivery-window.ts'
import type { DayRange, Period } from '../../series/series.ts'
import { deliveryDays, recentDays } from '../../series/series.ts'
import { keyOf } from './known-series.ts'

/** Days in the first query, which takes a fraction of a second for a large network. */
const firstDaysAtOnce = 7

/** With fewer deliveries than this in a query, the next one reads twice as many days. */
const fewDeliveries = 50_000

/** Days whose latencies are kept: two times 28, today, and a day ahead because clocks differ. */
const arrivalDays = 2 * recentDays + 2

export interface LoadedWindow extends DayRange {
  readonly window: DeliveryWindow
  readonly head: Head
  readonly series: readonly NetworkSeries[]
  /** See `NetworkDeliveries`; `all` if the changes since the last load are not known. */
  readonly olderChanged: ReadonlySet<string> | 'all'
  /** The damaged files of each day (see `NetworkDeliveries`). */
  readonly damagedDays: NetworkDeliveries['damagedDays']
  /** Grows when files are found to be damaged, or to be good again. */
  readonly damageVersion: number
}

export class DeliveryReader {
  readonly #reader: Pick<CatalogueReader, 'deliveries'>
  #loaded: LoadedWindow | undefined

  constructor(reader: Pick<CatalogueReader, 'deliveries'>) {
    this.#reader = reader
  }

  /** The days whose slots, and whose latencies, are in memory. */
  get days(): { readonly slotsFrom: number; readonly latenciesFrom: number } {
    const { fromDay = Infinity, toDay = Infinity } = this.#loaded ?? {}
    return { slotsFrom: fromDay, latenciesFrom: toDay - arrivalDays + 1 }
  }

  /** Brings all deliveries up to date; reads all if the changes are unknown or too many. */
  async load(today: number): Promise<LoadedWindow> {
    const range = { fromDay: today - deliveryDays, toDay: today + 1 }
    this.#loaded = (await this.#changed(range)) ?? (await this.#all(range))
    return this.#loaded
  }

  /** Reads the deliveries of some days, with all latencies. */
  async read(range: DayRange, asker: Asker): Promise<DeliveryWindow> {
    const window = new DeliveryWindow(range, range.toDay - range.fromDay + 1)
    await this.#readDays(window, range, asker)
    return window
  }

  async #changed(range: DayRange): Promise<LoadedWindow | undefined> {
    const earlier = this.#loaded
    // If the clock has jumped back, the window no longer contains the first days.
    if (earlier === undefined || earlier.fromDay > range.fromDay) return undefined
    const { window, head: since } = earlier
    const changed = await this.#reader.deliveries({ ...range, since })
    if (!changed.isComplete) return undefined
    window.moveTo(range.fromDay)
    addTo(window, changed)
    if (range.toDay > earlier.toDay)
      await this.#readDays(window, { fromDay: earlier.toDay + 1, toDay: range.toDay })
    const { head, series, damagedDays } = changed
    const damaged = differing(earlier.damagedDays, damagedDays)
    for (const day of damaged)
      if (day >= range.fromDay && day <= range.toDay)
        await this.#readDays(window, { fromDay: day, toDay: day })
    // What is kept of older files has the slots of this range too.
    const restated = damaged.length === 0 ? [] : restatedStations(earlier.series, series)
    const olderChanged = new Set([...changed.olderChanged, ...restated])
    const damageVersion = earlier.damageVersion + damaged.length
    return { window, head, series, olderChanged, damagedDays, damageVersion, ...range }
  }

  async #all(range: DayRange): Promise<LoadedWindow> {
    const window = new DeliveryWindow(range, arrivalDays)
    const { first, last } = await this.#readDays(window, range)
    // The head of the first part is stored, so the next request reads the changes after it again.
    const { head, damagedDays } = first
    const damageVersion = (this.#loaded?.damageVersion ?? 0) + 1
    const known = { damagedDays, damageVersion, olderChanged: 'all' } as const
    return { window, head, series: last.series, ...known, ...range }
  }

  async #readDays(
    window: DeliveryWindow,
    { fromDay, toDay }: DayRange,
    asker?: Asker,
  ): Promise<{ readonly first: NetworkDeliveries; readonly last: NetworkDeliveries }> {
    let first: NetworkDeliveries | undefined
    let daysAtOnce = firstDaysAtOnce
    for (let day = fromDay; ;) {
      const part = { fromDay: day, toDay: Math.min(toDay, day + daysAtOnce - 1) }
      const last = await this.#reader.deliveries(part, asker)
      first ??= last
      addTo(window, last)
      if (part.toDay === toDay) return { first, last }
      day = part.toDay + 1
      if (countOf(last) < fewDeliveries) daysAtOnce *= 2
    }
  }
}

/** The days that have another text, ascending. */
function differing(
  earlier: ReadonlyMap<number, string>,
  later: ReadonlyMap<number, string>,
): readonly number[] {
  const days = [...new Set([...earlier.keys(), ...later.keys()])]
  return days.filter((day) => earlier.get(day) !== later.get(day)).sort((a, b) => a - b)
}

/** The stations with series of which other slots are damaged than before. */
function restatedStations(
  earlier: readonly NetworkSeries[],
  later: readonly NetworkSeries[],
): readonly string[] {
  const damagedIn = (series: readonly NetworkSeries[]): ReadonlyMap<string, string> =>
    new Map(
      series
        .filter(({ damaged }) => damaged.length > 0)
        .map((each) => [keyOf(each), each.damaged.join()]),
    )
  const [before, after] = [damagedIn(earlier), damagedIn(later)]
  const isOther = (each: NetworkSeries): boolean =>
    before.get(keyOf(each)) !== after.get(keyOf(each))
  return [...earlier, ...later].filter(isOther).map(({ station }) => station)
}

function countOf({ days }: NetworkDeliveries): number {
  const starts = days.flatMap((day) => day.starts)
  return starts.reduce((sum, { ids }) => sum + ids.length, 0)
}

function addTo(window: DeliveryWindow, deliveries: NetworkDeliveries): void {
  const periods = new Map<number, Period>()
  for (const { ids, period } of deliveries.series) for (const id of ids) periods.set(id, period)
  for (const day of deliveries.days) window.add(day, periods)
}
