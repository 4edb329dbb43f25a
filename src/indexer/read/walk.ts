/** Walks the tree: reads the directories below some roots one after the other. */
import TinyQueue from 'tinyqueue'
import { periodOfDirectory } from '../../parse/directory-period.ts'
import { joinPath } from '../../parse/layout.ts'
import type { DirectorySnapshot } from './directory-snapshot.ts'
import type { Tree } from './read-directory.ts'
import { readDirectory } from './read-directory.ts'

/**
 * Number of entries with which steps are passed on together, and the longest time (ms) for which
 * they wait for each other: a message for each directory costs more than reading a small one.
 */
const entriesTogether = 500
const longestTogetherMs = 20

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
  readonly startSeconds: number
  readonly spanSeconds: number
  readonly share: number
}

/**
 * Walks the tree below `roots`, oldest date first across all areas, as far as the paths name one:
 * those without come first, because they lead to others, in the order of their paths. A directory
 * comes before its subdirectories.
 */
export function* walkTree(tree: Tree, roots: readonly string[]): Generator<WalkStep, undefined> {
  const pending = new TinyQueue<QueuedDirectory>([], inOrder)
  const nowSeconds = Date.now() / 1000
  const add = (path: string, share: number): void => {
    const { startSeconds = -Infinity, spanSeconds = Infinity } =
      periodOfDirectory(path, nowSeconds) ?? {}
    pending.push({ path, startSeconds, spanSeconds, share })
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

/** The next steps of a walk, which are passed on together; none at its end. */
export function nextSteps(walk: Iterator<WalkStep, undefined>): WalkStep[] {
  const steps: WalkStep[] = []
  const begunMs = performance.now()
  for (let entries = 0; entries < entriesTogether;) {
    const { value: step } = walk.next()
    if (step === undefined) break
    steps.push(step)
    const { names, directories } = step.snapshot
    entries += 1 + names.length + directories.length
    if (performance.now() - begunMs > longestTogetherMs) break
  }
  return steps
}

/** Years come before their days, and these before their hours. */
function inOrder(a: QueuedDirectory, b: QueuedDirectory): number {
  if (a.startSeconds !== b.startSeconds) return a.startSeconds < b.startSeconds ? -1 : 1
  if (a.spanSeconds !== b.spanSeconds) return a.spanSeconds > b.spanSeconds ? -1 : 1
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0
}
