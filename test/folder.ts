import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'

type Content = NonNullable<Parameters<Test['testdir']>[0]>

/** How many folders a test has. */
const counts = new WeakMap<Test, number>()

/**
 * A folder of the test's own, with this content: another one at each call, where tap would empty the first. It is removed
 * after what the test opened was closed: tap by itself removes it first when it was asked for before the first teardown.
 */
export function testFolder(t: Test, content: Content = {}): string {
  const count = (counts.get(t) ?? 0) + 1
  counts.set(t, count)
  t.teardown(() => undefined)
  // eslint-disable-next-line no-restricted-properties -- the one place
  if (count === 1) return t.testdir(content)
  const folder = `${t.testdirName}-${count}`
  rmSync(folder, { recursive: true, force: true })
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  fill(folder, content)
  return folder
}

function fill(folder: string, content: Content): void {
  mkdirSync(folder, { recursive: true })
  for (const [name, inner] of Object.entries(content)) {
    const path = join(folder, name)
    if (typeof inner === 'string' || Buffer.isBuffer(inner)) writeFileSync(path, inner)
    else if (Object.getPrototypeOf(inner) === Object.prototype) fill(path, inner as Content)
    else throw new Error(`${name}: only the first folder of a test can hold links`)
  }
}
