/**
 * The directories that the catalogue contains, in memory, with their stamps and the time of their
 * files, and the checks whether a directory is missing.
 */
import type { DirectoryStamp, DirectoryTimes } from '../../catalogue/updates/change.ts'
import type { KnownStamp } from '../../catalogue/updates/known.ts'
import { secondsPerDay } from '../../parse/calendar.ts'
import { periodOfDirectory } from '../../parse/directory-period.ts'
import type { Layout } from '../../parse/layout.ts'
import { isWithin, parentOf } from '../../parse/layout.ts'
import type { DirectorySnapshot } from '../read/directory-snapshot.ts'
import type { TreeReader } from '../read/tree-reader.ts'
import { Column } from './column.ts'

/**
 * The directories in the catalogue. Each has a slot, a number from 0 up; that of a directory that
 * is gone is given to another one. What is known of them is in columns.
 */
export class KnownDirectories {
  readonly #slots = new Map<string, number>()
  readonly #paths: (string | undefined)[] = []
  readonly #free: number[] = []
  /** By parent, because the snapshot of a directory is compared with its known subdirectories. */
  readonly #children = new Map<string, Set<string>>()
  readonly #parent = new Column()
  readonly #start = new Column()
  readonly #end = new Column()
  readonly #mtimeUs = new Column()
  readonly #ctimeUs = new Column()
  readonly #inode = new Column()
  readonly #namesSum = new Column()
  /** Directories that were found in the one above, as the catalogue says, and are not known yet. */
  readonly unread = new Set<string>()
  /** Directories whose path names another time on another day (see `periodOfDirectory`). */
  readonly #relative = new Set<string>()
  #day = 0
  /** The number of the last sweep that looked at each directory (see `Looks`). */
  readonly looked = new Column()
  /** That of the last sweep that began; what is read or found after it is at least as new. */
  looking = 0

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
    return this.#slots.size
  }

  /** A number above all slots. */
  get slots(): number {
    return this.#paths.length
  }

  has(path: string): boolean {
    return this.#slots.has(path)
  }

  all(): string[] {
    return [...this.#slots.keys()]
  }

  slotOf(path: string): number | undefined {
    return this.#slots.get(path)
  }

  /** `undefined` for a slot that no directory has. */
  pathAt(slot: number): string | undefined {
    return this.#paths[slot]
  }

  /** The slot of the directory above; `NaN` if it is not known. */
  parentAt(slot: number): number {
    return this.#parent.get(slot)
  }

  /** Returns the paths of the known directories directly below this one. */
  childrenOf(path: string): string[] {
    return [...(this.#children.get(path) ?? [])]
  }

  add(path: string): void {
    this.unread.delete(path)
    if (this.#slots.has(path)) return
    const slot = this.#free.pop() ?? this.#paths.length
    this.#paths[slot] = path
    this.#slots.set(path, slot)
    for (const column of [this.#start, this.#end, this.#mtimeUs]) column.set(slot, NaN)
    this.looked.set(slot, this.looking)
    for (const child of this.#children.get(path) ?? []) this.#setParent(child, slot)
    // The archive root is in no directory.
    if (path === '') {
      this.#parent.set(slot, NaN)
      return
    }
    const parent = parentOf(path)
    this.#parent.set(slot, this.#slots.get(parent) ?? NaN)
    const siblings = this.#children.get(parent)
    if (siblings === undefined) this.#children.set(parent, new Set([path]))
    else siblings.add(path)
  }

  delete(path: string): void {
    this.unread.delete(path)
    const slot = this.#slots.get(path)
    if (slot === undefined) return
    this.#slots.delete(path)
    this.#paths[slot] = undefined
    this.#free.push(slot)
    this.#relative.delete(path)
    for (const column of [this.#start, this.#end, this.#mtimeUs]) column.set(slot, NaN)
    for (const child of this.#children.get(path) ?? []) this.#setParent(child, NaN)
    const parent = parentOf(path)
    const siblings = this.#children.get(parent)
    if (siblings?.delete(path) === true && siblings.size === 0) this.#children.delete(parent)
  }

  #setParent(child: string, parent: number): void {
    const slot = this.#slots.get(child)
    if (slot !== undefined) this.#parent.set(slot, parent)
  }

  /** Sets the stamp that the catalogue stores; `undefined` while it has none. */
  setStamp(path: string, stamp: DirectoryStamp | undefined): void {
    const slot = this.#slots.get(path)
    if (slot === undefined) return
    this.#mtimeUs.set(slot, stamp?.mtimeUs ?? NaN)
    this.#ctimeUs.set(slot, stamp?.ctimeUs ?? NaN)
    this.#inode.set(slot, stamp?.inode ?? NaN)
    this.#namesSum.set(slot, stamp?.namesSum ?? NaN)
  }

  stampOf(path: string): DirectoryStamp | undefined {
    const slot = this.#slots.get(path)
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
   */
  holds(path: string, newestSeconds: number, nowSeconds: number): void {
    const slot = this.#slots.get(path)
    if (slot === undefined || this.startAt(slot, nowSeconds) >= newestSeconds) return
    if (periodOfDirectory(path, nowSeconds) !== undefined) return
    this.#start.set(slot, newestSeconds)
    this.#end.set(slot, newestSeconds + secondsPerDay)
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
    const path = this.#paths[slot]
    if (path === undefined) return
    const period = periodOfDirectory(path, nowSeconds)
    if (period?.isRelative === true) this.#relative.add(path)
    this.#start.set(slot, period?.startSeconds ?? -Infinity)
    this.#end.set(slot, period === undefined ? -Infinity : period.startSeconds + period.spanSeconds)
  }

  /**
   * The latest end of the time of the files in each directory and in those below it (s since
   * 1970), by slot; `NaN` for a slot that no directory has.
   */
  latestEnds(nowSeconds: number): Float64Array {
    const day = Math.floor(nowSeconds / secondsPerDay)
    if (day !== this.#day)
      for (const path of this.#relative) this.#setPeriod(this.#slots.get(path) ?? -1, nowSeconds)
    this.#day = day
    const ends = new Float64Array(this.#paths.length).fill(NaN)
    for (const slot of this.#slots.values()) {
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
  if (knownTree.known.all().some((other) => isWithin(other, path))) return false
  return isMissing(await tree.snapshot(path), knownTree)
}
