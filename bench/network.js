/**
 * The network, series, missing files and latency of a large network: 400 stations with observation
 * and navigation files, daily for 25 years and hourly for 57 days, about 8.4 million records. The
 * reference is a page of the list in the same run.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openWriter } from '../dist/catalogue/sqlite/writer.js'
import { changeOf } from './catalogue.js'
import { firstMatch, memoryOf } from './load.js'
import { optionsOf, spread } from './measure.js'

export const description = 'availability, series, missing files, weeks and the network page'

const cli = join(import.meta.dirname, '../dist/cli.js')
const msPerDay = 86_400_000

const targets = [
  ['a page of the list', 'rinex-file/?format=json', 'application/json'],
  ['availability of 25 years', 'station/A00000AUT/availability/', 'application/json'],
  ['its page', 'station/A00000AUT/availability/', 'text/html'],
  ['page of a station', 'station/A00000AUT/', 'text/html'],
  ['series/', 'series/?limit=1000', 'application/json'],
  ['missing/ of 28 days', 'missing/?limit=1000', 'application/json'],
  ['report/', 'report/', 'application/json'],
  ['alerts/', 'alerts/?limit=1000', 'application/json'],
  ['network/', 'network/', 'application/json'],
  ['its page', 'network/', 'text/html'],
]

/**
 * Options: --stations (400), --years (25), --hourly-days (57), --database FILE (kept, made if
 * absent), --rounds (9).
 */
export async function run({ print, args }) {
  const defaults = { stations: 400, years: 25, 'hourly-days': 57, database: '', rounds: 9 }
  const options = optionsOf(args, defaults)
  const { database: given, rounds } = options
  const folder = mkdtempSync(join(tmpdir(), 'network-'))
  const database = given === '' ? join(folder, 'catalogue.db') : given
  try {
    if (!existsSync(database)) {
      const records = await generate({ ...options, database })
      print(`a catalogue of ${records} records`)
    }
    const args = ['serve', '--archive', folder, '--database', database, '--port', '0']
    const api = spawn(process.execPath, [cli, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      const url = await firstMatch(api, /"url":"([^"]+)rinex-file\/"/)
      await compare({ print, rounds, url })
      print(`memory of the API: ${memoryOf(api.pid)} MB`)
    } finally {
      api.kill()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function compare({ print, rounds, url }) {
  const times = targets.map(() => [])
  const sizes = []
  for (let round = 0; round <= rounds; round++)
    for (const [index, [, path, accept]] of targets.entries()) {
      const start = performance.now()
      const answer = await fetch(url + path, { headers: { accept, 'accept-encoding': 'identity' } })
      const body = Buffer.from(await answer.arrayBuffer())
      if (!answer.ok) throw new Error(`${path} is ${answer.status}: ${body.toString()}`)
      times[index].push(performance.now() - start)
      sizes[index] = body.length
    }
  print('ms: the first time, then median and range of the others; kB')
  for (const [index, [name]] of targets.entries()) {
    const [first, ...others] = times[index]
    const size = (sizes[index] / 1000).toFixed(0)
    print(
      `  ${name.padEnd(26)} ${first.toFixed(0).padStart(6)}   ${spread(others, 1).padEnd(22)} ${size} kB`,
    )
  }
}

/** One file in 200 is left out. */
async function generate({ stations, years, 'hourly-days': hourlyDays, database }) {
  let nowMs = 0
  const writer = openWriter({ database, nowUs: () => nowMs * 1000 })
  const codes = Array.from({ length: stations }, (_, index) => {
    const site = `${'ABCDEFGHIJ'[index % 10]}${String(Math.floor(index / 10)).padStart(3, '0')}`
    return `${site}00AUT`
  })
  const today = Math.floor(Date.now() / msPerDay)
  let records = 0
  const add = async (path, time, period) => {
    const date = new Date(time)
    const ordinal = Math.floor((time - Date.UTC(date.getUTCFullYear(), 0, 1)) / msPerDay) + 1
    const start = `${date.getUTCFullYear()}${String(ordinal).padStart(3, '0')}${String(date.getUTCHours()).padStart(2, '0')}00`
    const names = codes
      .filter((_, index) => (index * 31 + time / 3_600_000) % 200 !== 0)
      .flatMap((code) => [
        `${code}_R_${start}_${period}_30S_MO.crx.gz`,
        `${code}_R_${start}_${period}_MN.rnx.gz`,
      ])
    const length = period === '01D' ? msPerDay : 3_600_000
    nowMs = Math.max(nowMs + 1, time + length + (period === '01D' ? 3_600_000 : 180_000))
    records += names.length
    await writer.apply([changeOf({ path: `${path}/${start}`, names }, true)])
  }
  for (let day = today - years * 365; day < today; day++) {
    if (day >= today - hourlyDays)
      for (let hour = 0; hour < 24; hour++)
        await add('nrt/2026/001/00', day * msPerDay + hour * 3_600_000, '01H')
    await add('obs/2026/001', day * msPerDay, '01D')
  }
  nowMs = Date.now()
  const scan = { startedUs: nowMs * 1000, endedUs: nowMs * 1000, directories: 0, files: records }
  await writer.scanned({ ...scan, added: records, modified: 0, removed: 0 })
  await writer.heartbeat({ atUs: nowMs * 1000, limitSeconds: 180 })
  await writer.checkpoint()
  writer.close()
  return records
}
