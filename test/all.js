/**
 * Runs every test file, or those whose path below this folder begins with an argument, several
 * processes at a time, from the sources: the files of a folder that need no process of their own
 * together (`area.ts`), the slowest first. They run without the hooks of the test runner, which
 * every Node process and every thread that a test starts would have too: with them the tests take
 * three times as long. A cache on disk keeps the sources without their types, so that a process
 * starts as fast as with compiled files.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import t from 'tap'
import { lacksPostgres, sharedFolder } from './postgres.ts'

/** Ends a process that hangs, in milliseconds: later than the time limit of test/tap.ts. */
const longest = 630_000

// Many files mostly wait, so that more of them than processors run.
t.jobs = 4
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
 * Files that run on PostgreSQL too, with BOTH_ENGINES=1: those of the catalogue (`engines` opens
 * both itself), and some that prove much on the levels above it. SLOW=1 runs all on both that open
 * a catalogue.
 */
const isSlow = process.env['SLOW'] === '1'
const ofBoth = new RegExp(
  isSlow
    ? '^(catalogue/(?!engines)[^/]+|(api|indexer|series)/.+|acceptance/newcomer.+)$'
    : `^(catalogue/(?!engines)[^/]+|${[
        'api/changes/route',
        'api/files/(hostile-queries|record-page|route)',
        'api/search/route',
        'api/stations/page',
        'indexer/(indexer|layout-histories|trees|write/apply-snapshot)',
        'acceptance/newcomer',
      ].join('|')})\\.test\\.ts$`,
)
const onBoth = isSlow || process.env['BOTH_ENGINES'] === '1'

/**
 * Files with PostgreSQL servers of their own, which they crash and promote: they run with those on
 * both engines, and where they are named.
 */
const ofClusters = /^acceptance\/postgres-/
const notHere = onBoth || wanted.length > 0 ? [] : files.filter((file) => ofClusters.test(file))
for (const file of notHere)
  await t.test(join('test', file), { skip: 'needs BOTH_ENGINES=1' }, () => undefined)

/** Folders whose files share a process; those of the others start, kill or measure processes. */
const areas = /^(api|catalogue|config|indexer|parse|runtime|series)\//
/** A file that takes longer has a process of its own, in seconds. */
const long = 15

/** The seconds that each file took the last time, by its path or `PATH on postgres`. */
const timesFile = 'build/test-times.json'
const earlier = readTimes(timesFile)
/** Those of this run. @type {Map<string, number>} */
const times = new Map()

// The first file that needs the server of this folder starts it for all.
const lacking = lacksPostgres()
if (lacking === false) sharedFolder()

const engines = onBoth ? [[], ['postgres']] : [[]]
const runs = engines
  .flatMap((engine) => {
    const here = files.filter((file) => !notHere.includes(file))
    const some = engine.length === 0 ? here : here.filter((file) => ofBoth.test(file))
    return groups(some, engine).map((each) => ({ files: each, engine }))
  })
  .sort((a, b) => lengthOf(b) - lengthOf(a))

const cache = `NODE_COMPILE_CACHE=${resolve('build/compile-cache')}`
await Promise.all(runs.map(run))
printTimes()

/**
 * The files that share a process.
 *
 * @param {string[]} all
 * @param {string[]} engine
 * @returns {string[][]}
 */
function groups(all, engine) {
  const found = new Map()
  for (const file of all) {
    const isAlone = !areas.test(file) || timeOf(file, engine) > long
    const key = isAlone ? file : dirname(file)
    found.set(key, [...(found.get(key) ?? []), file])
  }
  return [...found.values()]
}

/**
 * @param {string} file
 * @param {string[]} engine
 */
function timeOf(file, engine) {
  // A new file, and all files of a new checkout: acceptance tests are the slowest.
  return earlier[[file, ...engine].join(' on ')] ?? (file.startsWith('acceptance/') ? 10 : 1)
}

/** @param {{ files: string[], engine: string[] }} run */
function lengthOf({ files, engine }) {
  return files.reduce((sum, file) => sum + timeOf(file, engine), 0)
}

/**
 * @param {{ files: string[], engine: string[] }} run
 * @param {number} index
 */
async function run({ files, engine }, index) {
  const [first = ''] = files
  const isAlone = files.length === 1
  const name = join('test', isAlone ? first : dirname(first))
  if (engine.length > 0 && lacking !== false) {
    await t.test(`${name} on PostgreSQL`, { skip: lacking }, () => undefined)
    return
  }
  const target = resolve(`build/test-times-${index}.json`)
  const settings = [
    cache,
    `TEST_FILES=${files.join()}`,
    `TEST_TIMES=${target}`,
    ...engine.map((each) => `RINEX_TEST_ENGINE=${each}`),
  ]
  // With a process group of its own, a test can end all that it has started, see test/tap.ts. The
  // last arguments name the test and its folders.
  const program = isAlone ? [name] : ['test/area.ts', dirname(first).replaceAll('/', '-')]
  const line = ['env', '-u', 'NODE_OPTIONS', ...settings, process.execPath, ...program, ...engine]
  const spawned = t.spawn('setsid', line, {
    name: [name, ...engine].join(' on '),
    timeout: isAlone ? longest : 0,
    buffered: true,
  })
  await spawned
  const seconds = isAlone ? { [first]: (spawned.subtest?.time ?? 0) / 1000 } : readTimes(target)
  for (const [file, time] of Object.entries(seconds))
    times.set([file, ...engine].join(' on '), time)
}

/** @param {string} file */
function readTimes(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}

/** Prints the times of the files, the slowest first, and keeps them for the next run. */
function printTimes() {
  const sorted = [...times].sort(([, a], [, b]) => b - a)
  const total = sorted.reduce((sum, [, time]) => sum + time, 0)
  for (const [file, time] of sorted) t.comment(`${time.toFixed(1)} s ${file}`)
  t.comment(`${total.toFixed(0)} s in all, of ${sorted.length} files`)
  writeFileSync(timesFile, JSON.stringify({ ...earlier, ...Object.fromEntries(times) }, null, 1))
}
