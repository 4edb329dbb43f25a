import type { RescanNumbers, RescanOrder, RescanPlace } from '../control/protocol.ts'
import { areas } from '../parse/archive-path.ts'

/** Runs rescans one at a time: one runs, one waits, and later orders merge into the one that waits. */
export interface Rescans {
  /** @returns the number under which the order runs, and whether it runs, waits, or was merged with another. */
  order(order: RescanOrder): { number: number; place: RescanPlace }
  readonly numbers: RescanNumbers
}

export interface RescansDeps {
  readonly scan: (roots: readonly string[], full: boolean) => Promise<unknown>
  readonly acceptRemovals: (roots: readonly string[]) => void
  readonly onError: (error: unknown) => void
}

interface Pending {
  readonly number: number
  roots: readonly string[]
  full: boolean
  /** Where removals are accepted: an order that does not say so never widens it. */
  accepted: readonly string[]
}

export function openRescans(deps: RescansDeps): Rescans {
  let last = 0
  let running: Pending | undefined
  let waiting: Pending | undefined
  let done = 0

  const run = async (): Promise<void> => {
    for (let next = waiting; next !== undefined; next = waiting) {
      running = next
      waiting = undefined
      deps.acceptRemovals(next.accepted)
      await deps.scan(next.roots, next.full)
      done = next.number
      running = undefined
    }
  }
  return {
    order({ path, full, acceptRemovals }) {
      const roots = path === undefined ? areas : [path]
      const accepted = acceptRemovals ? roots : []
      if (waiting !== undefined) {
        waiting.roots = merge(waiting.roots, roots)
        waiting.full ||= full
        waiting.accepted = merge(waiting.accepted, accepted)
        return { number: waiting.number, place: 'merged' }
      }
      waiting = { number: ++last, roots, full, accepted }
      if (running !== undefined) return { number: last, place: 'waiting' }
      run().catch(deps.onError)
      return { number: last, place: 'running' }
    },
    get numbers() {
      return { running: running?.number, waiting: waiting?.number, done }
    },
  }
}

/** Roots of both; one that lies below another is part of it. */
function merge(a: readonly string[], b: readonly string[]): string[] {
  const all = [...new Set([...a, ...b])]
  return all.filter((root) => !all.some((other) => root.startsWith(`${other}/`)))
}
