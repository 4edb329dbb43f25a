/** Files of the catalogue that could not be served, which only those who ask for them would notice otherwise. */
import type Type from 'typebox'
import { microsecondsToIso } from '../files/serialise.ts'
import type { missingFilesSchema, missingReasons } from './schema.ts'

export type MissingReason = (typeof missingReasons)[number]
export type WireMissingFiles = Type.Static<typeof missingFilesSchema>

/** Files that are remembered by name: the catalogue may hold millions that cannot be served. */
const mostKept = 1000
/** Those of them in the status. */
const mostReported = 10

export interface MissingFiles {
  /** @param path of a file of the catalogue, below the archive root; whatever else a client asked for is not told */
  note(path: string, reason: MissingReason): void
  /** A file of the catalogue was opened. */
  opened(path: string): void
  wire(): WireMissingFiles
  /** All that could not be opened when they were last asked for, latest first. */
  files(): readonly {
    readonly path: string
    readonly reason: MissingReason
    readonly sinceUs: number
  }[]
}

export function openMissingFiles(deps: {
  /** Told of each. */
  readonly onFile: (reason: MissingReason) => void
  /** The clock: milliseconds since 1970. */
  readonly nowMs?: () => number
}): MissingFiles {
  const { onFile, nowMs = Date.now } = deps
  // The order of a map is that of insertion.
  const latest = new Map<string, { reason: MissingReason; atMs: number }>()
  let count = 0
  return {
    note(path, reason) {
      count++
      onFile(reason)
      latest.delete(path)
      latest.set(path, { reason, atMs: nowMs() })
      const [oldest] = latest.keys()
      if (latest.size > mostKept && oldest !== undefined) latest.delete(oldest)
    },
    opened(path) {
      latest.delete(path)
    },
    files: () =>
      [...latest]
        .reverse()
        .map(([path, { reason, atMs }]) => ({ path, reason, sinceUs: atMs * 1000 })),
    wire: () => ({
      count,
      latest: [...latest]
        .slice(-mostReported)
        .reverse()
        .map(([path, { reason, atMs }]) => {
          return { path, reason, at: microsecondsToIso(atMs * 1000) }
        }),
    }),
  }
}
