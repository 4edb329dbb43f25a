/** The clock of all processes: wall-clock time in microseconds. */

/** Largest drift between the wall clock and the steady clock (µs); a larger one means that the wall clock was set. */
const setAfterUs = 2000

/**
 * Opens a wall clock in microseconds since 1970, finer than the milliseconds of `Date.now()`. It advances with the steady clock;
 * when the system's time is set, it follows.
 */
export function openClock(): () => number {
  let offsetUs = Infinity
  return () => {
    const steadyUs = performance.now() * 1000
    const wallUs = Date.now() * 1000
    if (Math.abs(steadyUs + offsetUs - wallUs) > setAfterUs) offsetUs = wallUs - steadyUs
    return Math.round(steadyUs + offsetUs)
  }
}
