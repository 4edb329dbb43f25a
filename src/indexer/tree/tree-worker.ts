/** The thread that reads the tree: answers one request after the other, in their order. */
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
  | { readonly kind: 'look'; readonly request: SnapshotRequest }
  | { readonly kind: 'stamps'; readonly paths: readonly string[] }
  | { readonly kind: 'walk'; readonly roots: readonly string[]; readonly depth: ReadDepth }
  | { readonly kind: 'step' }
  | { readonly kind: 'inflate'; readonly paths: readonly string[] }

/** In the order of the requests: a look, stamps, nothing, the next step or nothing at the walk's end, files. */
export type TreeAnswer =
  | DirectorySnapshot
  | (DirectoryStamp | undefined)[]
  | (Inflated | undefined)[]
  | WalkStep
  | undefined

/** What the thread is given: the tree, and a number that it counts up while the disk answers. */
export interface TreeWorkerData {
  readonly tree: Pick<Tree, 'archive' | 'linkedDirectories'>
  readonly progress: Int32Array
}

const { tree: given, progress } = workerData as TreeWorkerData
const onProgress = (): void => void Atomics.add(progress, 0, 1)
const tree: Tree = { ...given, isForeign: openDiskCheck(given.archive), onProgress }
let walk: ReturnType<typeof walkTree> | undefined

async function answer(request: TreeRequest): Promise<TreeAnswer> {
  switch (request.kind) {
    case 'look':
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

// It has started: from now on it is the disk that it waits for.
onProgress()

let last = Promise.resolve()
parentPort?.on('message', (request: TreeRequest) => {
  last = last.then(async () => parentPort?.postMessage(await answer(request)))
})
