/**
 * The first scan, the restart and the survey of one archive in several layouts: the same files,
 * moved and renamed. The reference is the commissioned layout, in the same run.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { cpuOf, firstMatch } from './load.js'
import { measure, optionsOf, ratios, spread } from './measure.js'
import { generateTree } from './tree.js'

export const description = 'first scan, restart and survey in other layouts; reference: obs/y/ddd'

const cli = join(import.meta.dirname, '../dist/cli.js')

/** Where a file of `obs/2024/101` is in each layout, and the options with which it is listed. */
const layouts = {
  'obs/y/ddd, .gz': { place: (day, name) => `obs/${day}/${name}`, options: '' },
  'obs/y/ddd, .Z': {
    place: (day, name) => `obs/${day}/${name.replace(/gz$/, 'Z')}`,
    options: '--suffixes .gz,.Z',
  },
  'obs/y/ddd, plain': {
    place: (day, name) => `obs/${day}/${name.slice(0, -3)}`,
    options: '--suffixes .gz,.Z,',
  },
  'station/y, .gz': {
    place: (day, name) => `${name.slice(0, 4).toUpperCase()}/${day.slice(0, 4)}/${name}`,
    options: '--areas . --suffixes .gz,.Z',
  },
  'pub/rinex3/y/ddd, exclude': {
    place: (day, name) => `pub/rinex3/${day}/${name}`,
    options: '--areas pub/rinex3,pub/hourly --exclude raw/,**/products/**,*.bad.gz',
  },
  'y/ddd/station, .gz': {
    place: (day, name) => `${day}/${name.slice(0, 4).toLowerCase()}/${name}`,
    options: '--areas . --suffixes .gz,.Z',
  },
}

/**
 * Options: --files (1000000), --rounds (3), --most (99): the first so many of the layouts. That
 * with stations below days has about half as many directories as files.
 */
export async function run({ print, args }) {
  const { files, rounds, most } = optionsOf(args, { files: 1_000_000, rounds: 3, most: 99 })
  const folder = fs.mkdtempSync(join(tmpdir(), 'layouts-'))
  try {
    print(`making a tree of ${files} files`)
    let archive = join(folder, 'archive')
    generateTree({ files, out: archive })
    const chosen = Object.entries(layouts).slice(0, most)
    const figures = new Map(chosen.map(([name]) => [name, []]))
    for (let round = 0; round < rounds; round++)
      for (const [index, [name, layout]] of chosen.entries()) {
        archive = rearrange(archive, join(folder, `tree-${round}-${index}`), layout)
        const found = await measureLayout({ archive, folder, layout })
        figures.get(name).push(found)
        print(`round ${round + 1}, ${name}: ${found.scan.cpu} s of CPU for the first scan`)
      }
    report({ print, rounds, files, figures })
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** Moves all files into a new tree. @returns its folder */
function rearrange(from, to, { place }) {
  const times = new Map()
  for (const entry of fs.readdirSync(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    const { mtimeMs } = fs.statSync(file)
    const path = join(to, place(dayOf(entry.name), originalName(entry.name)))
    const directory = dirname(path)
    if (!times.has(directory)) fs.mkdirSync(directory, { recursive: true })
    fs.renameSync(file, path)
    // A directory is as old as its newest file, and those above it too.
    for (let above = directory; above.length >= to.length; above = dirname(above))
      times.set(above, Math.max(times.get(above) ?? 0, mtimeMs))
  }
  for (const [directory, mtimeMs] of times) fs.utimesSync(directory, mtimeMs / 1000, mtimeMs / 1000)
  fs.rmSync(from, { recursive: true, force: true })
  return to
}

/** `2024/101` of the name of a file. */
function dayOf(name) {
  const [, long, day] = /_(\d{4})(\d{3})\d{4}_/.exec(name) ?? []
  if (long !== undefined) return `${long}/${day}`
  const [, ddd, yy] = /^.{4}(\d{3})\w+\.(\d\d)/.exec(name)
  return `${Number(yy) < 80 ? 20 : 19}${yy}/${ddd}`
}

/** The name of a file with the suffix that it was made with. */
function originalName(name) {
  return `${name.replace(/\.(gz|Z)$/, '')}.gz`
}

async function measureLayout({ archive, folder, layout: { options } }) {
  const database = join(folder, 'a.db')
  for (const file of fs.readdirSync(folder))
    if (file.startsWith('a.db')) fs.rmSync(join(folder, file), { force: true })
  const command = `index --archive ${archive} --database ${database} ${options}`
  // The tree is read before, so that no cache is cold.
  const find = await measure(`find ${archive} -printf '%s %T@ %p\\n' > /dev/null`)
  const scan = await measure(`node ${cli} ${command} --once --log-level error`, {
    memoryOf: 'index',
  })
  const started = performance.now()
  const child = spawn(
    process.execPath,
    [cli, ...command.split(' ').filter((word) => word !== '')],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  await firstMatch(child, /"(caught up[^"]*)"/)
  const restart = { wall: (performance.now() - started) / 1000, cpu: cpuOf(child.pid) }
  child.kill('SIGTERM')
  await once(child, 'close')
  const survey = await measure(`node ${cli} survey ${archive} --json`, { memoryOf: 'survey' })
  return { find, scan, restart, survey }
}

function report({ print, rounds, files, figures }) {
  const column = (runs, what, key) => runs.map((figures) => figures[what][key])
  const [[, reference]] = figures
  print(`${files} files, ${rounds} rounds in turn: median (minimum–maximum), s; × is of CPU`)
  for (const [name, runs] of figures) {
    const line = (what, against, of) =>
      print(
        `  ${what.padEnd(8)} wall ${spread(column(runs, what, 'wall'))}   CPU ${spread(column(runs, what, 'cpu'))}   × ${ratios(column(runs, what, 'cpu'), column(against, of, 'cpu'))}`,
      )
    print(name)
    line('scan', reference, 'scan')
    line('restart', runs, 'find')
    line('survey', reference, 'survey')
    print(
      `  memory   scan ${spread(column(runs, 'scan', 'peak'), 0)} MB, survey ${spread(column(runs, 'survey', 'peak'), 0)} MB`,
    )
  }
}
