/** Computes the states of all series on request, and keeps them until the catalogue or the minute changes. */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { CatalogueReader } from '../../catalogue/reader.ts'
import type { NetworkDeliveries, NetworkSeries } from '../../catalogue/series-queries.ts'
import type { Head } from '../../catalogue/records.ts'
import { DeliveryWindow } from '../../series/delivery-window.ts'
import type { ExpectedRules } from '../../series/expectation.ts'
import { learningDays, slotsPerDay } from '../../series/series.ts'
import type { Period } from '../../series/series.ts'
import type { Requester } from '../http/context.ts'
import { lowerBound, slotStates } from '../../series/slot-states.ts'
import type { SlotStates } from '../../series/slot-states.ts'
import { summariseSeries } from '../../series/series-summary.ts'
import type { SeriesSummary } from '../../series/series-summary.ts'
import { secondsPerDay } from '../../parse/calendar.ts'

/** A series of the network, with its state now and its figures of the last 28 days. */
export interface SeriesStatus extends Pick<NetworkSeries, 'station' | 'fileType' | 'period'> {
  readonly summary: SeriesSummary
}

/** The states of all series, for one state of the catalogue and one minute. */
export interface NetworkStatus {
  readonly head: Head
  /** The start of the minute, in seconds since 1970. */
  readonly nowSeconds: number
  /** Seconds since 1970 from which deliveries are recorded. */
  readonly knownFromSeconds: number
  readonly states: readonly SeriesStatus[]
}

/** A series with the states of its slots on some days. */
export interface SeriesDays extends SeriesStatus {
  readonly slots: SlotStates
  /** Latencies of the files that were seen arriving, in seconds, ascending. */
  readonly latencies: readonly number[]
}

/** Maximum number of days of deliveries in one query, which then takes a fraction of a second for a large network. */
const daysAtOnce = 7

/** Number of series whose states are computed without interruption, because more series would delay other requests. */
const seriesAtOnce = 50

/** Maximum time in milliseconds by which the states may be older than the catalogue. */
const maxAgeMs = 1000

export interface NetworkStatusDeps {
  readonly reader: Pick<CatalogueReader, 'deliveries'>
  readonly nowUs: () => number
  /** Series that must arrive (`expected_file`). */
  readonly expected: ExpectedRules
}

export class NetworkStatusCache {
  readonly #deps: NetworkStatusDeps
  /** The deliveries of the last weeks; `undefined` until a request has read them. */
  #window: LoadedWindow | undefined
  #network: (NetworkStatus & { readonly computedMs: number }) | undefined
  #running: Promise<NetworkStatus> | undefined

  constructor(deps: NetworkStatusDeps) {
    this.#deps = deps
  }

  /** Returns the states now. Throws as `CatalogueReader.deliveries` does. */
  async current(): Promise<NetworkStatus> {
    const nowMs = this.#deps.nowUs() / 1000
    const known = this.#network
    const isRecent =
      known !== undefined &&
      Math.abs(nowMs - known.computedMs) < maxAgeMs &&
      known.nowSeconds === minuteStart(nowMs / 1000)
    if (isRecent) return known
    this.#running ??= this.#compute(nowMs).finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /**
   * Returns the states if the deliveries are in memory. Otherwise returns `undefined`, and starts to read them in the background.
   */
  async ifLoaded(): Promise<NetworkStatus | undefined> {
    if (this.#window !== undefined) return this.current()
    // An error is ignored here. A request that needs the states gets the error.
    this.current().catch(() => undefined)
    return Promise.resolve(undefined)
  }

  /** Returns the states now, in a turn of the requester: many requests may have waited for the same states. */
  async currentFor({ turn }: Pick<Requester, 'turn'>): Promise<NetworkStatus> {
    const current = await this.current()
    await turn()
    return current
  }

  /**
   * Returns the states of the slots from one UTC day to another, both included, in a turn of the requester. If the window in memory
   * does not contain these days and the 28 days before them, their deliveries are read from the catalogue.
   */
  async days(
    fromDay: number,
    toDay: number,
    requester: Requester,
  ): Promise<NetworkStatus & { readonly series: SeriesDays[] }> {
    const network = await this.currentFor(requester)
    const summaries = new Map(network.states.map((state) => [keyOf(state), state]))
    const range = { fromDay: fromDay - learningDays, toDay }
    const readerFor: NetworkStatusDeps['reader'] = {
      deliveries: async (query) => {
        const read = await this.#deps.reader.deliveries(query, requester)
        await requester.turn()
        return read
      },
    }
    const loaded = this.#loaded(range) ?? (await loadWindow(readerFor, range))
    const series: SeriesDays[] = []
    for (const each of this.#allOf(loaded.series)) {
      const state = summaries.get(keyOf(each))
      if (state === undefined) continue
      const { slots, latencies } = loaded.window.deliveriesOf(each.ids)
      const perDay = slotsPerDay(each.period)
      const rules = this.#deps.expected.of(each)
      const known = {
        ...{ period: each.period, live: slots, delivered: slots, rules },
        usualLatency: state.summary.usualLatency,
        knownFrom: Math.ceil((network.knownFromSeconds / secondsPerDay) * perDay),
      }
      const ends = { from: fromDay * perDay, to: (toDay + 1) * perDay - 1 }
      const arrived = latencies
        .slice(lowerBound(slots, ends.from), lowerBound(slots, ends.to + 1))
        .filter((latency) => latency >= 0)
        .sort((a, b) => a - b)
      series.push({
        ...state,
        slots: slotStates(known, ends, network.nowSeconds),
        latencies: arrived,
      })
      if (series.length % seriesAtOnce === 0) await requester.turn()
    }
    return { ...network, series }
  }

  /** Returns the window in memory if it contains these days. */
  #loaded({ fromDay, toDay }: DayRange): LoadedWindow | undefined {
    const window = this.#window
    const hasDays = window !== undefined && window.fromDay <= fromDay && toDay <= window.toDay
    return hasDays ? window : undefined
  }

  /** Returns the series of the catalogue, and the expected series that were never delivered. */
  #allOf(series: readonly NetworkSeries[]): readonly NetworkSeries[] {
    const never = this.#deps.expected
      .notIn(series)
      .map(({ station, fileType, period }) => ({ station, fileType, period }))
    return [...series, ...never.map((key) => ({ ...key, ids: [], lastStart: undefined }))]
  }

  async #compute(nowMs: number): Promise<NetworkStatus> {
    const nowSeconds = minuteStart(nowMs / 1000)
    const toDay = Math.floor(nowSeconds / secondsPerDay) + 1
    const range = { fromDay: toDay - 2 * learningDays - 1, toDay }
    const loaded = await loadWindow(this.#deps.reader, range, this.#window)
    const { head, knownFromSeconds } = loaded
    this.#window = loaded
    const isSame =
      this.#network?.head.seq === head.seq &&
      this.#network.head.epoch === head.epoch &&
      this.#network.nowSeconds === nowSeconds
    const states = isSame
      ? (this.#network?.states ?? [])
      : await this.#summarise(loaded, nowSeconds)
    this.#network = { head, nowSeconds, knownFromSeconds, states, computedMs: nowMs }
    return this.#network
  }

  async #summarise(
    { window, series, knownFromSeconds }: LoadedWindow,
    nowSeconds: number,
  ): Promise<SeriesStatus[]> {
    const states: SeriesStatus[] = []
    for (const each of this.#allOf(series)) {
      const { station, fileType, period, ids, lastStart } = each
      const rules = this.#deps.expected.of(each)
      const deliveries = window.deliveriesOf(ids)
      const history = { period, deliveries, knownFromSeconds, lastStart, rules }
      states.push({ station, fileType, period, summary: summariseSeries(history, nowSeconds) })
      if (states.length % seriesAtOnce === 0) await yieldToOthers()
    }
    return states.sort(byStation)
  }
}

/**
 * Returns the main series of each station: an hourly or daily series of observation files. A series with expected files comes
 * before one without, then an hourly series before a daily one.
 */
export function mainSeries(states: readonly SeriesStatus[]): ReadonlyMap<string, SeriesStatus> {
  const byStation = new Map<string, SeriesStatus>()
  for (const each of states) {
    const known = byStation.get(each.station)
    if (each.fileType !== 'o' || each.period === '15M') continue
    if (known === undefined || rank(each) > rank(known)) byStation.set(each.station, each)
  }
  return byStation
}

function rank({ period, summary }: SeriesStatus): number {
  return (summary.share === undefined ? 0 : 2) + (period === '01H' ? 1 : 0)
}

/** The part of an `ETag` that identifies the states of the network: epoch, change number and minute. */
export function networkTag({ head, nowSeconds }: NetworkStatus): string {
  return `${head.epoch}-${head.seq}-${nowSeconds / 60}`
}

/** UTC days since 1970, both included. */
interface DayRange {
  readonly fromDay: number
  readonly toDay: number
}

interface LoadedWindow extends DayRange {
  readonly window: DeliveryWindow
  readonly head: Head
  readonly knownFromSeconds: number
  readonly series: readonly NetworkSeries[]
}

/**
 * Reads the deliveries of a range of days. With an earlier window, reads only the days that have changed since and the days after
 * this window; but it reads all days if the range begins before the window, or if the changes are unknown or too many.
 */
async function loadWindow(
  reader: NetworkStatusDeps['reader'],
  { fromDay, toDay }: DayRange,
  earlier?: LoadedWindow,
): Promise<LoadedWindow> {
  if (earlier !== undefined && earlier.fromDay <= fromDay) {
    const { window, head: since } = earlier
    const changed = await reader.deliveries({ fromDay, toDay, since })
    if (changed.isComplete) {
      addTo(window, changed)
      window.dropBefore(fromDay)
      if (toDay > earlier.toDay)
        await readDays(reader, window, { fromDay: earlier.toDay + 1, toDay })
      return { window, ...stateOf(changed), fromDay, toDay }
    }
  }
  const window = new DeliveryWindow()
  const { first, last } = await readDays(reader, window, { fromDay, toDay })
  // The head of the first part is stored, so the next request reads the changes after it again.
  return { window, ...stateOf(last), head: first.head, fromDay, toDay }
}

/** Reads a range of days into a window, `daysAtOnce` days at a time. */
async function readDays(
  reader: NetworkStatusDeps['reader'],
  window: DeliveryWindow,
  { fromDay, toDay }: DayRange,
): Promise<{ readonly first: NetworkDeliveries; readonly last: NetworkDeliveries }> {
  let first: NetworkDeliveries | undefined
  for (let day = fromDay; ; day += daysAtOnce) {
    const last = await reader.deliveries({
      fromDay: day,
      toDay: Math.min(toDay, day + daysAtOnce - 1),
    })
    first ??= last
    addTo(window, last)
    if (day + daysAtOnce > toDay) return { first, last }
  }
}

function addTo(window: DeliveryWindow, deliveries: NetworkDeliveries): void {
  const periods = new Map<number, Period>()
  for (const { ids, period } of deliveries.series) for (const id of ids) periods.set(id, period)
  for (const day of deliveries.days) window.replace(day, periods)
}

function stateOf({ head, knownFromUs, series }: NetworkDeliveries) {
  return { head, knownFromSeconds: knownFromUs / 1e6, series }
}

function minuteStart(seconds: number): number {
  return Math.floor(seconds / 60) * 60
}

function keyOf({ station, fileType, period }: Omit<SeriesStatus, 'summary'>): string {
  return `${station} ${fileType} ${period}`
}

function byStation(a: SeriesStatus, b: SeriesStatus): number {
  return keyOf(a) < keyOf(b) ? -1 : 1
}
