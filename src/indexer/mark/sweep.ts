/** Sweeps: look for directories that have changed since they were read, within a budget. */
import type { Moment } from '../state/as-of.ts'
import type { IndexerContext } from '../state/context.ts'
import { hotDirectories, mostByName } from '../state/hot-window.ts'
import { sameStamp, sameTimes } from '../state/sure-stamps.ts'
import { bandsOf } from './bands.ts'

/**
 * Maximum number of directories in one request to the tree worker, so that other requests do not
 * wait long.
 */
const timesPerRequest = 2000
const stampsPerRequest = 50
/** On a slow disk the worker answers after this time (ms) with the looks that it has made. */
const mostRequestMs = 50

/** The share of a core that sweeps may use. */
export const cpuShare = 0.1
/** The share of the time from one sweep to the next that looks at a slow disk may take. */
const timeShare = 0.5
/** The shortest time from one sweep to the next of which these are shares (ms). */
const leastPeriodMs = 60_000
/** A band leaves this share of the rest to those after it. */
const leftShare = 0.25

type SweepContext = Pick<
  IndexerContext,
  | 'tree'
  | 'known'
  | 'looks'
  | 'layout'
  | 'window'
  | 'nowUs'
  | 'stamps'
  | 'silentFileSystems'
  | 'asOf'
  | 'sweepIntervalMs'
  | 'fullReadMs'
>

/** What a sweep has found. */
export interface Sweep {
  readonly number: number
  readonly begun: Moment
  /** The directories that may have changed since they were read. */
  readonly found: readonly string[]
  /** The time of a core that it has used (ms). */
  readonly cpuMs: number
}

/**
 * Finds the directories whose stamp differs from the one in the catalogue. Those in which files are
 * expected are compared by their times and names, all others by their times alone. On a silent file
 * system the newest others are compared by their names too. A directory that will be read again
 * because its stamp is not sure is left to that read, unless it changes meanwhile.
 *
 * The others are in three bands by the time of their files, newest first (see `bandsOf`). A sweep
 * looks at all of them if a tenth of a core is enough for that. Otherwise the rounds of a band take
 * several sweeps, and the next sweep goes on where this one ended.
 */
export class Sweeper {
  readonly #context: SweepContext
  /** The number of the sweep in which the round of each band began, and whether it is complete. */
  readonly #rounds = [0, 0, 0].map(() => ({ first: 0, begunMs: -Infinity, isComplete: true }))
  /** Directories that differed in the last sweep, which the next one looks at in any case. */
  #found: readonly string[] = []

  constructor(context: SweepContext) {
    this.#context = context
  }

  /** @param all looks at everything, whatever it costs */
  async sweep({ all }: { readonly all: boolean }): Promise<Sweep> {
    const { known, layout, looks, asOf, silentFileSystems, nowUs } = this.#context
    const begun = asOf.now()
    const run = new Run(this.#context, looks.begin())
    const nowMs = nowUs() / 1000
    const hot = hotDirectories(this.#context, nowMs).slice(0, mostByName)
    await run.compareNames(hot)
    // What is not known: an area may have appeared; no directory above it shows this.
    for (const path of [...layout.roots, ...known.unread])
      if (known.slotOf(path) === undefined) run.found.add(path)
    const { urgent, bands } = bandsOf(known, nowMs / 1000)
    await run.compareTimes([...urgent, ...this.#found.flatMap((path) => known.slotOf(path) ?? [])])
    for (const [index, band] of bands.entries()) await this.#look(run, { index, band, all })
    const newest = run.silent.slice(0, mostByName - hot.length)
    await run.compareNames(newest)
    silentFileSystems.swept(new Set([...hot, ...newest]), asOf.now())
    this.#found = [...run.found]
    return { number: run.number, begun, found: this.#found, cpuMs: run.cpuMs }
  }

  /** Goes on with the round of a band, or begins one. */
  async #look(
    run: Run,
    { index, band, all }: { index: number; band: readonly number[]; all: boolean },
  ): Promise<void> {
    const { looked } = this.#context.known
    const round = this.#rounds[index]
    if (round === undefined) return
    const later = this.#rounds.slice(index + 1)
    const isDue = performance.now() - round.begunMs >= this.#leastRoundMs(index)
    if (all || (round.isComplete && (isDue || later.every(({ isComplete }) => isComplete)))) {
      round.first = run.number
      round.begunMs = performance.now()
    }
    const pending = band.filter((slot) => looked.get(slot) < round.first)
    const used = run.used()
    const most = used + Math.max(0, 1 - used) * (later.length > 0 ? 1 - leftShare : 1)
    round.isComplete = await run.compareTimes(pending, all ? Infinity : most)
  }

  /** While a later band waits, a new round begins no sooner (ms). */
  #leastRoundMs(index: number): number {
    return [0, 1_800_000, this.#context.fullReadMs][index] ?? 0
  }
}

/** One sweep, as far as it has come. */
class Run {
  readonly #context: SweepContext
  readonly #begunMs = performance.now()
  readonly number: number
  readonly found = new Set<string>()
  /** Unchanged directories on silent file systems. */
  readonly silent: string[] = []
  cpuMs = 0

  constructor(context: SweepContext, number: number) {
    this.#context = context
    this.number = number
  }

  /** The share of its budget that the sweep has used. */
  used(): number {
    const periodMs = Math.max(this.#context.sweepIntervalMs, leastPeriodMs)
    const tookMs = performance.now() - this.#begunMs
    return Math.max(this.cpuMs / (cpuShare * periodMs), tookMs / (timeShare * periodMs))
  }

  async compareNames(paths: readonly string[]): Promise<void> {
    const { tree, known, stamps } = this.#context
    for (let start = 0; start < paths.length; start += stampsPerRequest) {
      const part = paths.slice(start, start + stampsPerRequest)
      const seen = await tree.stamps(part)
      for (const [index, path] of part.entries()) {
        const slot = known.slotOf(path)
        if (slot === undefined) continue
        if (!sameStamp(seen[index], stamps.awaited(path) ?? known.stampOf(path)))
          this.found.add(path)
        known.looked.set(slot, this.number)
      }
    }
  }

  /**
   * Compares the times of directories until this share of the budget is used.
   * @returns true if it has compared all of them
   */
  async compareTimes(slots: readonly number[], most = Infinity): Promise<boolean> {
    const { tree, known } = this.#context
    for (let start = 0; start < slots.length;) {
      if (this.used() >= most) return false
      const part = slots.slice(start, start + timesPerRequest)
      const paths = part.map((slot) => known.pathAt(slot))
      const { times, cpuMs } = await tree.looks(
        paths.map((path) => path ?? ''),
        mostRequestMs,
      )
      const answeredMs = performance.now()
      const count = times.length / 4
      for (let index = 0; index < count; index++) {
        const [slot = NaN, path] = [part[index], paths[index]]
        // Another directory may have got the slot.
        if (path !== undefined && known.pathAt(slot) === path)
          this.#compare(slot, path, times.subarray(4 * index, 4 * index + 4))
      }
      this.cpuMs += cpuMs + performance.now() - answeredMs
      start += count
    }
    return true
  }

  #compare(slot: number, path: string, [mtimeUs, ctimeUs, inode, device]: Float64Array): void {
    const { known, stamps, silentFileSystems } = this.#context
    const times = { mtimeUs: mtimeUs ?? NaN, ctimeUs: ctimeUs ?? NaN, inode: inode ?? NaN }
    const awaited = stamps.awaited(path)
    const isSame = awaited ? sameTimes(times, awaited) : known.hasTimes(slot, times)
    if (!isSame) this.found.add(path)
    else if (silentFileSystems.has(device ?? NaN)) this.silent.push(path)
    known.looked.set(slot, this.number)
  }
}
