/**
 * The directories that the catalogue contains, in memory, and the checks whether a directory is
 * missing.
 */
import type { Layout } from '../../parse/layout.ts'
import { isWithin, parentOf } from '../../parse/layout.ts'
import type { DirectorySnapshot } from '../read/directory-snapshot.ts'
import type { TreeReader } from '../read/tree-reader.ts'

/**
 * The directories in the catalogue, indexed by parent, because the snapshot of a directory is
 * compared with its known subdirectories.
 */
export class KnownDirectories {
  readonly #known = new Set<string>()
  readonly #children = new Map<string, Set<string>>()

  constructor(paths: readonly string[] = []) {
    for (const path of paths) this.add(path)
  }

  get size(): number {
    return this.#known.size
  }

  has(path: string): boolean {
    return this.#known.has(path)
  }

  all(): string[] {
    return [...this.#known]
  }

  /** Returns the paths of the known directories directly below this one. */
  childrenOf(path: string): string[] {
    return [...(this.#children.get(path) ?? [])]
  }

  add(path: string): void {
    if (this.#known.has(path)) return
    this.#known.add(path)
    // The archive root is in no directory.
    if (path === '') return
    const parent = parentOf(path)
    const siblings = this.#children.get(parent)
    if (siblings === undefined) this.#children.set(parent, new Set([path]))
    else siblings.add(path)
  }

  delete(path: string): void {
    this.#known.delete(path)
    const parent = parentOf(path)
    const siblings = this.#children.get(parent)
    if (siblings?.delete(path) === true && siblings.size === 0) this.#children.delete(parent)
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
