import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

/**
 * A reader that was closed does not wait for its query workers, which close their connections a
 * moment later: until then the removal is repeated.
 */
const removing = { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }

type Content = NonNullable<Parameters<Test['testdir']>[0]>

/** Number of folders per test. */
const counts = new WeakMap<Test, number>()

/**
 * Makes a folder with this content, a new one at each call. It is removed after the test has closed
 * what it opened: teardowns run in reverse order.
 */
export function testFolder(t: Test, content: Content = {}): string {
  const count = (counts.get(t) ?? 0) + 1
  counts.set(t, count)
  const folder = count === 1 ? t.testdirName : `${t.testdirName}-${count}`
  rmSync(folder, removing)
  t.teardown(() => rmSync(folder, removing))
  fill(folder, content)
  return folder
}

/**
 * Makes a folder with this content that every user can read, outside of the checkout, which may be
 * closed to others.
 */
export function commonFolder(t: Test, content: Content = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'test-'))
  t.teardown(() => rmSync(folder, removing))
  fill(folder, content)
  execFileSync('chmod', ['-R', 'a+rX', folder])
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
