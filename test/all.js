/**
 * Runs every test file, or those whose path below this folder begins with an argument, as a process
 * of its own, several at a time, from the sources. They run without the hooks of the test runner,
 * which every Node process and every thread that a test starts would have too: with them the tests
 * take three times as long. A cache on disk keeps the sources without their types, so that a
 * process starts as fast as with compiled files.
 */
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import t from 'tap'
import { lacksPostgres, sharedFolder } from './postgres.ts'

/** Ends a process that hangs, in milliseconds: later than the time limit of test/tap.ts. */
const longest = 630_000

t.jobs = 3
t.setTimeout(0)

const wanted = process.argv.slice(2).map((path) => path.replace(/^test\//, ''))
const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .filter((file) => wanted.length === 0 || wanted.some((path) => file.startsWith(path)))
  .sort()
if (files.length === 0) t.fail(`no test file begins with ${wanted.join(' or ')}`)
// The library would go on after these signals, and at a normal exit it kills the tests at once, but
// not what they have started. When the connection to this process ends, a test ends all of it: see
// test/tap.ts.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'])
  process.on(signal, () => process.kill(process.pid, 'SIGKILL'))

/**
 * Files that run on SQLite and on PostgreSQL: those of the catalogue, and some that prove much on
 * the levels above it. SLOW=1 runs all on both that open a catalogue.
 */
const ofBoth = new RegExp(
  process.env['SLOW'] === '1'
    ? '^(catalogue/[^/]+|(api|indexer|series)/.+)$'
    : `^(catalogue/[^/]+|${[
        'api/changes/route',
        'api/files/(hostile-queries|record-page|route)',
        'api/search/route',
        'api/stations/page',
        'indexer/(apply-snapshot|indexer)',
      ].join('|')})\\.test\\.ts$`,
)

// The first file that needs the server of this folder starts it for all.
const lacking = lacksPostgres()
if (lacking === false) sharedFolder()

const cache = `NODE_COMPILE_CACHE=${resolve('build/compile-cache')}`
for (const file of files) {
  run(file)
  if (!ofBoth.test(file)) continue
  if (lacking === false) run(file, 'postgres')
  else void t.test(`${file} on PostgreSQL`, { skip: lacking }, () => undefined)
}

/**
 * @param {string} file
 * @param {string[]} engine names the test and its folders too
 */
function run(file, ...engine) {
  const name = join('test', file)
  const settings = [cache, ...engine.map((each) => `RINEX_TEST_ENGINE=${each}`)]
  // With a process group of its own, a test can end all that it has started, see test/tap.ts.
  const line = ['env', '-u', 'NODE_OPTIONS', ...settings, process.execPath, name, ...engine]
  void t.spawn('setsid', line, {
    name: [name, ...engine].join(' on '),
    timeout: longest,
    buffered: true,
  })
}
