import type { Test } from 'tap'

/** Waits until something holds; fails the test after a time that is far longer than it takes. */
export async function until(
  t: Test,
  what: string,
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  for (const end = Date.now() + 60_000; !(await holds());)
    if (Date.now() > end) return void t.fail(`in vain: ${what}`)
    else await new Promise((resolve) => setTimeout(resolve, 5))
  t.pass(what)
}
