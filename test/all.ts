/**
 * Runs every compiled test file as a process of its own, several at a time. They run without the hooks of the
 * test runner, which every Node process and every thread that a test starts would have too: with them the tests take
 * three times as long.
 */
import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import t from 'tap'

const root = process.cwd()
const folder = import.meta.dirname
/** Longest time of a file, in seconds. */
const longest = 600

t.jobs = 3
t.setTimeout(0)

// The sources decide: a compiled file may be left of a test that was removed or renamed.
const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .sort()
for (const file of files) {
  const compiled = relative(root, join(folder, file.replace(/ts$/, 'js')))
  const program = [process.execPath, '--enable-source-maps', compiled]
  const args = ['-u', 'NODE_OPTIONS', `TAP_TIMEOUT=${longest}`, ...program]
  void t.spawn('env', args, {
    name: join('test', file),
    timeout: longest * 1000,
    buffered: true,
  })
}
