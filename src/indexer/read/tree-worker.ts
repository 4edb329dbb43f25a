/** The tree worker: a thread that reads the tree. It answers calls one after the other. */
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import type { LayoutLists } from '../../parse/layout.ts'
import { createLayout } from '../../parse/layout.ts'
import { inTurn } from '../../runtime/calls.ts'
import type { DirectorySnapshot } from './directory-snapshot.ts'
import type { Inflated } from './inflate.ts'
import { inflate } from './inflate.ts'
import { createDiskCheck } from './links.ts'
import type { PackedLooks, Tree } from './read-directory.ts'
import { readDirectory, readLooks, readStamp } from './read-directory.ts'
import type { WalkStep } from './walk.ts'
import { nextSteps, walkTree } from './walk.ts'

/** The tree, and a counter that the worker increments while the disk answers. */
export interface TreeWorkerData {
  readonly tree: Pick<Tree, 'archive' | 'linkedDirectories'>
  /** Those of the layout, whose functions cannot be passed to a thread. */
  readonly lists: LayoutLists
  readonly progress: Int32Array
}

/** A call to one of the functions of the worker. */
export interface TreeCall {
  readonly name: keyof TreeFunctions
  readonly args: readonly unknown[]
}

export type TreeFunctions = ReturnType<typeof createFunctions>

function createFunctions(tree: Tree) {
  let walk: ReturnType<typeof walkTree> | undefined
  return {
    snapshot: (path: string) => readDirectory(tree, path),
    /** Returns the times of directories (see `readLooks`). */
    looks: (paths: readonly string[], mostMs: number) => readLooks(tree, paths, mostMs),
    /**
     * Returns the stamps of directories in the order of the paths; `undefined` for a directory that
     * cannot be read.
     */
    stamps: (paths: readonly string[]) => paths.map((path) => readStamp(tree, path)),
    /**
     * Starts a walk below the roots, oldest date first. An earlier walk that has not ended is
     * abandoned.
     */
    startWalk: (roots: readonly string[]): void => {
      walk = walkTree(tree, roots)
    },
    /** Returns the next directories of the walk; none at its end. Calls may be made ahead. */
    steps: () => (walk === undefined ? [] : nextSteps(walk)),
    /**
     * Looks into files to check that they are complete; returns `undefined` for a file that does
     * not exist or cannot be read.
     */
    inflate: async (paths: readonly string[]): Promise<readonly (Inflated | undefined)[]> => {
      const files: (Inflated | undefined)[] = []
      for (const path of paths) files.push(await inflate(join(tree.archive, path), tree.onProgress))
      return files
    },
  }
}

const { tree, lists, progress } = workerData as TreeWorkerData
const onProgress = (): void => void Atomics.add(progress, 0, 1)
const functions = createFunctions({
  ...tree,
  layout: createLayout(lists),
  isForeign: createDiskCheck(tree.archive),
  onProgress,
})

// The worker has started: from now on, no progress means a disk that hangs.
onProgress()

/** Memory of less than this (bytes) costs less to copy than to move. */
const leastMoved = 4096

/** Returns the memory of an answer that is moved to the other thread, not copied. */
function buffersOf(answer: unknown): ArrayBuffer[] {
  const parts = (Array.isArray(answer) ? answer : [answer]) as readonly unknown[]
  return parts.flatMap((part) => {
    const found = part as Partial<WalkStep & DirectorySnapshot & PackedLooks> | undefined
    const packed = (found?.snapshot ?? found)?.identities ?? found?.times
    return packed !== undefined && packed.byteLength >= leastMoved
      ? [packed.buffer as ArrayBuffer]
      : []
  })
}

parentPort?.on(
  'message',
  inTurn(async ({ name, args }: TreeCall) => {
    const call = functions[name] as (...args: readonly unknown[]) => unknown
    const answer = await call(...args)
    parentPort?.postMessage(answer, buffersOf(answer))
  }),
)
