/**
 * Runs test files one after another in this process, which loads the program once. Each file is a
 * test of its own, with its hooks and its time limit.
 */
import { writeFileSync } from 'node:fs'
import root, { limitMs, testIn } from './tap.ts'

const { TEST_FILES: files = '', TEST_TIMES: target } = process.env
const area = root
area.setTimeout(0)
/** Seconds that each file took. */
const times: Record<string, number> = {}
for (const file of files.split(',')) {
  let startedMs = 0
  const run = area.test(file.replace('.test.ts', ''), { timeout: limitMs }, async (t) => {
    startedMs = performance.now()
    testIn(t)
    await import(`./${file}`)
  })
  void run.then(() => {
    times[file] = (performance.now() - startedMs) / 1000
    if (target !== undefined) writeFileSync(target, JSON.stringify(times))
  })
}
