/** A clock that must have moved by more than this against the steady one has been set. */
const setAfterUs = 2000

/**
 * The time of day in microseconds since 1970, finer than the millisecond of `Date.now()`: steady between two
 * readings, and following the system's clock when that is set.
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
