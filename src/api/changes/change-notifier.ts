import { CatalogueUnavailable } from '../../catalogue/reader.ts'
import type { CatalogueReader } from '../../catalogue/reader.ts'
import type { Head } from '../../catalogue/records.ts'

/** A poll reads one row and takes a few microseconds, however many clients wait. */
const pollIntervalMs = 50

/** Wakes waiting clients when the head changes. Polls the catalogue only while a client waits. */
export interface ChangeNotifier {
  /** Resolves with true when the head differs from `from`; with false at the timeout or the signal. */
  changed(
    from: Head,
    timeout: { readonly ms: number; readonly signal: AbortSignal },
  ): Promise<boolean>
}

interface Waiter {
  readonly from: Head
  readonly wake: (changed: boolean) => void
}

export function openChangeNotifier(reader: Pick<CatalogueReader, 'head'>): ChangeNotifier {
  const waiters = new Set<Waiter>()
  let timer: NodeJS.Timeout | undefined
  const poll = async (): Promise<void> => {
    timer = undefined
    if (waiters.size === 0) return
    try {
      const head = await reader.head()
      for (const waiter of waiters) if (!isSame(head, waiter.from)) waiter.wake(true)
    } catch (error) {
      // An unavailable catalogue is polled again. At any other error the clients read, and get the error themselves.
      if (!(error instanceof CatalogueUnavailable)) for (const { wake } of waiters) wake(true)
    }
    schedulePoll()
  }
  const schedulePoll = (): void => {
    if (waiters.size > 0) timer ??= setTimeout(() => void poll(), pollIntervalMs)
  }
  return {
    changed: (from, { ms, signal }) =>
      new Promise((resolve) => {
        const end = (): void => {
          waiter.wake(false)
        }
        const timeout = setTimeout(end, ms)
        const waiter: Waiter = {
          from,
          wake(changed) {
            waiters.delete(waiter)
            clearTimeout(timeout)
            signal.removeEventListener('abort', end)
            resolve(changed)
          },
        }
        if (signal.aborted) {
          end()
          return
        }
        waiters.add(waiter)
        signal.addEventListener('abort', end)
        schedulePoll()
      }),
  }
}

function isSame(a: Head, b: Head): boolean {
  return a.seq === b.seq && a.epoch === b.epoch
}
