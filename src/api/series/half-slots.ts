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
  /**
   * Slots of one part are read again whenever the catalogue has changed; of more, when this time
   * has come, by the clock that only goes forward.
   */
  readonly againMs: number
}

/** Files with small shares in a part, which is read in about 0.1 s. */
const filesInPart = 10_000

/** How many times longer than a reading of several parts the slots are kept. */
const restTimes = 20

export class HalfSlots {
  readonly #reader: Pick<CatalogueReader, 'halfSlots'>
  #read: Read | undefined
  #running: Promise<KnownHalf> | undefined

  constructor(reader: Pick<CatalogueReader, 'halfSlots'>) {
    this.#reader = reader
  }

  /** The slots of a state of the catalogue, or for a while of one before. @throws NotBuilt */
  async at({ epoch, seq, detailsSeq }: Head): Promise<KnownHalf> {
    const { head, known, againMs } = this.#read ?? {}
    const isSame = head?.epoch === epoch && head.seq === seq && head.detailsSeq === detailsSeq
    if (known !== undefined && (isSame || performance.now() < (againMs ?? 0))) return known
    this.#running ??= this.#readAll().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #readAll(): Promise<KnownHalf> {
    const beganMs = performance.now()
    const found = new Map<
      string,
      { readonly period: SlotSet['period']; readonly slots: number[] }
    >()
    let head: Head | undefined
    let after: HalfSlotsPart['next']
    let parts = 0
    do {
      parts++
      const part = await this.#reader.halfSlots({ after, limit: filesInPart })
      // The head of the first part: what changes meanwhile is read the next time.
      head ??= part.head
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
    const nowMs = performance.now()
    this.#read = { head, known, againMs: parts === 1 ? 0 : nowMs + restTimes * (nowMs - beganMs) }
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
