/**
 * Small files that were sent lately, in memory: many clients fetch the files of an hour as soon as they are listed. A file
 * is served from here only while `stat` says what it said when the file was opened and checked.
 */
import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { LRUCache } from 'lru-cache'
import type { ArchivedFile } from './archived-file.ts'

/** Bytes of all cached files. */
const cacheBytes = 32 * 1024 * 1024

/** What an entry needs besides its file, roughly. */
const overheadBytes = 1024

/** A file that changed this shortly before it was read may change again within the same tick of its clock. Milliseconds. */
const unsureMs = 2000

export interface CachedFile extends ArchivedFile {
  readonly bytes: Buffer
}

export interface FileCache {
  /** The file at a path as it is now; `undefined` if it is not cached, or is another one. */
  find(path: string): Promise<CachedFile | undefined>
  /** Keeps a copy of the whole content of a file. */
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
      if (Math.abs(nowMs - stats.ctimeMs) < unsureMs) return
      files.set(path, { path, linkedPath, stats, tail, bytes: Buffer.from(bytes) })
    },
  }
}

/** Any change of a file's content or attributes shows in its ctime. */
function isSame(now: Stats, before: Stats): boolean {
  return (
    now.dev === before.dev &&
    now.ino === before.ino &&
    now.size === before.size &&
    now.mtimeMs === before.mtimeMs &&
    now.ctimeMs === before.ctimeMs
  )
}
