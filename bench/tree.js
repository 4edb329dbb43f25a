/**
 * Makes trees of sparse files with RINEX names for load tests: as many files as a large archive,
 * without content.
 *
 *   node bench/tree.js --files 1000000 --out DIR [--per-directory 300] [--size 50000]
 *     [--layout obs|nrt|both]
 *                      [--age-days 400] [--recent-hours 0] [--seed 1] [--verbose]
 *
 * The newest directory is `--age-days` old, the others are older by one day or hour each; with
 * `--recent-hours` the newest hours of the near-real-time area end now. The mtimes of files and
 * directories are shortly after their data, never in the future. The same options, seed and day
 * give the same tree.
 */
import * as fs from 'node:fs'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { directoryPath, instant } from '../fixtures/names.js'
import { makeSlots, slotName } from './slots.js'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** The period of a directory, and the time within which its files arrive afterwards. */
const areas = {
  obs: { stepMs: dayMs, arrivalMs: 2 * hourMs },
  nrt: { stepMs: hourMs, arrivalMs: 10 * 60_000 },
}
const layouts = { obs: ['obs'], nrt: ['nrt'], both: ['obs', 'nrt'] }
const progressStep = 100_000

const defaults = {
  perDirectory: 300,
  size: 50_000,
  layout: 'obs',
  ageDays: 400,
  recentHours: 0,
  seed: '1',
}

function check(options) {
  const atLeast = { files: 1, perDirectory: 1, size: 0, ageDays: 0, recentHours: 0 }
  for (const [name, least] of Object.entries(atLeast)) {
    if (!Number.isSafeInteger(options[name]) || options[name] < least) {
      throw new Error(`${name} must be a whole number from ${least} on`)
    }
  }
  if (!Object.hasOwn(layouts, options.layout)) throw new Error('layout must be obs, nrt or both')
  // The directory could be a real archive, so it must be empty.
  fs.mkdirSync(options.out, { recursive: true })
  if (fs.readdirSync(options.out).length > 0) throw new Error(`${options.out} is not empty`)
}

/** Start times of the directories (ms), oldest first. */
function directoryStarts(area, count, { now, ageDays, recentHours }) {
  const { stepMs } = areas[area]
  const recent = area === 'nrt' ? Math.min(recentHours, count) : 0
  const current = Math.floor(now / stepMs) * stepMs
  const oldestRecent = current - recent * stepMs
  const newestQuiet = Math.min(current - ageDays * dayMs, oldestRecent - stepMs)
  const starts = Array.from({ length: count }, (_, index) =>
    index < recent ? current - (index + 1) * stepMs : newestQuiet - (index - recent) * stepMs,
  )
  // The two digits of the year in short names begin at 1980.
  if (starts.at(-1) < instant(1980, 1)) {
    throw new Error('the tree would begin before 1980: put more files into each directory')
  }
  return starts.reverse()
}

function placeOf(area, startMs) {
  const date = new Date(startMs)
  const year = date.getUTCFullYear()
  const day = Math.floor((startMs - instant(year, 1)) / dayMs) + 1
  return { area, year, day, hour: date.getUTCHours(), startMs }
}

function writeSparse(path, size, seconds) {
  const file = fs.openSync(path, 'wx')
  fs.ftruncateSync(file, size)
  fs.futimesSync(file, seconds, seconds)
  fs.closeSync(file)
}

/** Fills a directory. @returns the mtime of its newest file (s) */
function fillDirectory(directory, place, { slots, size, now }) {
  const { stepMs, arrivalMs } = areas[place.area]
  const endMs = place.startMs + stepMs
  let newest = 0
  fs.mkdirSync(directory, { recursive: true })
  for (const slot of slots) {
    const arrival = Math.min(endMs + slot.delay * arrivalMs, now) / 1000
    writeSparse(`${directory}/${slotName(slot, place)}`, size, arrival)
    if (arrival > newest) newest = arrival
  }
  fs.utimesSync(directory, newest, newest)
  return newest
}

/**
 * Sets the mtime of parents last, because they change while their children are made: that of the
 * newest entry below.
 */
function dateParents(out, newestByPath) {
  const parents = new Map()
  for (const [path, newest] of newestByPath) {
    const parts = path.split('/')
    for (let depth = 0; depth < parts.length; depth += 1) {
      const parent = parts.slice(0, depth).join('/')
      parents.set(parent, Math.max(parents.get(parent) ?? 0, newest))
    }
  }
  for (const [parent, newest] of parents) fs.utimesSync(`${out}/${parent}`, newest, newest)
}

/**
 * Makes a tree below `out`, which must be empty or absent. `now` (ms) replaces the clock;
 * `onProgress` is called with the number of files at times. @returns the numbers of files and
 * directories
 */
export function generateTree(given) {
  const options = { now: Date.now(), onProgress: () => undefined, ...defaults, ...given }
  check(options)
  const { files, out, perDirectory } = options
  const slots = makeSlots(perDirectory, options.seed)
  const chosen = layouts[options.layout]
  const newestByPath = new Map()
  let written = 0
  const fill = (place, some) => {
    const path = directoryPath(place)
    const newest = fillDirectory(`${out}/${path}`, place, { ...options, slots: some })
    newestByPath.set(path, newest)
    const passed = Math.floor((written + some.length) / progressStep)
    if (passed > Math.floor(written / progressStep)) options.onProgress(written + some.length)
    written += some.length
  }
  chosen.forEach((area, index) => {
    const wanted = Math.ceil((files * (index + 1)) / chosen.length) - written
    const count = Math.ceil(wanted / perDirectory)
    // All directories are full except the oldest.
    const over = wanted - (count - 1) * perDirectory
    for (const [at, startMs] of directoryStarts(area, count, options).entries()) {
      fill(placeOf(area, startMs), at === 0 ? slots.slice(0, over) : slots)
    }
  })
  dateParents(out, newestByPath)
  return { files: written, directories: newestByPath.size }
}

function main() {
  const { values } = parseArgs({
    options: {
      files: { type: 'string' },
      out: { type: 'string' },
      'per-directory': { type: 'string', default: String(defaults.perDirectory) },
      size: { type: 'string', default: String(defaults.size) },
      layout: { type: 'string', default: defaults.layout },
      'age-days': { type: 'string', default: String(defaults.ageDays) },
      'recent-hours': { type: 'string', default: String(defaults.recentHours) },
      seed: { type: 'string', default: defaults.seed },
      verbose: { type: 'boolean', default: false },
    },
  })
  if (values.files === undefined || values.out === undefined) {
    throw new Error('--files and --out are needed')
  }
  const started = performance.now()
  const say = (text) => {
    if (values.verbose) process.stderr.write(`${text}\n`)
  }
  const { files, directories } = generateTree({
    files: Number(values.files),
    out: values.out,
    perDirectory: Number(values['per-directory']),
    size: Number(values.size),
    layout: values.layout,
    ageDays: Number(values['age-days']),
    recentHours: Number(values['recent-hours']),
    seed: values.seed,
    onProgress: (count) => say(`${count} files`),
  })
  const seconds = (performance.now() - started) / 1000
  say(`${files} files in ${directories} directories, ${seconds.toFixed(1)} s`)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    main()
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}
