/**
 * Withholds removals that look like an accident, because a lost disk or a mistaken `rm` must not
 * empty the catalogue. No I/O.
 */
import type { Area } from '../../parse/archive-path.ts'
import type { CatalogueWriter, KnownStamp } from '../../catalogue/writer.ts'
import { isPurge } from './expected-purge.ts'
import type { PurgedAfterDays } from './expected-purge.ts'

/** Removals in an area are added up over this time. */
export const removalWindowMs = 10 * 60_000
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
const timeoutMs = 6 * 3_600_000

export interface RemovalRequest {
  readonly directory: string
  readonly area: Area
  readonly count: number
  /**
   * Number of files of the area in the catalogue, including those whose removal is permitted and
   * not written yet.
   */
  readonly files: number
  /** The present time on a steady clock. */
  readonly nowMs: number
}

/**
 * Number of files of an area that were removed at one time; `atMs` is on the steady clock of this
 * process.
 */
interface Removal {
  readonly area: Area
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
}

interface WithheldRemovals {
  readonly area: Area
  /** On the steady clock of this process. */
  readonly sinceMs: number
  readonly count: number
}

/** Permitted removals in a directory that are not confirmed yet. */
interface PermittedRemovals extends RemovalRequest {
  /**
   * True if an administrator or the time has confirmed them: they do not count against the limit of
   * others.
   */
  readonly confirmed: boolean
  /** How the directory was withheld and accepted before, in case the removals are not written. */
  readonly withheld: WithheldRemovals | undefined
  readonly accepted: boolean
}

export class DeletionGuard {
  #removed: Removal[]
  readonly #withheld = new Map<string, WithheldRemovals>()
  readonly #accepted = new Set<string>()
  #permitted: PermittedRemovals[] = []

  constructor(persisted: PersistedRemovals = { withheld: [], removed: [] }) {
    this.#removed = [...persisted.removed]
    for (const { directory, area, sinceMs } of persisted.withheld)
      this.#withheld.set(directory, { area, sinceMs, count: 0 })
  }

  /** True if the missing files of a directory may be removed from the catalogue now. */
  requestRemoval(request: RemovalRequest): boolean {
    const { directory, area, count, files, nowMs } = request
    this.#removed = this.#removed.filter(({ atMs }) => atMs > nowMs - removalWindowMs)
    const permitted = this.#permitted.filter((each) => each.area === area)
    const unwritten = sumOf(permitted)
    const before =
      sumOf(this.#removed.filter((each) => each.area === area)) +
      sumOf(permitted.filter((each) => !each.confirmed && each.nowMs > nowMs - removalWindowMs))
    const withheld = this.#withheld.get(directory)
    const limit = Math.max(alwaysAllowed, largestShare * (files - unwritten + before))
    const accepted = this.#accepted.has(directory)
    const confirmed = accepted || (withheld !== undefined && nowMs - withheld.sinceMs > timeoutMs)
    // A withheld directory stays withheld; otherwise the withheld directories would pass the limit
    // one by one.
    if (!confirmed && (withheld !== undefined || before + count > limit)) {
      this.#withheld.set(directory, { area, sinceMs: withheld?.sinceMs ?? nowMs, count })
      return false
    }
    this.markComplete(directory)
    this.#permitted.push({ ...request, confirmed, withheld, accepted })
    return true
  }

  /**
   * Counts the removals permitted since the last call, except those in the `unwritten` directories,
   * which count as if they had not been requested. `left` has the number of removals that follow in
   * later parts, by directory; these stay permitted. Expected purges, which nobody requests here,
   * come before the others.
   */
  confirmWritten(unwritten: ReadonlySet<string>, left?: ReadonlyMap<string, number>): void {
    const permitted = this.#permitted
    this.#permitted = []
    for (const removals of permitted) {
      const { directory, area, confirmed, nowMs, withheld } = removals
      if (unwritten.has(directory)) {
        if (withheld !== undefined) this.#withheld.set(directory, withheld)
        if (removals.accepted) this.#accepted.add(directory)
        continue
      }
      const count = Math.min(left?.get(directory) ?? 0, removals.count)
      if (count > 0) this.#permitted.push({ ...removals, count })
      if (!confirmed) this.#removed.push({ area, atMs: nowMs, count: removals.count - count })
    }
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
      if (roots.some((root) => directory === root || directory.startsWith(`${root}/`)))
        this.#accepted.add(directory)
  }

  /** Returns the number of withheld removals by area. */
  withheld(): ReadonlyMap<Area, number> {
    const counts = new Map<Area, number>()
    for (const { area, count } of this.#withheld.values())
      counts.set(area, (counts.get(area) ?? 0) + count)
    return counts
  }
}

function sumOf(removals: readonly { readonly count: number }[]): number {
  return removals.reduce((sum, { count }) => sum + count, 0)
}

/**
 * Loads the withheld and the latest removals. The catalogue does not store which removals an
 * administrator has accepted. After a restart, accepted removals count like all others, so the
 * guard may withhold too much, but never too little.
 */
export async function loadPersistedRemovals(deps: {
  readonly writer: CatalogueWriter
  readonly directories: readonly KnownStamp[]
  readonly purgedAfterDays: PurgedAfterDays
  /** The clock: microseconds since 1970. */
  readonly nowUs: () => number
}): Promise<PersistedRemovals> {
  const nowUs = deps.nowUs()
  const nowMs = performance.now()
  // A time in the future comes from a clock that was wrong, so it counts as the present time.
  const steadyMs = (us: number): number => nowMs - Math.max(0, nowUs - us) / 1000
  const removed = await deps.writer.removedSince(nowUs - removalWindowMs * 1000)
  return {
    withheld: deps.directories.flatMap(({ path, withheldSinceUs }) => {
      if (withheldSinceUs === undefined) return []
      const area = path.split('/', 1)[0] as Area
      return [{ directory: path, area, sinceMs: steadyMs(withheldSinceUs) }]
    }),
    removed: removed
      .filter((each) => !isPurge(deps.purgedAfterDays, each))
      .map(({ area, atUs, count }) => ({ area, count, atMs: steadyMs(atUs) })),
  }
}
