/**
 * Caches small files in memory, because many clients download the files of an hour as soon as they are listed. A cached file is
 * served only while its `stat` is the same as when it was opened and checked.
 */
import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { LRUCache } from 'lru-cache'
import type { ArchivedFile } from './archived-file.ts'

const cacheBytes = 32 * 1024 * 1024

/** Approximate number of bytes that an entry takes besides the bytes of its file. */
const overheadBytes = 1024

/** Minimum age of the ctime of a cached file in milliseconds, because a younger file may change again with the same timestamp. */
const minAgeMs = 2000

export interface CachedFile extends ArchivedFile {
  readonly bytes: Buffer
}

export interface FileCache {
  /** Finds the file at a path; `undefined` if it is not cached or has changed. */
  find(path: string): Promise<CachedFile | undefined>
  /** Stores a copy of the whole content of a file. */
  keep(file: ArchivedFile, bytes: Buffer, nowMs: number): void
}

export function openFileCache(): FileCache {
  const files = new LRUCache<string, CachedFile>({
    maxSize: cacheBytes,
    sizeCalculation: ({ bytes }, path) => bytes.length + path.length + overheadBytes,
  })
  return {
    async find(path) {
      const file = files.get(path)
      if (file === undefined) return undefined
      const now = await stat(path).catch(() => undefined)
      if (now !== undefined && isSame(now, file.stats)) return file
      files.delete(path)
      return undefined
    },
    keep({ path, linkedPath, stats, tail }, bytes, nowMs) {
      if (Math.abs(nowMs - stats.ctimeMs) < minAgeMs) return
      files.set(path, { path, linkedPath, stats, tail, bytes: Buffer.from(bytes) })
    },
  }
}

/** True if the file has not changed. Every change of content or attributes changes the ctime. */
function isSame(now: Stats, before: Stats): boolean {
  return (
    now.dev === before.dev &&
    now.ino === before.ino &&
    now.size === before.size &&
    now.mtimeMs === before.mtimeMs &&
    now.ctimeMs === before.ctimeMs
  )
}
