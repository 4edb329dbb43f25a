/** May these files be removed? Rules without I/O: a lost disk or a slip of the hand must not empty the catalogue. */
import { areas } from '../parse/archive-path.ts'
import type { Area } from '../parse/archive-path.ts'
import type { CatalogueWriter, KnownStamp } from '../catalogue/writer.ts'

/** Removals of an area within this time count together. */
export const removalWindowMs = 10 * 60_000
/** They are held back from this share of the area on, */
const largestShare = 0.2
/** but never below this number. */
const smallestMass = 1000
/** A directory that still lacks its files after this time has been looked at again often enough. */
const timeoutMs = 6 * 3_600_000

export interface DeletionGuard {
  /** Whether the files that a directory lacks may be removed from the catalogue now. */
  mayRemove(request: RemovalRequest): boolean
  /**
   * What was allowed since the last time has been written; but for these directories, of which the removals could
   * not be and are as if they had never been asked for.
   */
  settle(unwritten: ReadonlySet<string>): void
  /** A directory lacks nothing any more. */
  isWhole(directory: string): void
  /** Since when removals in a directory are held back. */
  withheldSinceMs(directory: string): number | undefined
  /** An administrator says that what is missing at or below these directories was meant to go. */
  accept(roots: readonly string[]): void
  /** Removals that are held back, by area. */
  withheld(): ReadonlyMap<Area, number>
}

export interface RemovalRequest {
  readonly directory: string
  readonly area: Area
  readonly count: number
  /** Live files of the area in the catalogue, which still counts those of which the removal is not written yet. */
  readonly files: number
  /** Of a steady clock. */
  readonly nowMs: number
}

/** A directory of which removals are held back. */
export interface WithheldDirectory {
  readonly directory: string
  readonly area: Area
  /** Of the same steady clock; before this process began it is negative. */
  readonly sinceMs: number
}

/** So many files of an area were removed at a time of that clock. */
export interface Removal {
  readonly area: Area
  readonly atMs: number
  readonly count: number
}

/** What earlier processes held back, and removed of late. */
export interface PersistedRemovals {
  readonly withheld: readonly WithheldDirectory[]
  readonly removed: readonly Removal[]
}

interface Held {
  readonly area: Area
  readonly sinceMs: number
  readonly count: number
}

export function openDeletionGuard(
  persisted: PersistedRemovals = { withheld: [], removed: [] },
): DeletionGuard {
  const recent = new Map<Area, { atMs: number; count: number }[]>()
  for (const area of areas) {
    const removed = persisted.removed.filter((removal) => removal.area === area)
    recent.set(area, removed)
  }
  const withheld = new Map<string, Held>()
  for (const { directory, area, sinceMs } of persisted.withheld)
    withheld.set(directory, { area, sinceMs, count: 0 })
  const accepted = new Set<string>()
  /** What was allowed since the last time something was written, by area. */
  const allowed = new Map<Area, number>()
  let undo: { directory: string; back: () => void }[] = []
  const removedLately = (area: Area, nowMs: number): { atMs: number; count: number }[] => {
    const kept = (recent.get(area) ?? []).filter(({ atMs }) => atMs > nowMs - removalWindowMs)
    recent.set(area, kept)
    return kept
  }
  return {
    mayRemove({ directory, area, count, files, nowMs }) {
      const lately = removedLately(area, nowMs)
      const before = lately.reduce((sum, removal) => sum + removal.count, 0)
      const known = withheld.get(directory)
      const unwritten = allowed.get(area) ?? 0
      const limit = Math.max(smallestMass, largestShare * (files - unwritten + before))
      const meant =
        accepted.has(directory) || (known !== undefined && nowMs - known.sinceMs > timeoutMs)
      // What is held stays held, or waiting would let it through bit by bit.
      if (!meant && (known !== undefined || before + count > limit)) {
        withheld.set(directory, { area, sinceMs: known?.sinceMs ?? nowMs, count })
        return false
      }
      const wasAccepted = accepted.delete(directory)
      withheld.delete(directory)
      // What was meant says nothing of what else is missing.
      const removal = { atMs: nowMs, count: meant ? 0 : count }
      lately.push(removal)
      allowed.set(area, unwritten + count)
      const back = (): void => {
        removal.count = 0
        if (known !== undefined) withheld.set(directory, known)
        if (wasAccepted) accepted.add(directory)
      }
      undo.push({ directory, back })
      return true
    },
    settle(unwritten) {
      for (const { directory, back } of undo) if (unwritten.has(directory)) back()
      undo = []
      allowed.clear()
    },
    isWhole(directory) {
      withheld.delete(directory)
      accepted.delete(directory)
    },
    withheldSinceMs: (directory) => withheld.get(directory)?.sinceMs,
    accept(roots) {
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
 * The catalogue does not remember which removals an administrator had accepted: after a restart they count like the
 * others, which may hold back too much and never too little.
 */
export async function loadPersistedRemovals(deps: {
  readonly writer: CatalogueWriter
  readonly directories: readonly KnownStamp[]
  /** The clock: microseconds since 1970. */
  readonly nowUs: () => number
}): Promise<PersistedRemovals> {
  const nowUs = deps.nowUs()
  const nowMs = performance.now()
  // What a clock ahead of its time has dated happened by now all the same.
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
