/**
 * Random changes of files: they arrive and are renamed, replaced, removed and restored; a seed
 * repeats the order.
 */
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { openRandom } from './random-choices.ts'
import { arrive, filesBelow, pathIn, put } from './tree.ts'

interface Places {
  readonly archive: string
  /** Watched directories. */
  readonly hot: readonly string[]
  /**
   * Directories in which no file is overwritten in place: the indexer would notice it only within a
   * day.
   */
  readonly cold: readonly string[]
  readonly seed: number
}

export type RandomChanges = ReturnType<typeof openRandomChanges>

/** Contents of different sizes. */
const contents = Array.from({ length: 20 }, (_, n) => gzipSync('x'.repeat(2 ** n)))

export function openRandomChanges({ archive, hot, cold, seed }: Places) {
  const { below, isTrue, pick } = openRandom(seed)
  const places = [...hot, ...cold]
  const live = filesBelow(archive).filter((path) => places.includes(directoryOf(path)))
  const gone: string[] = []
  const touched = new Set<string>()
  let last = 100_000
  /** Removes a random item from a list; the order of the others may change. */
  const take = (from: string[]): string | undefined => {
    const index = below(from.length)
    const [taken, end] = [from[index], from.pop()]
    if (index < from.length && end !== undefined) from[index] = end
    return taken
  }
  const write = (path: string): void => {
    if (hot.includes(directoryOf(path)) && isTrue(0.5)) put(archive, path, pick(contents))
    else arrive(archive, path, pick(contents))
  }
  const create = (): string => {
    const path = pathIn(pick(places), last++)
    write(path)
    return path
  }
  const remove = (path: string): void => {
    rmSync(join(archive, path))
    gone.push(path)
  }
  const steps: Record<string, () => void> = {
    create() {
      live.push(create())
    },
    createAndRemove() {
      remove(create())
    },
    rename() {
      const path = take(live)
      if (path === undefined) return
      const other = pathIn(pick(places), last++)
      renameSync(join(archive, path), join(archive, other))
      touched.add(path)
      gone.push(path)
      live.push(other)
    },
    replace() {
      if (live.length === 0) return
      const path = pick(live)
      touched.add(path)
      write(path)
    },
    remove() {
      const path = take(live)
      if (path === undefined) return
      touched.add(path)
      remove(path)
    },
    restore() {
      const path = take(gone)
      if (path === undefined) return
      write(path)
      live.push(path)
    },
  }
  const often = ['create', 'create', 'create', 'replace', 'replace', 'restore', 'remove']
  const kinds = [...often, ...often, 'rename', 'createAndRemove']
  return {
    run(count: number): void {
      for (let n = 0; n < count; n++) steps[pick(kinds)]?.()
    },
    /** True for a file of the beginning that was not changed. */
    isUntouched: (path: string): boolean => !touched.has(path),
  }
}

function directoryOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'))
}
