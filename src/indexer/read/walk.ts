/** Walks the tree: reads the directories below some roots one after the other. */
import TinyQueue from 'tinyqueue'
import { joinPath } from '../../parse/layout.ts'
import type { DirectorySnapshot } from './directory-snapshot.ts'
import type { Tree } from './read-directory.ts'
import { readDirectory } from './read-directory.ts'

/** One step of a walk: the next directory, and the progress. */
export interface WalkStep {
  readonly snapshot: DirectorySnapshot
  /** Number of directories that were found and are not read yet. */
  readonly pending: number
  /**
   * Share of the walk that is done, from 0 to 1; it never falls. Each directory counts as an equal
   * part of its parent, so directories need not be counted before the walk.
   */
  readonly done: number
}

interface QueuedDirectory {
  readonly path: string
  readonly order: string
  readonly share: number
}

/**
 * Walks the tree below `roots`, oldest date first across all areas. The date is the path below the
 * area (`2026/001`, `2026/001/05`). A directory comes before its subdirectories.
 */
export function* walkTree(tree: Tree, roots: readonly string[]): Generator<WalkStep, undefined> {
  const pending = new TinyQueue<QueuedDirectory>([], (a, b) =>
    a.order < b.order ? -1 : a.order > b.order ? 1 : 0,
  )
  const add = (path: string, share: number): void => {
    const { belowArea, rootOf } = tree.layout
    // A blank sorts before a slash, so the directories of a date come before their subdirectories,
    // in all areas.
    pending.push({ path, share, order: `${belowArea(path)} ${rootOf(path) ?? ''}` })
  }
  for (const root of roots) add(root, 1 / roots.length)
  let done = 0
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const snapshot = readDirectory(tree, next.path)
    for (const name of snapshot.directories)
      add(joinPath(next.path, name), next.share / snapshot.directories.length)
    if (snapshot.directories.length === 0) done += next.share
    yield { snapshot, pending: pending.length, done: Math.min(done, 1) }
  }
  return undefined
}
