/**
 * The clock of all processes: wall-clock time in microseconds. And waits that an `AbortSignal`
 * ends.
 */
import { setTimeout as delay } from 'node:timers/promises'

/**
 * Largest drift between the wall clock and the steady clock (µs); a larger one means that the wall
 * clock was set.
 */
const setAfterUs = 2000

/** Wall-clock time: microseconds since 1970. */
export type Clock = () => number

/**
 * Creates a wall clock finer than the milliseconds of `Date.now()`. It advances with the steady
 * clock; when the system's time is set, it follows.
 */
export function createClock(): Clock {
  let offsetUs = Infinity
  return () => {
    const steadyUs = performance.now() * 1000
    const wallUs = Date.now() * 1000
    if (Math.abs(steadyUs + offsetUs - wallUs) > setAfterUs) offsetUs = wallUs - steadyUs
    return Math.round(steadyUs + offsetUs)
  }
}

/** Waits; returns early when the signal is aborted. */
export async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined)
}

/**
 * Runs a task again and again until the signal is aborted. The task returns the delay before its
 * next run (ms).
 */
export async function repeat(task: () => Promise<number>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await wait(await task(), signal)
}
