/** Which directories are hot: those in which new files are expected. */
import { secondsPerDay, secondsPerHour } from '../../parse/calendar.ts'
import { latestStart } from '../../parse/directory-period.ts'
import type { Layout } from '../../parse/layout.ts'
import type { KnownDirectories } from './known-directories.ts'
import type { SureStamps } from './sure-stamps.ts'

/** Number of past days whose directories are hot. */
export interface HotWindow {
  /** For directories of days, months and years, and those whose path names no time. */
  readonly days: number
  /** For directories of hours. */
  readonly hoursDays: number
}

/** What decides which directories are hot. */
export interface HotTree {
  readonly layout: Layout
  readonly window: HotWindow
  readonly known: KnownDirectories
  readonly stamps: Pick<SureStamps, 'awaited'>
}

/** Maximum number of directories whose names each sweep reads. */
export const mostByName = 1000
/** The shortest length of a year (s). */
const yearSeconds = 365 * secondsPerDay

/**
 * The known hot directories, which are watched, and read by name in each sweep: the areas; the
 * directories whose time, by their path or else by the newest of their files, is within the
 * `window` or begins within the next two days; the present and the previous year; new directories;
 * and those above, first of all, because new directories appear in them. Of the others the newest
 * come first.
 */
export function hotDirectories(tree: HotTree, nowMs: number): string[] {
  const { layout, known } = tree
  const nowSeconds = nowMs / 1000
  // This also brings the times up to date.
  const ends = known.latestEnds(nowSeconds)
  const above = new Set(layout.roots.flatMap((root) => known.slotOf(root) ?? []))
  const own: number[] = []
  for (let slot = 0; slot < known.slots; slot++) {
    if (!isHotSlot(slot, nowSeconds, tree)) continue
    own.push(slot)
    for (let at = known.parentAt(slot); !Number.isNaN(at) && !above.has(at);) {
      above.add(at)
      at = known.parentAt(at)
    }
  }
  const endOf = (slot: number): number => ends[slot] ?? -Infinity
  const newest = own.filter((slot) => !above.has(slot)).sort((a, b) => compare(endOf(b), endOf(a)))
  return [...above, ...newest]
    .map((slot) => known.pathAt(slot) ?? '')
    .filter((path) => layout.parseDirectory(path).kind === 'directory')
}

/** True if a directory is hot by itself, and not only because of one below it. */
export function isHot(path: string, nowMs: number, tree: HotTree): boolean {
  const slot = tree.known.slotOf(path)
  if (slot === undefined || tree.layout.parseDirectory(path).kind === 'rejected') return false
  return tree.layout.isRoot(path) || isHotSlot(slot, nowMs / 1000, tree)
}

function isHotSlot(slot: number, nowSeconds: number, tree: HotTree): boolean {
  const { known, window, stamps } = tree
  const start = known.startAt(slot, nowSeconds)
  // One that was not there before: until its stamp is sure, more may come.
  if (start === -Infinity) return stamps.awaited(known.pathAt(slot) ?? '') !== undefined
  if (start > latestStart(nowSeconds)) return false
  const end = known.endAt(slot, nowSeconds)
  const span = end - start
  const days = span > secondsPerHour ? window.days : window.hoursDays
  if (end > nowSeconds - days * secondsPerDay) return true
  // The previous year stays hot: late files may create a new directory in it.
  return span >= yearSeconds && end > nowSeconds - yearSeconds && isYear(slot, nowSeconds, tree)
}

/** True for the directory of a year; those of its stations and types below it are none. */
function isYear(slot: number, nowSeconds: number, { known }: HotTree): boolean {
  const parent = known.parentAt(slot)
  const start = known.startAt(slot, nowSeconds)
  return Number.isNaN(parent) || known.startAt(parent, nowSeconds) !== start
}

/** A difference of two infinite numbers would be no number. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1
}
