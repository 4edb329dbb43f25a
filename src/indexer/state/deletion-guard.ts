/** Withholds removals that look like an accident, because a lost disk or a mistaken `rm` must not empty the catalogue. No I/O. */
import { areas } from '../../parse/archive-path.ts'
import type { Area } from '../../parse/archive-path.ts'
import type { CatalogueWriter, KnownStamp } from '../../catalogue/writer.ts'

/** Removals in an area are added up over this time. */
export const removalWindowMs = 10 * 60_000
/** Largest share of the files of an area that may be removed within `removalWindowMs`; further removals are withheld. */
const largestShare = 0.2
/** Number of removals in an area within `removalWindowMs` that are allowed, whatever share of the files they are. */
const alwaysAllowed = 1000
/** Withheld removals are permitted after this time (ms) if the files are still missing, because many reads have confirmed it. */
const timeoutMs = 6 * 3_600_000

export interface DeletionGuard {
  /** True if the missing files of a directory may be removed from the catalogue now. */
  requestRemoval(request: RemovalRequest): boolean
  /**
   * Confirms that the removals permitted since the last call were written. Removals in the `unwritten` directories are undone:
   * they count as if they had not been requested. `left` has the number of removals that follow in later parts, by directory;
   * these stay unconfirmed.
   */
  readonly confirmWritten: (
    unwritten: ReadonlySet<string>,
    left?: ReadonlyMap<string, number>,
  ) => void
  /** Ends the withholding for a directory in which no file is missing any longer. */
  markComplete(directory: string): void
  /** Time since which removals in a directory are withheld (steady clock, ms); `undefined` if none are withheld. */
  withheldSinceMs(directory: string): number | undefined
  /** Permits the withheld removals at or below these directories, because an administrator has confirmed them. */
  readonly permitWithheld: (roots: readonly string[]) => void
  /** Returns the number of withheld removals by area. */
  withheld(): ReadonlyMap<Area, number>
}

export interface RemovalRequest {
  readonly directory: string
  readonly area: Area
  readonly count: number
  /** Number of files of the area in the catalogue, including those whose removal is permitted and not written yet. */
  readonly files: number
  /** The present time on a steady clock. */
  readonly nowMs: number
}

/** A directory with withheld removals. */
export interface WithheldDirectory {
  readonly directory: string
  readonly area: Area
  /**
   * Time since which the removals are withheld, on the steady clock of this process (ms); negative if it is before the start of
   * this process.
   */
  readonly sinceMs: number
}

/** Number of files of an area that were removed at one time; `atMs` is on the steady clock of this process. */
export interface Removal {
  readonly area: Area
  readonly atMs: number
  readonly count: number
}

/**
 * Removals of earlier processes: the removals that they withheld, and the removals that they made within the last ten minutes.
 */
export interface PersistedRemovals {
  readonly withheld: readonly WithheldDirectory[]
  readonly removed: readonly Removal[]
}

interface WithheldRemovals {
  readonly area: Area
  readonly sinceMs: number
  readonly count: number
}

interface PermittedRemovals {
  readonly directory: string
  readonly area: Area
  /** Number of these removals that are not written yet. */
  readonly unwritten: number
  /** Counts the unwritten removals as if they had not been requested. */
  readonly undo: (unwritten: number) => void
}

export function openDeletionGuard(
  persisted: PersistedRemovals = { withheld: [], removed: [] },
): DeletionGuard {
  const recent = new Map<Area, { atMs: number; count: number }[]>()
  for (const area of areas) {
    const removed = persisted.removed.filter((removal) => removal.area === area)
    recent.set(area, removed)
  }
  const withheld = new Map<string, WithheldRemovals>()
  for (const { directory, area, sinceMs } of persisted.withheld)
    withheld.set(directory, { area, sinceMs, count: 0 })
  const accepted = new Set<string>()
  /** The permitted removals that are not confirmed yet. */
  let permitted: PermittedRemovals[] = []
  const unwrittenIn = (area: Area): number =>
    permitted.reduce((sum, removals) => sum + (removals.area === area ? removals.unwritten : 0), 0)
  const removedLately = (area: Area, nowMs: number): { atMs: number; count: number }[] => {
    const kept = (recent.get(area) ?? []).filter(({ atMs }) => atMs > nowMs - removalWindowMs)
    recent.set(area, kept)
    return kept
  }
  return {
    requestRemoval({ directory, area, count, files, nowMs }) {
      const lately = removedLately(area, nowMs)
      const before = lately.reduce((sum, removal) => sum + removal.count, 0)
      const known = withheld.get(directory)
      const limit = Math.max(alwaysAllowed, largestShare * (files - unwrittenIn(area) + before))
      const confirmed =
        accepted.has(directory) || (known !== undefined && nowMs - known.sinceMs > timeoutMs)
      // A withheld directory stays withheld; otherwise the withheld directories would pass the limit one by one.
      if (!confirmed && (known !== undefined || before + count > limit)) {
        withheld.set(directory, { area, sinceMs: known?.sinceMs ?? nowMs, count })
        return false
      }
      const wasAccepted = accepted.delete(directory)
      withheld.delete(directory)
      // Confirmed removals do not count against the limit of others.
      const removal = { atMs: nowMs, count: confirmed ? 0 : count }
      lately.push(removal)
      const undo = (unwritten: number): void => {
        removal.count = Math.max(0, removal.count - unwritten)
        if (known !== undefined) withheld.set(directory, known)
        if (wasAccepted) accepted.add(directory)
      }
      permitted.push({ directory, area, unwritten: count, undo })
      return true
    },
    confirmWritten(unwritten, left) {
      const unconfirmed: PermittedRemovals[] = []
      for (const removals of permitted) {
        const leftHere = left?.get(removals.directory) ?? 0
        if (unwritten.has(removals.directory)) removals.undo(removals.unwritten)
        else if (leftHere > 0) unconfirmed.push({ ...removals, unwritten: leftHere })
      }
      permitted = unconfirmed
    },
    markComplete(directory) {
      withheld.delete(directory)
      accepted.delete(directory)
    },
    withheldSinceMs: (directory) => withheld.get(directory)?.sinceMs,
    permitWithheld(roots) {
      for (const directory of withheld.keys())
        if (roots.some((root) => directory === root || directory.startsWith(`${root}/`)))
          accepted.add(directory)
    },
    withheld() {
      const counts = new Map<Area, number>()
      for (const { area, count } of withheld.values())
        counts.set(area, (counts.get(area) ?? 0) + count)
      return counts
    },
  }
}

/**
 * Loads the withheld and the latest removals. The catalogue does not store which removals an administrator has accepted. After a
 * restart, accepted removals count like all others, so the guard may withhold too much, but never too little.
 */
export async function loadPersistedRemovals(deps: {
  readonly writer: CatalogueWriter
  readonly directories: readonly KnownStamp[]
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
    removed: removed.map(({ area, atUs, count }) => ({ area, count, atMs: steadyMs(atUs) })),
  }
}
