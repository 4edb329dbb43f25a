/**
 * CPU of a sweep over an unchanged tree, with the parts of the indexer: times of all directories,
 * and names of the hot ones. The reference looks at the same with `ls` and `stat`.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Sweeper } from '../dist/indexer/mark/sweep.js'
import { startTreeReader } from '../dist/indexer/read/tree-reader.js'
import { hotDirectories } from '../dist/indexer/state/hot-window.js'
import { KnownDirectories } from '../dist/indexer/state/known-directories.js'
import { Looks } from '../dist/indexer/state/looks.js'
import { SilentFileSystems } from '../dist/indexer/state/silent-file-systems.js'
import { SureStamps } from '../dist/indexer/state/sure-stamps.js'
import { defaultLayout as layout } from '../dist/parse/layout.js'
import { directoryPath } from '../fixtures/names.js'
import { measure, optionsOf, ratios, spread } from './measure.js'
import { makeSlots, slotName } from './slots.js'

export const description = 'CPU of a sweep, hot directories by name; reference: ls and stat'

const dayMs = 86_400_000
const hoursOfDay = 24
/** Areas and years, which are hot too. */
const parents = 4

/**
 * Options: --directories (3406); --hot (300) of them are read by name; --names (294) in each of
 * these; --rounds (10).
 */
export async function run({ print, args }) {
  const options = optionsOf(args, { directories: 3406, hot: 300, names: 294, rounds: 10 })
  const folder = mkdtempSync(join(tmpdir(), 'sweeps-'))
  try {
    await sweepAll({ print, folder, ...options })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function sweepAll({ print, folder, directories, hot, names, rounds }) {
  const archive = join(folder, 'archive')
  const nowMs = Date.now()
  const paths = makeTree({ archive, directories, hot, names, nowMs })
  const tree = startTreeReader({ archive, linkedDirectories: [] })
  const nowUs = () => Date.now() * 1000
  const known = new KnownDirectories(paths)
  const window = { days: 0, hoursDays: Math.ceil(hot / hoursOfDay) }
  const looks = new Looks(known)
  const sureStamps = new SureStamps()
  const byName = hotDirectories({ layout, known, window, stamps: sureStamps }, nowMs)
  const stamps = await tree.stamps(paths)
  for (const [index, path] of paths.entries()) known.setStamp(path, stamps[index])
  const silentFileSystems = new SilentFileSystems({ report: () => false })
  const asOf = { now: () => ({ us: nowUs(), steadyMs: performance.now() }) }
  const parts = { tree, layout, known, looks, window, nowUs, silentFileSystems, asOf }
  const periods = { sweepIntervalMs: 60_000, fullReadMs: dayMs }
  const sweeper = new Sweeper({ ...parts, ...periods, stamps: sureStamps })
  writeFileSync(join(folder, 'hot'), byName.map((path) => `${archive}/${path}\n`).join(''))
  writeFileSync(join(folder, 'all'), paths.map((path) => `${archive}/${path}\n`).join(''))
  const reference = `xargs ls -U < ${folder}/hot > /dev/null; xargs stat -c %Y < ${folder}/all`
  const [ours, theirs] = [[], []]
  for (let round = 0; round <= rounds; round++) {
    const before = process.cpuUsage()
    const { found } = await sweeper.sweep({ all: true })
    const { user, system } = process.cpuUsage(before)
    if (found.length > 0) throw new Error(`${found.length} directories seem to have changed`)
    const { cpu } = await measure(reference)
    // The first round warms up.
    if (round > 0) ours.push((user + system) / 1000)
    if (round > 0) theirs.push(cpu * 1000)
  }
  print(
    `a sweep of ${paths.length} directories, ${byName.length} of them by name with ${names} files`,
  )
  print(`  ours                CPU ${spread(ours, 0)} ms`)
  print(`  ls and stat         CPU ${spread(theirs, 0)} ms`)
  print(`  ratio               ${ratios(ours, theirs)}`)
  await tree.close()
}

/** Makes hours up to now with files, and old days without. @returns the paths of all directories */
function makeTree({ archive, directories, hot, names, nowMs }) {
  const slots = makeSlots(names, '1')
  const all = new Set()
  const add = (place, files) => {
    const path = directoryPath(place)
    mkdirSync(join(archive, path), { recursive: true })
    for (const slot of files) writeFileSync(join(archive, path, slotName(slot, place)), '')
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
      all.add(path.slice(0, end))
  }
  const hours = Math.floor(((hot - parents) * hoursOfDay) / (hoursOfDay + 1))
  for (let hour = 0; hour < hours; hour++)
    add(placeOf('nrt', nowMs - hour * (dayMs / hoursOfDay)), slots)
  for (let day = 400; all.size < directories; day++) add(placeOf('obs', nowMs - day * dayMs), [])
  for (const path of all) utimesSync(join(archive, path), 1.6e9, 1.6e9)
  execFileSync('sync')
  return [...all]
}

function placeOf(area, ms) {
  const date = new Date(ms)
  const year = date.getUTCFullYear()
  const day = Math.floor((ms - Date.UTC(year, 0)) / dayMs) + 1
  return { area, year, day, hour: date.getUTCHours(), startMs: ms }
}
