/** The states of all series, kept until the catalogue or its as-of changes. */
import type { NetworkSeries } from '../../catalogue/questions/network-deliveries.ts'
import type { CatalogueReader } from '../../catalogue/questions/reader.ts'
import type { Head } from '../../catalogue/records.ts'
import { secondsPerDay } from '../../parse/calendar.ts'
import type { Clock } from '../../runtime/clock.ts'
import { dueTimes } from '../../series/due.ts'
import type { ExpectedRules } from '../../series/expectation.ts'
import { slotAt } from '../../series/series.ts'
import type { SeriesPast } from '../../series/series-summary.ts'
import { unknownSummary } from '../../series/series-summary.ts'
import { openLosses } from '../../series/station-losses.ts'
import { stationStates } from '../../series/station-states.ts'
import type { Requester } from '../http/limits.ts'
import type { AsOfReader } from './as-of-reader.ts'
import type { LoadedWindow } from './delivery-reader.ts'
import { DeliveryReader } from './delivery-reader.ts'
import { summariser } from './ended-series.ts'
import type { KnownHalf } from './half-slots.ts'
import { halfOf, HalfSlots } from './half-slots.ts'
import type { KnownSeries, NetworkStatus } from './known-series.ts'
import { keyOf, seriesAtOnce } from './known-series.ts'
import type { NetworkDays, SeriesOfDays } from './network-days.ts'
import { readNetworkDays } from './network-days.ts'
import { nothing, OldSeries } from './old-series.ts'

/** Maximum time in milliseconds by which the states may be older than the catalogue. */
const maxAgeMs = 1000

interface NetworkStatusDeps {
  readonly reader: Pick<CatalogueReader, 'deliveries' | 'liveSlots' | 'halfSlots'>
  readonly nowUs: Clock
  readonly asOfReader: Pick<AsOfReader, 'of'>
  readonly expected: ExpectedRules
  /** Its work takes turns with that of clients. */
  readonly turns: { readonly take: (owner: string) => Promise<void> }
}

/** When the states were computed, and from what besides the catalogue's head. */
interface Computed {
  readonly computedMs: number
  readonly damage: number
  readonly half: number
}

export class NetworkStatusCache {
  readonly #deps: NetworkStatusDeps
  readonly #deliveries: DeliveryReader
  readonly #oldSeries: OldSeries
  readonly #half: HalfSlots
  #network: (NetworkStatus & Computed) | undefined
  #running: Promise<NetworkStatus> | undefined

  constructor(deps: NetworkStatusDeps) {
    this.#deps = deps
    this.#deliveries = new DeliveryReader(deps.reader)
    this.#oldSeries = new OldSeries(deps.reader)
    this.#half = new HalfSlots(deps.reader)
  }

  /**
   * Returns the states now. Throws as `CatalogueReader.deliveries` does.
   * @param ageMs by how many milliseconds they may be older than the catalogue
   */
  async current(ageMs = maxAgeMs): Promise<NetworkStatus> {
    const nowMs = this.#deps.nowUs() / 1000
    const known = this.#network
    if (known !== undefined && Math.abs(nowMs - known.computedMs) < ageMs) return known
    this.#running ??= this.#compute(nowMs).finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** The states that were computed last. */
  get latest(): NetworkStatus | undefined {
    return this.#network
  }

  /** Returns the states if the deliveries are in memory; else starts to read them. */
  async ifLoaded(ageMs = maxAgeMs): Promise<NetworkStatus | undefined> {
    if (this.#network !== undefined) return this.current(ageMs)
    // An error is ignored here. A request that needs the states gets the error.
    this.current().catch(() => undefined)
    return Promise.resolve(undefined)
  }

  /** The slots of some series on some days, in turns; older days are read from the catalogue. */
  async days(
    network: NetworkStatus,
    days: NetworkDays,
    requester: Requester,
  ): Promise<readonly SeriesOfDays[]> {
    return readNetworkDays(
      { network, reader: this.#deps.reader, deliveries: this.#deliveries },
      days,
      requester,
    )
  }

  /** The slots of all series that are half; see `HalfSlots`. */
  async halfAt(head: Head): Promise<KnownHalf> {
    return this.#half.at(head)
  }

  async #compute(nowMs: number): Promise<NetworkStatus> {
    const loaded = await this.#deliveries.load(Math.floor(nowMs / 1000 / secondsPerDay))
    const { head } = loaded
    const asOf = await this.#deps.asOfReader.of(head)
    const half = await this.#half.at(head)
    const known = this.#network
    const isSame =
      known?.head.seq === head.seq &&
      known.head.epoch === head.epoch &&
      known.asOf.seconds === asOf.seconds &&
      known.damage === loaded.damageVersion &&
      known.half === half.version
    const found = isSame ? known : await this.#found(loaded, half, asOf.seconds)
    const { states, stations, losses } = found
    const computed = { computedMs: nowMs, damage: loaded.damageVersion, half: half.version }
    this.#network = { head, asOf, states, stations, losses, ...computed }
    return this.#network
  }

  async #found(
    loaded: LoadedWindow,
    half: KnownHalf,
    asOf: number | undefined,
  ): Promise<Pick<NetworkStatus, 'states' | 'stations' | 'losses'>> {
    const states = await this.#summarise(loaded, half, asOf)
    const losses = asOf === undefined ? [] : openLosses(states, asOf)
    return { states, stations: stationStates(states), losses }
  }

  async #summarise(
    loaded: LoadedWindow,
    half: KnownHalf,
    asOf: number | undefined,
  ): Promise<KnownSeries[]> {
    const states: KnownSeries[] = []
    const series = this.#allOf(loaded.series)
    // Before the first scan has ended, it is not known what was delivered.
    const pastOf =
      asOf === undefined ? nothing : await this.#oldSeries.pastsOf({ ...loaded, series }, asOf)
    const summarise = asOf === undefined ? undefined : summariser(asOf)
    for (const each of series) {
      const { station, fileType, period, writtenPeriod, ids, firstStart, lastStart } = each
      const past: SeriesPast = {
        ...pastOf(each),
        arrivals: loaded.window.arrivalsOf(ids),
        half: asOf === undefined ? undefined : halfOf(half, each, asOf),
        rules: this.#deps.expected.of(each),
      }
      const lastSlot = lastStart === undefined ? undefined : slotAt(lastStart, period)
      const summary = summarise?.(past) ?? unknownSummary(lastSlot, period)
      const due = dueTimes({ fileType, period, summary, past })?.due
      const lateSeconds = due === undefined || asOf === undefined ? undefined : asOf - due
      const key = { station, fileType, period, writtenPeriod }
      states.push({ ...key, summary, due, lateSeconds, ids, past, firstStart })
      if (states.length % seriesAtOnce === 0) await this.#deps.turns.take('network')
    }
    return states
      .map((state) => ({ key: keyOf(state), state }))
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .map(({ state }) => state)
  }

  /** Returns the series of the catalogue, and the expected series that were never delivered. */
  #allOf(series: readonly NetworkSeries[]): readonly NetworkSeries[] {
    const none = {
      ids: [],
      firstStart: undefined,
      lastStart: undefined,
      files: 0,
      damaged: [],
    } as const
    const never = this.#deps.expected.notIn(series).map(({ station, fileType, period }) => ({
      station,
      fileType,
      period,
      writtenPeriod: undefined,
      ...none,
    }))
    return [...series, ...never]
  }
}
