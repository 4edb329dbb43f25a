/**
 * Remembers what could not be served: files for the status and the problems, and parts of the
 * storage for the log.
 */
import type { Logger } from 'pino'
import type Type from 'typebox'
import { microsecondsToIso } from '../files/serialise.ts'
import type { unservedFilesSchema, unservedReasons } from './schema.ts'

export type UnservedReason = (typeof unservedReasons)[number]
export type WireUnservedFiles = Type.Static<typeof unservedFilesSchema>

/**
 * Maximum number of files in the report, because a catalogue may have millions that are missing.
 */
const maxFiles = 1000
/** Maximum number of files of the report that the status shows. */
const maxInStatus = 10

export interface UnservedFiles {
  /**
   * Adds a file to the report.
   * @param path of a catalogued file, below the archive root; other paths must not become public
   */
  note(path: string, reason: UnservedReason): void
  /** Removes a file from the report, because it could be opened. */
  opened(path: string): void
  wire(): WireUnservedFiles
  /** All files in the report, the latest first; `sinceUs` is the time of the last request. */
  files(): readonly {
    readonly path: string
    readonly reason: UnservedReason
    readonly sinceUs: number
  }[]
}

export function openUnservedFiles(deps: {
  /** Called for each request of a catalogued file that could not be served. */
  readonly onFile: (reason: UnservedReason) => void
  /** The clock: milliseconds since 1970. */
  readonly nowMs?: () => number
}): UnservedFiles {
  const { onFile, nowMs = Date.now } = deps
  // A map has the order of insertion, so its last entries are the latest.
  const latest = new Map<string, { reason: UnservedReason; atMs: number }>()
  let count = 0
  const files = () =>
    [...latest]
      .reverse()
      .map(([path, { reason, atMs }]) => ({ path, reason, sinceUs: atMs * 1000 }))
  return {
    note(path, reason) {
      count++
      onFile(reason)
      latest.delete(path)
      latest.set(path, { reason, atMs: nowMs() })
      const [oldest] = latest.keys()
      if (latest.size > maxFiles && oldest !== undefined) latest.delete(oldest)
    },
    opened(path) {
      latest.delete(path)
    },
    files,
    wire: () => ({
      count,
      latest: files()
        .slice(0, maxInStatus)
        .map(({ path, reason, sinceUs }) => ({ path, reason, at: microsecondsToIso(sinceUs) })),
    }),
  }
}

export interface StorageLog {
  /**
   * Logs why downloads are answered with 503: at most once an hour for each path. Only an absolute
   * path can recover (`opened`); it is then logged again at its next failure.
   * @param path absolute path of an unavailable part of the archive, or a directory below the
   * archive root
   */
  note(path: string, message: string): void
  /**
   * Logs that the absolute paths at or above a file have recovered.
   * @param file absolute path of a file that was opened
   */
  opened(file: string): void
}

const repeatMs = 3_600_000
const maxPaths = 1000

/** @param nowMs a monotonic clock */
export function openStorageLog(logger: Logger, nowMs: () => number): StorageLog {
  /**
   * Time of the latest log line by path, oldest first. The number of paths is limited, because
   * withheld removals may affect thousands of directories.
   */
  const loggedMs = new Map<string, number>()
  return {
    note(path, message) {
      const latest = loggedMs.get(path)
      if (latest !== undefined && nowMs() - latest < repeatMs) return
      loggedMs.delete(path)
      loggedMs.set(path, nowMs())
      const [oldest] = loggedMs.keys()
      if (loggedMs.size > maxPaths && oldest !== undefined) loggedMs.delete(oldest)
      logger.warn({ path }, message)
    },
    opened(file) {
      for (const path of loggedMs.keys())
        if (file === path || file.startsWith(`${path}/`)) {
          loggedMs.delete(path)
          logger.info({ path }, 'recovered: downloads are served again')
        }
    },
  }
}
