import TinyQueue from 'tinyqueue'
import type { ReadDepth, DirectorySnapshot } from './directory-snapshot.ts'
import { readDirectory } from './read-directory.ts'
import type { Tree } from './read-directory.ts'

/** One step of a walk: the next directory, and how much of the tree lies behind. */
export interface WalkStep {
  readonly snapshot: DirectorySnapshot
  /** Directories found and not read yet. */
  readonly pending: number
  /**
   * Share of the walk that is done, 0 to 1, never falling: each directory counts for an equal part of its parent,
   * so that nothing needs to be counted beforehand.
   */
  readonly done: number
}

interface Pending {
  readonly path: string
  readonly order: string
  readonly share: number
}

/**
 * Walks the tree below `roots`, oldest date first across the areas: what follows the area in a path is its date
 * (`2026/001`, `2026/001/05`), and a directory sorts before all that is below it.
 */
export function* walkTree(
  tree: Tree,
  roots: readonly string[],
  depth: ReadDepth,
): Generator<WalkStep, undefined> {
  const pending = new TinyQueue<Pending>([], (a, b) =>
    a.order < b.order ? -1 : a.order > b.order ? 1 : 0,
  )
  const add = (path: string, share: number): void => {
    const [area = '', ...date] = path.split('/')
    // A blank sorts before a slash, so areas alternate without coming between a directory and its own.
    pending.push({ path, share, order: `${date.join('/')} ${area}` })
  }
  for (const root of roots) add(root, 1 / roots.length)
  let done = 0
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const snapshot = readDirectory(tree, { path: next.path, depth })
    for (const name of snapshot.directories)
      add(`${next.path}/${name}`, next.share / snapshot.directories.length)
    if (snapshot.directories.length === 0) done += next.share
    yield { snapshot, pending: pending.length, done: Math.min(done, 1) }
  }
  return undefined
}
