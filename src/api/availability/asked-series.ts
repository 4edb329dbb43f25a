/** The series that questions ask for, and the present spans of their files. */
import type { CatalogueReader } from '../../catalogue/questions/reader.ts'
import type { DayRange, SeriesKey } from '../../series/series.ts'
import { endOfSlot, slotAt, startOf } from '../../series/series.ts'
import type { Requester } from '../http/limits.ts'
import type { NetworkKey } from '../series/known-series.ts'
import { slotsOf } from '../series/network-days.ts'
import type { SeriesQuestion } from './questions.ts'
import { LineFaults, slotsOfQuestion } from './questions.ts'

/** A series on some days, by the code of the question, or one that its `*` found. */
export interface AskedSeries extends NetworkKey, DayRange {}

/** Limits of one request; more take long, and say that the whole list is wanted. */
export const most = { series: 1000, slots: 10_000_000 }

/** Series, and slots, that are read in one query. */
const atOnce = { series: 10, slots: 100_000 }

/** Maximum number of sites; a network may have thousands. */
const maxSites = 20_000

/** The sites of the catalogue (see `selection/sites.ts`), and the codes that it knows. */
export class KnownSites {
  readonly #siteOf = new Map<string, string>()
  readonly #codes = new Map<string, readonly string[]>()
  readonly #longCodes = new Map<string, string[]>()
  readonly #stations: ReadonlySet<string>

  private constructor(stations: ReadonlySet<string>) {
    this.#stations = stations
  }

  /** @param series those of the network, of which some may have no live files */
  static async read(
    reader: Pick<CatalogueReader, 'stations'>,
    series: readonly NetworkKey[],
    requester: Requester,
  ): Promise<KnownSites> {
    const known = new KnownSites(new Set(series.map(({ station }) => station)))
    const { stations } = await reader.stations({ limit: maxSites, offset: 0 }, requester)
    for (const { code, codes } of stations) {
      known.#codes.set(code, codes)
      for (const each of codes) known.#siteOf.set(each, code)
      const short = code.slice(0, 4)
      if (code.length === 9)
        known.#longCodes.set(short, [...(known.#longCodes.get(short) ?? []), code])
    }
    return known
  }

  /** The site whose files a code means: itself, or the long code to which it belongs. */
  siteOf(code: string): string {
    const [only, ...others] = this.#longCodes.get(code) ?? []
    return this.#siteOf.get(code) ?? (others.length === 0 ? only : undefined) ?? code
  }

  codesOf(site: string): readonly string[] {
    return this.#codes.get(site) ?? [site]
  }

  has(code: string): boolean {
    return this.#stations.has(code) || this.#siteOf.has(code) || this.#longCodes.has(code)
  }
}

/** @throws BadFields, with the line, for too many series or slots */
export function seriesOfQuestions(
  questions: readonly SeriesQuestion[],
  known: readonly NetworkKey[],
): readonly AskedSeries[] {
  const byKey = Map.groupBy(known, keyText)
  const asked: AskedSeries[] = []
  const faults = new LineFaults()
  let [codes, slots] = [0, 0]
  for (const question of questions) {
    const { stations, fileType, period, fromDay, toDay, line } = question
    const add = (station: string) => asked.push({ station, fileType, period, fromDay, toDay })
    const before = asked.length
    for (const code of stations) {
      // A beginning that finds nothing counts too: each is compared with all stations.
      if (++codes > most.series) break
      if (!code.endsWith('*')) add(code)
      else
        for (const { station } of byKey.get(keyText(question)) ?? [])
          if (station.startsWith(code.slice(0, -1))) add(station)
    }
    slots += (asked.length - before) * slotsOfQuestion(question)
    if (codes > most.series || asked.length > most.series)
      faults.add('station', line, `A request has at most ${most.series} series.`)
    else if (slots > most.slots)
      faults.add('from', line, `A request has at most ${most.slots} slots; ask for fewer days.`)
    faults.throwIfAny()
  }
  return asked
}

function keyText({ fileType, period }: SeriesKey): string {
  return `${fileType} ${period}`
}

/** A present stretch, in seconds since 1970. */
type Span = readonly [start: number, end: number]

export interface SpansOfSeries {
  readonly series: AskedSeries
  /**
   * Number of slots that have ended and were delivered, also if the file was removed since; not
   * counted for formats that do not show it.
   */
  readonly delivered: number
  readonly spans: readonly Span[]
}

/**
 * Reads the present stretches of series, in their order, a few series in a turn.
 * @param how.asOf seconds since 1970; without it, nothing is known to be present
 * @param how.mergeGaps stretches that are at most so many seconds apart are one
 */
export async function* spansOf(
  reader: Pick<CatalogueReader, 'liveSlots'>,
  asked: readonly AskedSeries[],
  how: {
    readonly asOf: number | undefined
    readonly mergeGaps: number
    readonly countsDelivered: boolean
  },
  requester: Requester,
): AsyncGenerator<readonly SpansOfSeries[]> {
  const { asOf, mergeGaps, countsDelivered } = how
  for (const part of partsOf(asked)) {
    await requester.turn()
    if (asOf === undefined) {
      yield part.map((series) => ({ series, delivered: 0, spans: [] }))
      continue
    }
    const query = part.map((series) => {
      const { from, to } = slotsOf(series, series)
      const range = { from, to: Math.min(to, slotAt(asOf, series.period)) }
      return { ...series, range, withRecorded: countsDelivered }
    })
    const found = await reader.liveSlots({ now: asOf, series: query }, requester)
    await requester.turn()
    yield part.map((series, index) => {
      const { slots = [], recorded = [] } = found[index] ?? {}
      const delivered = [...new Set([...slots, ...recorded])].filter(
        (slot) => endOfSlot(slot, series.period) <= asOf,
      )
      return { series, delivered: delivered.length, spans: joined(slots, series, mergeGaps) }
    })
  }
}

/** Parts of series that are read together. */
function* partsOf(asked: readonly AskedSeries[]): Generator<readonly AskedSeries[]> {
  let part: AskedSeries[] = []
  let slots = 0
  for (const series of asked) {
    const { from, to } = slotsOf(series, series)
    const isFull = part.length >= atOnce.series || slots + to - from + 1 > atOnce.slots
    if (isFull && part.length > 0) {
      yield part
      part = []
      slots = 0
    }
    part.push(series)
    slots += to - from + 1
  }
  if (part.length > 0) yield part
}

function joined(slots: readonly number[], { period }: SeriesKey, mergeGaps: number): Span[] {
  const spans: [number, number][] = []
  for (const slot of slots) {
    const [start, end] = [startOf(slot, period), endOfSlot(slot, period)]
    const last = spans.at(-1)
    if (last !== undefined && start - last[1] <= mergeGaps) last[1] = end
    else spans.push([start, end])
  }
  return spans
}
