/** A tree in motion: files that come, are renamed, replaced and removed and come back, in an order that a seed tells. */
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { arrive, filesBelow, pathIn, put } from './tree.ts'

export interface Places {
  readonly archive: string
  /** Directories in which files are expected at any moment. */
  readonly hot: readonly string[]
  /** Others: what is written over in place there is noticed over a day only, so that is left out. */
  readonly cold: readonly string[]
  readonly seed: number
}

export type Churn = ReturnType<typeof openChurn>

/** Contents of different sizes. */
const contents = Array.from({ length: 20 }, (_, n) => gzipSync('x'.repeat(2 ** n)))

export function openChurn({ archive, hot, cold, seed }: Places) {
  const random = openRandom(seed)
  const below = (count: number) => Math.floor(random() * count)
  const places = [...hot, ...cold]
  const live = filesBelow(archive).filter((path) => places.includes(directoryOf(path)))
  const gone: string[] = []
  const touched = new Set<string>()
  let last = 100_000
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T
  /** Takes any one out of a list, whose order does not matter. */
  const take = (from: string[]): string | undefined => {
    const index = below(from.length)
    const [taken, end] = [from[index], from.pop()]
    if (index < from.length && end !== undefined) from[index] = end
    return taken
  }
  const write = (path: string): void => {
    // In place only where that is noticed.
    if (hot.includes(directoryOf(path)) && below(2) === 0) put(archive, path, pick(contents))
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
    comeBack() {
      const path = take(gone)
      if (path === undefined) return
      write(path)
      live.push(path)
    },
  }
  const often = ['create', 'create', 'create', 'replace', 'replace', 'comeBack', 'remove']
  const kinds = [...often, ...often, 'rename', 'createAndRemove']
  return {
    run(count: number): void {
      for (let n = 0; n < count; n++) steps[pick(kinds)]?.()
    },
    /** Whether a file that was there in the beginning has been left alone. */
    isUntouched: (path: string): boolean => !touched.has(path),
  }
}

function directoryOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'))
}

/** Numbers from 0 to below 1: a linear congruence modulo 2^32, of which the upper bits are good enough. */
function openRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
