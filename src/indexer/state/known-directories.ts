/**
 * The directories that the catalogue contains, in memory, with their stamps and the time of their
 * files, and the checks whether a directory is missing.
 */
import type { DirectoryStamp, DirectoryTimes } from '../../catalogue/updates/change.ts'
import type { KnownStamp } from '../../catalogue/updates/known.ts'
import { secondsPerDay } from '../../parse/calendar.ts'
import { periodOfDirectory } from '../../parse/directory-period.ts'
import type { Layout } from '../../parse/layout.ts'
import type { DirectorySnapshot } from '../read/directory-snapshot.ts'
import type { TreeReader } from '../read/tree-reader.ts'
import { Column } from './column.ts'
import { PathSlots } from './path-slots.ts'

/**
 * The directories in the catalogue. Each has a slot, a number from 0 up; that of a directory that
 * is gone is given to another one. What is known of them is in columns.
 */
export class KnownDirectories {
  readonly #paths = new PathSlots()
  #size = 0
  readonly #start = new Column()
  readonly #end = new Column()
  readonly #mtimeUs = new Column()
  readonly #ctimeUs = new Column()
  readonly #inode = new Column()
  readonly #namesSum = new Column()
  /** Directories that were found in the one above, as the catalogue says, and are not known yet. */
  readonly unread = new Set<string>()
  /** Slots of paths that name another time on another day (see `periodOfDirectory`). */
  readonly #relative = new Set<number>()
  #day = 0
  /**
   * The number of the last sweep that looked at each directory (see `Looks`); `NaN` for a slot that
   * no known directory has.
   */
  readonly looked = new Column()
  /** That of the last sweep that began; what is read or found after it is at least as new. */
  looking = 0
  /** The number of the last walk that read each directory. */
  readonly #walked = new Column()
  /** That of the last walk that began. */
  walks = 0

  constructor(paths: readonly string[] = []) {
    for (const path of paths) this.add(path)
  }

  /** Adds a directory as the catalogue has it. @param nowSeconds the present (s since 1970) */
  load(
    { path, stamp, newestSeconds }: Pick<KnownStamp, 'path' | 'stamp' | 'newestSeconds'>,
    nowSeconds: number,
  ): void {
    this.add(path)
    this.setStamp(path, stamp)
    // After the clock was set back, or a migration, it may lie ahead.
    if (newestSeconds !== undefined)
      this.holds(path, Math.min(newestSeconds, nowSeconds), nowSeconds)
  }

  get size(): number {
    return this.#size
  }

  /** A number above all slots. */
  get slots(): number {
    return this.#paths.end
  }

  has(path: string): boolean {
    return this.slotOf(path) !== undefined
  }

  /** True if a directory is known at or below a path. */
  hasWithin(path: string): boolean {
    return this.#paths.slotOf(path) !== undefined && (path !== '' || this.#size > 0)
  }

  slotOf(path: string): number | undefined {
    const slot = this.#paths.slotOf(path)
    return slot !== undefined && this.isKnown(slot) ? slot : undefined
  }

  /** False for a slot that no directory has, or one that is only above a known one. */
  isKnown(slot: number): boolean {
    return !Number.isNaN(this.looked.get(slot))
  }

  /** `undefined` for a slot that no known directory has. */
  pathAt(slot: number): string | undefined {
    return this.isKnown(slot) ? this.#paths.pathAt(slot) : undefined
  }

  /** The slot of the directory above; `NaN` if it is not known. */
  parentAt(slot: number): number {
    const parent = this.#paths.parentAt(slot) ?? NaN
    return this.isKnown(parent) ? parent : NaN
  }

  /** Returns the paths of the known directories directly below this one. */
  childrenOf(path: string): string[] {
    const slot = this.#paths.slotOf(path)
    if (slot === undefined) return []
    return [...this.#paths.childrenAt(slot)].flatMap((child) => this.pathAt(child) ?? [])
  }

  add(path: string): void {
    this.unread.delete(path)
    const slot = this.#paths.add(path)
    if (this.isKnown(slot)) return
    this.#size++
    for (const column of [this.#start, this.#end, this.#mtimeUs, this.#walked])
      column.set(slot, NaN)
    this.looked.set(slot, this.looking)
  }

  delete(path: string): void {
    this.unread.delete(path)
    const slot = this.slotOf(path)
    if (slot === undefined) return
    this.#size--
    this.#relative.delete(slot)
    for (const column of [this.#start, this.#end, this.#mtimeUs, this.looked]) column.set(slot, NaN)
    // Those above may have been kept for this one alone.
    for (let at: number | undefined = slot; at !== undefined && this.#isUnneeded(at);) {
      const above = this.#paths.parentAt(at)
      this.#paths.delete(at)
      at = above
    }
  }

  #isUnneeded(slot: number): boolean {
    return !this.isKnown(slot) && !this.#paths.hasChildren(slot)
  }

  /** Notes that the walk that runs has read a directory. */
  walk(path: string): void {
    const slot = this.slotOf(path)
    if (slot !== undefined) this.#walked.set(slot, this.walks)
  }

  /** What the last walk has not read: known directories, and those that other reads found. */
  *unwalked(): Generator<string, undefined> {
    for (let slot = 0; slot < this.slots; slot++)
      if (this.isKnown(slot) && this.#walked.get(slot) !== this.walks)
        yield this.#paths.pathAt(slot)
    yield* this.unread
  }

  /** Sets the stamp that the catalogue stores; `undefined` while it has none. */
  setStamp(path: string, stamp: DirectoryStamp | undefined): void {
    const slot = this.slotOf(path)
    if (slot === undefined) return
    this.#mtimeUs.set(slot, stamp?.mtimeUs ?? NaN)
    this.#ctimeUs.set(slot, stamp?.ctimeUs ?? NaN)
    this.#inode.set(slot, stamp?.inode ?? NaN)
    this.#namesSum.set(slot, stamp?.namesSum ?? NaN)
  }

  stampOf(path: string): DirectoryStamp | undefined {
    const slot = this.slotOf(path)
    if (slot === undefined || !this.hasStamp(slot)) return undefined
    return {
      mtimeUs: this.#mtimeUs.get(slot),
      ctimeUs: this.#ctimeUs.get(slot),
      inode: this.#inode.get(slot),
      namesSum: this.#namesSum.get(slot),
    }
  }

  hasStamp(slot: number): boolean {
    return !Number.isNaN(this.#mtimeUs.get(slot))
  }

  /** True if the stamp of the directory has these times. */
  hasTimes(slot: number, { mtimeUs, ctimeUs, inode }: DirectoryTimes): boolean {
    return (
      this.#mtimeUs.get(slot) === mtimeUs &&
      this.#ctimeUs.get(slot) === ctimeUs &&
      this.#inode.get(slot) === inode
    )
  }

  /**
   * Notes that a directory holds a file that begins then (s since 1970). The newest counts as the
   * time of a directory whose path names none.
   * @returns true if this is its time now, and was not
   */
  holds(path: string, newestSeconds: number, nowSeconds: number): boolean {
    const slot = this.slotOf(path)
    if (slot === undefined || this.startAt(slot, nowSeconds) >= newestSeconds) return false
    if (periodOfDirectory(path, nowSeconds) !== undefined) return false
    this.#start.set(slot, newestSeconds)
    this.#end.set(slot, newestSeconds + secondsPerDay)
    return true
  }

  /**
   * The start of the time of the files in a directory (s since 1970); `-Infinity` if neither its
   * path nor a file in it names one.
   */
  startAt(slot: number, nowSeconds: number): number {
    if (Number.isNaN(this.#start.get(slot))) this.#setPeriod(slot, nowSeconds)
    return this.#start.get(slot)
  }

  /** The end of that time. */
  endAt(slot: number, nowSeconds: number): number {
    if (Number.isNaN(this.#end.get(slot))) this.#setPeriod(slot, nowSeconds)
    return this.#end.get(slot)
  }

  #setPeriod(slot: number, nowSeconds: number): void {
    const path = this.pathAt(slot)
    if (path === undefined) return
    const period = periodOfDirectory(path, nowSeconds)
    if (period?.isRelative === true) this.#relative.add(slot)
    this.#start.set(slot, period?.startSeconds ?? -Infinity)
    this.#end.set(slot, period === undefined ? -Infinity : period.startSeconds + period.spanSeconds)
  }

  /**
   * The latest end of the time of the files in each directory and in those below it (s since
   * 1970), by slot; `NaN` for a slot that no directory has.
   */
  latestEnds(nowSeconds: number): Float64Array {
    const day = Math.floor(nowSeconds / secondsPerDay)
    if (day !== this.#day) for (const slot of this.#relative) this.#setPeriod(slot, nowSeconds)
    this.#day = day
    const ends = new Float64Array(this.slots).fill(NaN)
    for (let slot = 0; slot < ends.length; slot++) {
      if (!this.isKnown(slot)) continue
      const end = this.endAt(slot, nowSeconds)
      for (let at = slot; !Number.isNaN(at) && !((ends[at] ?? NaN) >= end); at = this.parentAt(at))
        ends[at] = end
    }
    return ends
  }
}

/** What is known of a tree. */
export interface KnownTree {
  readonly known: KnownDirectories
  readonly layout: Layout
}

/** True if a snapshot shows for sure that the directory does not exist. */
export function isMissing(
  { path, outcome }: DirectorySnapshot,
  { known, layout }: KnownTree,
): boolean {
  // An area that is not known has never contained anything, so it is missing and not lost.
  return outcome === 'missing' || (outcome === 'lost-area' && !known.has(layout.rootOf(path) ?? ''))
}

/** True if there is nothing at or below a path, neither in the archive nor in the catalogue. */
export async function isUnknownPath(
  path: string,
  { tree, ...knownTree }: KnownTree & { readonly tree: TreeReader },
): Promise<boolean> {
  // A directory that is gone may still have known directories below it, whose removals are
  // withheld.
  if (knownTree.known.hasWithin(path)) return false
  return isMissing(await tree.snapshot(path), knownTree)
}
