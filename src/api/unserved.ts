/** Files of the catalogue that could not be served, which only those who ask for them would notice otherwise. */
import { microsecondsToIso } from './serialise.ts'

/** Why a file of the catalogue is not served, in a word for everybody. */
export const notServedReasons = [
  'not-there',
  'no-permission',
  'lies-elsewhere',
  'not-regular',
] as const
export type NotServedReason = (typeof notServedReasons)[number]

/** Files that are told of by name: the catalogue may hold millions that cannot be served. */
const mostTold = 10

/** As clients get it. */
export interface WireUnserved {
  /** Answers since this process started, several about one file included. */
  readonly count: number
  /** Latest first; each file once. */
  readonly latest: readonly {
    readonly path: string
    readonly reason: NotServedReason
    readonly at: string
  }[]
}

export interface Unserved {
  /** @param path of a file of the catalogue, below the archive root; whatever else a client asked for is not told */
  note(path: string, reason: NotServedReason): void
  wire(): WireUnserved
}

export function openUnserved(deps: {
  /** Told of each. */
  readonly onFile: (reason: NotServedReason) => void
  /** The clock: milliseconds since 1970. */
  readonly nowMs?: () => number
}): Unserved {
  const { onFile, nowMs = Date.now } = deps
  // The order of a map is that of insertion.
  const latest = new Map<string, { reason: NotServedReason; atMs: number }>()
  let count = 0
  return {
    note(path, reason) {
      count++
      onFile(reason)
      latest.delete(path)
      latest.set(path, { reason, atMs: nowMs() })
      const [oldest] = latest.keys()
      if (latest.size > mostTold && oldest !== undefined) latest.delete(oldest)
    },
    wire: () => ({
      count,
      latest: [...latest].reverse().map(([path, { reason, atMs }]) => {
        return { path, reason, at: microsecondsToIso(atMs * 1000) }
      }),
    }),
  }
}
