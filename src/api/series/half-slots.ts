/**
 * The slots of all series that are half (see series/half.ts), in memory: a bit each. They are the
 * one source of all answers, and few, so that they are read as a whole when the catalogue changed.
 */
import type { CatalogueReader } from '../../catalogue/questions/reader.ts'
import type { HalfSlotsPart } from '../../catalogue/questions/slot-files.ts'
import type { Head } from '../../catalogue/records.ts'
import { slotAt } from '../../series/series.ts'
import type { SlotSet } from '../../series/slot-set.ts'
import type { NetworkKey } from './known-series.ts'
import { keyOf } from './known-series.ts'
import { setOf } from './old-series.ts'

/** The slots that are half in one state of the catalogue. */
export interface KnownHalf {
  /** Changes when some slots do. */
  readonly version: number
  readonly slots: ReadonlyMap<string, SlotSet>
}

interface Read {
  readonly head: Head
  readonly known: KnownHalf
  /** Number of the files with a small share. */
  readonly files: number
  readonly endedMs: number
}

/** Files with small shares in a part, which is read in a quarter of a second. */
const filesInPart = 10_000

/** An answer waits for the slots of as many files whenever the catalogue has changed. */
const fewFiles = 1000

/**
 * Those of more are kept for so long (ms) for each file, and read while they are answered: it takes
 * a twentieth of that to read one in a catalogue of ten million records.
 */
const restPerFile = 0.5

export class HalfSlots {
  readonly #reader: Pick<CatalogueReader, 'halfSlots'>
  readonly #nowMs: () => number
  #read: Read | undefined
  #running: Promise<KnownHalf> | undefined

  /** @param nowMs a clock that only goes forward */
  constructor(reader: Pick<CatalogueReader, 'halfSlots'>, nowMs = () => performance.now()) {
    this.#reader = reader
    this.#nowMs = nowMs
  }

  /** The slots of a state of the catalogue, or for a while of one before. @throws NotBuilt */
  async at({ epoch, seq, detailsSeq }: Head): Promise<KnownHalf> {
    const read = this.#read
    const { head } = read ?? {}
    const isSame = head?.epoch === epoch && head.seq === seq && head.detailsSeq === detailsSeq
    if (read === undefined || (!isSame && read.files <= fewFiles)) return this.#readNow()
    const restMs = read.files * restPerFile
    // An error is ignored here: the slots that are known stay.
    if (!isSame && this.#nowMs() > read.endedMs + restMs) this.#readNow().catch(() => undefined)
    return read.known
  }

  async #readNow(): Promise<KnownHalf> {
    this.#running ??= this.#readAll().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #readAll(): Promise<KnownHalf> {
    const found = new Map<
      string,
      { readonly period: SlotSet['period']; readonly slots: number[] }
    >()
    let head: Head | undefined
    let after: HalfSlotsPart['next']
    let files = 0
    do {
      const part = await this.#reader.halfSlots({ after, limit: filesInPart })
      // The head of the first part: what changes meanwhile is read the next time.
      head ??= part.head
      files += part.files
      for (const { slots, ...series } of part.series) {
        const own = found.get(keyOf(series)) ?? { period: series.period, slots: [] }
        found.set(keyOf(series), own)
        for (const slot of slots) own.slots.push(slot)
      }
      after = part.next
    } while (after !== undefined)
    const slots = new Map(
      Array.from(found, ([key, { period, slots }]) => [
        key,
        setOf(
          period,
          slots.sort((a, b) => a - b),
        ),
      ]),
    )
    const before = this.#read?.known
    const isSame = before !== undefined && areEqual(before.slots, slots)
    const known = isSame ? before : { version: (before?.version ?? 0) + 1, slots }
    this.#read = { head, known, files, endedMs: this.#nowMs() }
    return known
  }
}

function areEqual(a: KnownHalf['slots'], b: KnownHalf['slots']): boolean {
  if (a.size !== b.size) return false
  return Array.from(a).every(([key, slots]) => b.get(key)?.equals(slots))
}

/** Number of the slots of all series that are half and have ended by a time. */
export function halfCount({ slots }: KnownHalf, asOf: number): number {
  return Array.from(slots.values()).reduce((sum, each) => {
    const last = slotAt(asOf, each.period) - 1
    return sum + each.upTo(last).size
  }, 0)
}

/** The slots of a series that are half and have ended by a time, in seconds since 1970. */
export function halfOf(
  { slots }: KnownHalf,
  series: NetworkKey,
  asOf: number,
): SlotSet | undefined {
  return slots.get(keyOf(series))?.upTo(slotAt(asOf, series.period) - 1)
}
