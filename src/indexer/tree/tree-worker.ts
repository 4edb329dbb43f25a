/** The tree worker: a thread that reads the tree. It answers calls one after the other. */
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import type { DirectoryStamp } from '../../catalogue/writer.ts'
import { openDiskCheck } from './links.ts'
import { inflate } from './inflate.ts'
import type { Inflated } from './inflate.ts'
import type { DirectorySnapshot, ReadDepth, SnapshotRequest } from './directory-snapshot.ts'
import { readDirectory, readStamp } from './read-directory.ts'
import type { Tree } from './read-directory.ts'
import { walkTree } from './walk.ts'
import type { WalkStep } from './walk.ts'

/** The tree, and a counter that the worker increments while the disk answers. */
export interface TreeWorkerData {
  readonly tree: Pick<Tree, 'archive' | 'linkedDirectories'>
  readonly progress: Int32Array
}

/** A call to one of the functions of the worker. */
export interface TreeCall {
  readonly name: keyof TreeFunctions
  readonly args: readonly unknown[]
}

export type TreeFunctions = ReturnType<typeof openFunctions>

function openFunctions(tree: Tree) {
  let walk: ReturnType<typeof walkTree> | undefined
  return {
    snapshot: (request: SnapshotRequest) => readDirectory(tree, request),
    stamps: (paths: readonly string[]): (DirectoryStamp | undefined)[] =>
      paths.map((path) => readStamp(tree, path)),
    startWalk: (roots: readonly string[], depth: ReadDepth): void => {
      walk = walkTree(tree, roots, depth)
    },
    step: () => walk?.next().value,
    inflate: async (paths: readonly string[]): Promise<(Inflated | undefined)[]> => {
      const files: (Inflated | undefined)[] = []
      for (const path of paths) files.push(await inflate(join(tree.archive, path), tree.onProgress))
      return files
    },
  }
}

const { tree, progress } = workerData as TreeWorkerData
const onProgress = (): void => void Atomics.add(progress, 0, 1)
const functions = openFunctions({ ...tree, isForeign: openDiskCheck(tree.archive), onProgress })

// The worker has started: from now on, no progress means a disk that hangs.
onProgress()

/** Returns the memory of an answer that is moved to the other thread, not copied. */
function buffersOf(answer: unknown): ArrayBuffer[] {
  const found = answer as Partial<WalkStep & DirectorySnapshot> | undefined
  const { sizes, mtimesUs, identities } = found?.snapshot ?? found ?? {}
  return [sizes, mtimesUs, identities].flatMap((array) =>
    array instanceof Float64Array ? [array.buffer as ArrayBuffer] : [],
  )
}

let last = Promise.resolve()
parentPort?.on('message', ({ name, args }: TreeCall) => {
  const call = functions[name] as (...args: readonly unknown[]) => unknown
  last = last.then(async () => {
    const answer = await call(...args)
    parentPort?.postMessage(answer, buffersOf(answer))
  })
})
