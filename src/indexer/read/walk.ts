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

/** Where a walk goes next: the directories in one other that it has not read yet. */
interface Children {
  /** The path above them; `undefined` for the roots of the walk. */
  readonly above: string | undefined
  /** In the order in which the walk reads them. */
  readonly names: readonly string[]
  /** The share of the walk of each. */
  readonly share: number
  /** The index of the next one, and its place in the order. */
  readonly next: number
  readonly place: Place
}

/** What the order of directories depends on. */
interface Place {
  readonly name: string
  readonly path: string
  readonly startSeconds: number
  readonly spanSeconds: number
}

/**
 * Walks the tree below `roots`, oldest date first across all areas, as far as the paths name one:
 * those without come first, because they lead to others, in the order of their paths. A directory
 * comes before its subdirectories.
 */
export function* walkTree(tree: Tree, roots: readonly string[]): Generator<WalkStep, undefined> {
  // One entry for all in a directory, because there may be half a million.
  const queue = new TinyQueue<Children>([], (a, b) => inOrder(a.place, b.place))
  const nowSeconds = Date.now() / 1000
  let pending = 0
  const add = (above: string | undefined, found: readonly string[], share: number): void => {
    const places = found.map((name) => placeOf(above, name, nowSeconds)).sort(inOrder)
    const [place] = places
    if (place === undefined) return
    const names = places.map(({ name }) => name)
    queue.push({ above, names, share: share / names.length, next: 0, place })
    pending += names.length
  }
  add(undefined, roots, 1)
  let done = 0
  for (let entry = queue.pop(); entry !== undefined; entry = queue.pop()) {
    const { above, names, share, place } = entry
    const next = entry.next + 1
    const name = names[next]
    if (name !== undefined) queue.push({ ...entry, next, place: placeOf(above, name, nowSeconds) })
    pending--
    const snapshot = readDirectory(tree, place.path)
    add(place.path, snapshot.directories, share)
    if (snapshot.directories.length === 0) done += share
    yield { snapshot, pending, done: Math.min(done, 1) }
  }
  return undefined
}

function placeOf(above: string | undefined, name: string, nowSeconds: number): Place {
  const path = above === undefined ? name : joinPath(above, name)
  const { startSeconds = -Infinity, spanSeconds = Infinity } =
    periodOfDirectory(path, nowSeconds) ?? {}
  return { name, path, startSeconds, spanSeconds }
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
function inOrder(a: Place, b: Place): number {
  if (a.startSeconds !== b.startSeconds) return a.startSeconds < b.startSeconds ? -1 : 1
  if (a.spanSeconds !== b.spanSeconds) return a.spanSeconds > b.spanSeconds ? -1 : 1
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0
}
