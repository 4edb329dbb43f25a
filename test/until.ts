/** Waiting for a condition, in tests of all levels. */
import { setTimeout as delay } from 'node:timers/promises'

/** Far longer than anything takes on a busy machine; only SLOW=1 checks the promised times. */
export const timeoutMs = 120_000

/**
 * Waits until a condition holds; an error counts as false.
 * @returns the time that it took (ms)
 * @throws an error with the description after the timeout
 */
export async function until(
  description: string,
  holds: () => boolean | Promise<boolean>,
  maxMs = timeoutMs,
): Promise<number> {
  const startedMs = performance.now()
  let lastError: unknown
  for (;;) {
    try {
      if (await holds()) return performance.now() - startedMs
    } catch (error) {
      lastError = error
    }
    const waitedMs = performance.now() - startedMs
    if (waitedMs > maxMs) throw new Error(`timeout: ${description}`, { cause: lastError })
    // Many conditions are requests, so a long wait asks seldom.
    await delay(Math.min(5 + waitedMs / 10, 100))
  }
}
