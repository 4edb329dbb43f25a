/** The missing-file report: catalogued files that could not be served, for the status and the problems. */
import type Type from 'typebox'
import { microsecondsToIso } from '../files/serialise.ts'
import type { missingFilesSchema, missingReasons } from './schema.ts'

export type MissingReason = (typeof missingReasons)[number]
export type WireMissingFiles = Type.Static<typeof missingFilesSchema>

/** Files in the report: a catalogue may have millions of missing files. */
const maxFiles = 1000
/** Files of the report in the status. */
const maxInStatus = 10

export interface MissingFiles {
  /** Adds a file. @param path of a catalogued file, below the archive root; other paths must not become public */
  note(path: string, reason: MissingReason): void
  /** Removes a file that could be opened. */
  opened(path: string): void
  wire(): WireMissingFiles
  /** All files of the report, latest first. */
  files(): readonly {
    readonly path: string
    readonly reason: MissingReason
    readonly sinceUs: number
  }[]
}

export function openMissingFiles(deps: {
  /** Called for each response. */
  readonly onFile: (reason: MissingReason) => void
  /** The clock: milliseconds since 1970. */
  readonly nowMs?: () => number
}): MissingFiles {
  const { onFile, nowMs = Date.now } = deps
  // A map has the order of insertion, so its last entries are the latest.
  const latest = new Map<string, { reason: MissingReason; atMs: number }>()
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
