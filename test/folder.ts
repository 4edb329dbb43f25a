import type { Test } from 'tap'

/**
 * A folder of the test's own, with this content. It is removed after what the test opened was closed: tap by itself
 * removes it first when it was asked for before the first teardown.
 */
export function testFolder(t: Test, content: Parameters<Test['testdir']>[0] = {}): string {
  t.teardown(() => undefined)
  // eslint-disable-next-line no-restricted-properties -- the one place
  return t.testdir(content)
}
