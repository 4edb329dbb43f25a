import type { Test } from 'tap'

/**
 * Waits until a condition is true; fails the test after a minute, far longer than it should take.
 */
export async function until(
  t: Test,
  what: string,
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  for (const end = Date.now() + 60_000; !(await holds());)
    if (Date.now() > end) return void t.fail(`timeout: ${what}`)
    else await new Promise((resolve) => setTimeout(resolve, 5))
  t.pass(what)
}
