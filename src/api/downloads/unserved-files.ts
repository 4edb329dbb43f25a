/** Reports catalogued files that could not be served, for the status and the problems. */
import type { Static } from '../openapi/schema.ts'
import { microsecondsToIso } from '../http/times.ts'
import type { unservedFilesSchema, unservedReasons } from './schema.ts'

export type UnservedReason = (typeof unservedReasons)[number]
export type WireUnservedFiles = Static<typeof unservedFilesSchema>

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
