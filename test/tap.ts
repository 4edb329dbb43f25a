/**
 * The test runner, with one time limit for a file, whether it runs alone or in the suite; nothing
 * is left of a suite that was killed.
 */
import type { Test } from 'tap'
import tap from 'tap'

/** Time limit of a test file (ms): the default of 30 seconds is too short on a busy machine. */
export const limitMs = 600_000

let t: Test = tap
t.setTimeout(limitMs)

// A test of the suite has a process group of its own. When the suite is killed, the connection to
// it ends, and so do the test and all processes that it has started.
process.on('disconnect', () => process.kill(0, 'SIGTERM'))
process.channel?.unref()

export { t as default }

/** Makes the tests of the files that are imported next parts of this test (see `area.ts`). */
export function testIn(test: Test): void {
  t = test
}

/**
 * A pattern for `t.match` whose arrays must be as long as the arrays found, at every depth; objects
 * may still have more keys. Without it `t.match` compares an array only as far as the pattern goes,
 * so that `[]` matches every array.
 */
export function exact(pattern: unknown): unknown {
  // A pattern that is no array is compared key by key, and an array has the key `length` too.
  if (Array.isArray(pattern)) return Object.assign({ length: pattern.length }, pattern.map(exact))
  if (pattern === null || typeof pattern !== 'object') return pattern
  if (Object.getPrototypeOf(pattern) !== Object.prototype) return pattern
  return Object.fromEntries(Object.entries(pattern).map(([key, value]) => [key, exact(value)]))
}
