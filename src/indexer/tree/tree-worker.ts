/** The tree worker, a thread that reads the tree. It answers requests one after the other. */
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import type { DirectoryStamp } from '../../catalogue/writer.ts'
import { openDiskCheck } from './links.ts'
import { inflate } from './inflate.ts'
import type { Inflated } from './inflate.ts'
import type { ReadDepth, DirectorySnapshot, SnapshotRequest } from './directory-snapshot.ts'
import { readDirectory, readStamp } from './read-directory.ts'
import type { Tree } from './read-directory.ts'
import { walkTree } from './walk.ts'
import type { WalkStep } from './walk.ts'

export type TreeRequest =
  | { readonly kind: 'snapshot'; readonly request: SnapshotRequest }
  | { readonly kind: 'stamps'; readonly paths: readonly string[] }
  | { readonly kind: 'walk'; readonly roots: readonly string[]; readonly depth: ReadDepth }
  | { readonly kind: 'step' }
  | { readonly kind: 'inflate'; readonly paths: readonly string[] }

/** By the kind of request: a snapshot; stamps; nothing; the next step, or nothing at the walk's end; files. */
export type TreeAnswer =
  | DirectorySnapshot
  | (DirectoryStamp | undefined)[]
  | (Inflated | undefined)[]
  | WalkStep
  | undefined

/** The tree, and a counter that the worker increments while the disk answers. */
export interface TreeWorkerData {
  readonly tree: Pick<Tree, 'archive' | 'linkedDirectories'>
  readonly progress: Int32Array
}

const { tree: workerTree, progress } = workerData as TreeWorkerData
const onProgress = (): void => void Atomics.add(progress, 0, 1)
const tree: Tree = { ...workerTree, isForeign: openDiskCheck(workerTree.archive), onProgress }
let walk: ReturnType<typeof walkTree> | undefined

async function answer(request: TreeRequest): Promise<TreeAnswer> {
  switch (request.kind) {
    case 'snapshot':
      return readDirectory(tree, request.request)
    case 'stamps':
      return request.paths.map((path) => readStamp(tree, path))
    case 'walk':
      walk = walkTree(tree, request.roots, request.depth)
      return undefined
    case 'step':
      return walk?.next().value
    case 'inflate':
      return inflateAll(request.paths)
  }
}

async function inflateAll(paths: readonly string[]): Promise<(Inflated | undefined)[]> {
  const files: (Inflated | undefined)[] = []
  for (const path of paths) files.push(await inflate(join(tree.archive, path), onProgress))
  return files
}

// The worker has started: from now on, no progress means a disk that hangs.
onProgress()

let last = Promise.resolve()
parentPort?.on('message', (request: TreeRequest) => {
  last = last.then(async () => parentPort?.postMessage(await answer(request)))
})
