/** Waits that an `AbortSignal` ends. */
import { setTimeout as delay } from 'node:timers/promises'

/** Waits; returns early when the signal is aborted. */
export async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined)
}

/** Runs a task again and again until the signal is aborted. The task returns the delay before its next run (ms). */
export async function repeat(task: () => Promise<number>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await wait(await task(), signal)
}
