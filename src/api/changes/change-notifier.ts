import { CatalogueUnavailable } from '../../catalogue/reader.ts'
import type { CatalogueReader } from '../../catalogue/reader.ts'
import type { Head } from '../../catalogue/records.ts'

/** How soon at the latest a change is noticed. One look costs a few microseconds, however many wait. */
const pollIntervalMs = 50

/** Tells all who wait when the catalogue has moved on, looking only while somebody waits. */
export interface ChangeNotifier {
  /** @returns whether the head is another than this; not when the time is over or the signal came first */
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
  const look = async (): Promise<void> => {
    timer = undefined
    if (waiters.size === 0) return
    try {
      const head = await reader.head()
      for (const waiter of waiters) if (!isSame(head, waiter.from)) waiter.wake(true)
    } catch (error) {
      // It may be back at the next look. Any other error is for those to meet who asked.
      if (!(error instanceof CatalogueUnavailable)) for (const { wake } of waiters) wake(true)
    }
    lookLater()
  }
  const lookLater = (): void => {
    if (waiters.size > 0) timer ??= setTimeout(() => void look(), pollIntervalMs)
  }
  return {
    changed: (from, { ms, signal }) =>
      new Promise((resolve) => {
        const end = (): void => {
          waiter.wake(false)
        }
        const overdue = setTimeout(end, ms)
        const waiter: Waiter = {
          from,
          wake(changed) {
            waiters.delete(waiter)
            clearTimeout(overdue)
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
        lookLater()
      }),
  }
}

function isSame(a: Head, b: Head): boolean {
  return a.seq === b.seq && a.epoch === b.epoch
}
