/**
 * A tree of many directories, one for each station, year and day, with a file in each: the first
 * scan, a restart, sweeps for a time, and a file that arrives, in CPU and wall time, and the memory
 * of the indexer.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { cpuOf, firstMatch, memoryOf } from './load.js'
import { median, optionsOf } from './measure.js'

export const description = 'first scan, sweeps and arrivals in a tree of many directories'

const cli = join(import.meta.dirname, '../dist/cli.js')
/** What the systemd unit of the indexer sets. */
const unitOptions = '--max-semi-space-size=8 --max-old-space-size=512'
const dayMs = 86_400_000
const file = gzipSync('x')

/**
 * Options: --stations (700), --days (714), the last of which is today; --seconds (60) of sweeps;
 * --arrivals (20); --tree DIR (made if it is not there, and kept).
 */
export async function run({ print, args }) {
  const options = optionsOf(args, { stations: 700, days: 714, seconds: 60, arrivals: 20, tree: '' })
  const folder = mkdtempSync(join(tmpdir(), 'directories-'))
  try {
    const archive = options.tree === '' ? join(folder, 'archive') : options.tree
    if (!existsSync(archive)) makeTree(archive, options)
    print(`${options.stations} stations × ${options.days} days`)
    const database = join(folder, 'catalogue.db')
    for (const what of ['first scan', 'restart'])
      await follow({ ...options, print, what, archive, database })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function makeTree(archive, { stations, days }) {
  for (let station = 0; station < stations; station++)
    for (let ago = 0; ago < days; ago++) {
      const path = join(archive, pathOf(station, ago, '0'))
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, file)
      if (ago === 0) continue
      const seconds = Date.now() / 1000 - (ago * dayMs) / 1000
      for (const each of [path, dirname(path)]) utimesSync(each, seconds, seconds)
    }
}

/** The path of a file of a station, `ago` days before today. */
function pathOf(station, ago, session) {
  const code = `s${station.toString(36).padStart(3, '0')}`
  const date = new Date(Date.now() - ago * dayMs)
  const year = String(date.getUTCFullYear())
  const ddd = String(Math.floor((date - Date.UTC(year)) / dayMs) + 1).padStart(3, '0')
  return `${code}/${year}/${ddd}/${code}${ddd}${session}.${year.slice(2)}d.gz`
}

/** Runs the indexer until it has caught up, and for some sweeps. */
async function follow({ print, what, archive, database, stations, seconds, arrivals }) {
  const begunMs = performance.now()
  const log = ['--log-level', 'info', '--checksums', 'none']
  const args = [cli, 'index', '--archive', archive, '--areas', '.', '--database', database, ...log]
  const env = { ...process.env, NODE_OPTIONS: unitOptions }
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env })
  await firstMatch(child, /"(caught up[^"]*)"/)
  const figures = (label, sinceMs, sinceCpu) =>
    print(
      `  ${label.padEnd(20)} wall ${((performance.now() - sinceMs) / 1000).toFixed(1)} s   CPU ${(cpuOf(child.pid) - sinceCpu).toFixed(1)} s   memory ${memoryOf(child.pid)} MB`,
    )
  figures(what, begunMs, 0)
  const [sweepMs, cpu] = [performance.now(), cpuOf(child.pid)]
  await pause(seconds * 1000)
  figures('sweeps', sweepMs, cpu)
  const took = []
  for (let n = 0; n < arrivals; n++)
    took.push(await arrive({ archive, database, path: pathOf(n % stations, 0, what[0]) }))
  print(
    `  arrivals             ${median(took).toFixed(0)} ms, at most ${Math.max(...took).toFixed(0)} ms`,
  )
  child.kill('SIGTERM')
  await once(child, 'close')
}

/** Renames a file to its place. @returns the time until it is listed (ms) */
async function arrive({ archive, database, path }) {
  const from = join(archive, '..', 'arriving')
  writeFileSync(from, file)
  renameSync(from, join(archive, path))
  const begunMs = performance.now()
  const db = new Database(database, { readonly: true })
  const listed = db.prepare('SELECT 1 FROM file WHERE name = ?')
  const name = path.slice(path.lastIndexOf('/') + 1)
  while (listed.get(name) === undefined && performance.now() - begunMs < 120_000) await pause(5)
  db.close()
  return performance.now() - begunMs
}
