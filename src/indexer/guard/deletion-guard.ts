/**
 * Withholds removals that look like an accident, because a lost disk or a mistaken `rm` must not
 * empty the catalogue. What was removed the catalogue itself says: a removal that is permitted
 * counts when it is written, and not before.
 */
import type { KnownStamp, RemovedFiles } from '../../catalogue/updates/known.ts'
import type { CatalogueWriter } from '../../catalogue/updates/writer.ts'
import type { Layout } from '../../parse/layout.ts'
import { isWithin } from '../../parse/layout.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { PurgedAfterDays } from './expected-purge.ts'
import { isPurge } from './expected-purge.ts'

/** Removals in an area are added up over this time. */
const removalWindowMs = 10 * 60_000
/**
 * Largest share of the files of an area that may be removed within `removalWindowMs`; further
 * removals are withheld.
 */
const largestShare = 0.2
/**
 * Number of removals in an area within `removalWindowMs` that are allowed, whatever share of the
 * files they are.
 */
const alwaysAllowed = 1000
/**
 * Withheld removals are permitted after this time (ms) if the files are still missing, because many
 * reads have confirmed it.
 */
const confirmAfterMs = 6 * 3_600_000

interface RemovalRequest {
  readonly directory: string
  readonly area: string
  readonly count: number
  /** Number of files of the area in the catalogue; no permitted removal is unwritten. */
  readonly files: number
  /** The present time on a steady clock. */
  readonly nowMs: number
}

/**
 * Number of files of an area that were removed at one time; `atMs` is on the steady clock of this
 * process.
 */
interface Removal {
  readonly area: string
  readonly atMs: number
  readonly count: number
}

/** Removals of earlier processes. */
export interface PersistedRemovals {
  /**
   * The directories with withheld removals, and since when; negative if it is before the start of
   * this process.
   */
  readonly withheld: readonly (Omit<WithheldRemovals, 'count'> & { readonly directory: string })[]
  /** The removals within the last ten minutes. */
  readonly removed: readonly Removal[]
  /** Their highest number. */
  readonly seq: number
}

interface WithheldRemovals {
  readonly area: string
  /** On the steady clock of this process. */
  readonly sinceMs: number
  readonly count: number
}

export class DeletionGuard {
  #removed: Removal[]
  #seq: number
  readonly #withheld = new Map<string, WithheldRemovals>()
  readonly #accepted = new Set<string>()
  /** Directories whose permitted removals do not count against the limit of others. */
  readonly #confirmed = new Set<string>()

  constructor(persisted: PersistedRemovals = { withheld: [], removed: [], seq: 0 }) {
    this.#removed = [...persisted.removed]
    this.#seq = persisted.seq
    for (const { directory, area, sinceMs } of persisted.withheld)
      this.#withheld.set(directory, { area, sinceMs, count: 0 })
  }

  /** The highest number of the removals that are counted. */
  get seq(): number {
    return this.#seq
  }

  /**
   * Counts all removals that were written since `seq`, but for expected purges and for those that
   * an administrator or the time has confirmed.
   */
  count(removed: readonly RemovedFiles[], purgedAfterDays: PurgedAfterDays, nowMs: number): void {
    for (const each of removed) {
      this.#seq = Math.max(this.#seq, each.seq)
      if (this.#confirmed.has(each.directory) || isPurge(purgedAfterDays, each)) continue
      this.#removed.push({ area: each.area, atMs: nowMs, count: each.count })
    }
    this.#confirmed.clear()
  }

  /**
   * True if the missing files of a directory may be removed from the catalogue now. All removals
   * that were permitted before must be written, or have failed, and be counted.
   */
  requestRemoval({ directory, area, count, files, nowMs }: RemovalRequest): boolean {
    this.#removed = this.#removed.filter(({ atMs }) => atMs > nowMs - removalWindowMs)
    const before = this.#removed
      .filter((each) => each.area === area)
      .reduce((sum, each) => sum + each.count, 0)
    const limit = Math.max(alwaysAllowed, largestShare * (files + before))
    const withheld = this.#withheld.get(directory)
    const isOverdue = withheld !== undefined && nowMs - withheld.sinceMs > confirmAfterMs
    if (isOverdue || this.#accepted.has(directory)) {
      this.#confirmed.add(directory)
      return true
    }
    // A withheld directory stays withheld; otherwise the withheld directories would pass the limit
    // one by one.
    if (withheld === undefined && before + count <= limit) return true
    this.#withheld.set(directory, { area, sinceMs: withheld?.sinceMs ?? nowMs, count })
    return false
  }

  /** Ends the withholding for a directory in which no file is missing any longer. */
  markComplete(directory: string): void {
    this.#withheld.delete(directory)
    this.#accepted.delete(directory)
  }

  /**
   * Time since which removals in a directory are withheld (steady clock, ms); `undefined` if none
   * are withheld.
   */
  withheldSinceMs(directory: string): number | undefined {
    return this.#withheld.get(directory)?.sinceMs
  }

  /**
   * Permits the withheld removals at or below these directories, because an administrator has
   * confirmed them.
   */
  permitWithheld(roots: readonly string[]): void {
    for (const directory of this.#withheld.keys())
      if (roots.some((root) => isWithin(directory, root))) this.#accepted.add(directory)
  }

  /** Returns the number of withheld removals by area. */
  withheld(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>()
    for (const { area, count } of this.#withheld.values())
      counts.set(area, (counts.get(area) ?? 0) + count)
    return counts
  }
}

/** Stands for the area of a directory that was in an area, and is in none as it is configured. */
export const outside = ''

/** The area whose removals are added up with those of a directory. */
export function guardedArea(layout: Layout, directory: string): string {
  return layout.areaOf(directory) ?? outside
}

/** Gives removals the area that their directory has now. */
export function inGuardedArea(layout: Layout) {
  return (removed: RemovedFiles): RemovedFiles => {
    return { ...removed, area: guardedArea(layout, removed.directory) }
  }
}

/**
 * Loads the withheld and the latest removals. The catalogue does not store which removals an
 * administrator has accepted. After a restart, accepted removals count like all others, so the
 * guard may withhold too much, but never too little.
 */
export async function loadPersistedRemovals(deps: {
  readonly writer: CatalogueWriter
  readonly layout: Layout
  /** The directories in which removals are withheld. */
  readonly withheld: readonly Pick<KnownStamp, 'path' | 'withheldSinceUs'>[]
  readonly purgedAfterDays: PurgedAfterDays
  readonly nowUs: Clock
}): Promise<PersistedRemovals> {
  const nowUs = deps.nowUs()
  const nowMs = performance.now()
  // A time in the future comes from a clock that was wrong, so it counts as the present time.
  const steadyMs = (us: number): number => nowMs - Math.max(0, nowUs - us) / 1000
  const us = nowUs - removalWindowMs * 1000
  const { seq } = await deps.writer.head()
  const removed = await deps.writer.removalsAfter({ seq: 0, us })
  return {
    withheld: deps.withheld.flatMap(({ path, withheldSinceUs }) => {
      if (withheldSinceUs === undefined) return []
      return [
        {
          directory: path,
          area: guardedArea(deps.layout, path),
          sinceMs: steadyMs(withheldSinceUs),
        },
      ]
    }),
    removed: removed
      .map(inGuardedArea(deps.layout))
      .filter((each) => !isPurge(deps.purgedAfterDays, each))
      .map(({ area, atUs, count }) => ({ area, count, atMs: steadyMs(atUs) })),
    seq,
  }
}
