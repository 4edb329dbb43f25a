/**
 * All pages, and the answers about the network, of a large archive: 400 stations in 20 countries
 * with observation and navigation files, daily for 25 years and hourly for 57 days, about 8.4
 * million records. Each time is that of a request that no cache answers; each weight is of the page
 * as Brotli. The reference is a page of the list as JSON in the same run.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { openWriter } from '../dist/catalogue/sqlite/writer.js'
import { changeOf } from './catalogue.js'
import { firstMatch, memoryOf } from './load.js'
import { optionsOf, spread } from './measure.js'

export const description = 'time and weight of all pages, and of the answers about the network'

const cli = join(import.meta.dirname, '../dist/cli.js')
const msPerDay = 86_400_000

const countries = 'AUT BEL CHE CZE DEU DNK ESP EST FIN FRA GBR GRC HRV HUN ITA NLD NOR POL PRT SWE'
const codeOf = (index) => {
  const site = `${'ABCDEFGHIJ'[index % 10]}${String(Math.floor(index / 10)).padStart(3, '0')}`
  return `${site}00${countries.split(' ')[index % 20]}`
}

const json = 'application/json'
const html = 'text/html'

/** Names, paths by the number of the request, accepted types, and budgets in ms and kB. */
const targets = [
  ['a page of the list, JSON', (n) => `rinex-file/?offset=${n * 20}`, json],
  ['Files', (n) => `rinex-file/?offset=${n * 20}`, html, 40, 30],
  ['Files of a station', (n) => `rinex-file/?station=${codeOf(n)}`, html, 40],
  ['Files of a type', (n) => `rinex-file/?file_type=o&offset=${n * 20}`, html, 40],
  ['Files of a year', (n) => `rinex-file/?date__year=${2010 + n}`, html, 40],
  ['Files of a country', (n) => `rinex-file/?country=${countries.split(' ')[n]}`, html, 40],
  ['Files of a month', (n) => `rinex-file/?date=2020-0${(n % 8) + 1}`, html, 40],
  ['a file', (n) => `rinex-file/${n + 1}/`, html],
  ['Stations', (n) => `station/?offset=${n}`, html],
  ['a station', (n) => `station/${codeOf(n)}/`, html],
  ['availability of 25 years', (n) => `station/${codeOf(n)}/availability/`, json, 10],
  ['its page', (n) => `station/${codeOf(n)}/availability/`, html, 50],
  ['latency', (n) => `station/${codeOf(n)}/latency/`, html],
  ['series, JSON', (n) => `series/?limit=${1000 - n}`, json, 50],
  ['Now', (n) => `network/?n=${n}`, html, 100, 60],
  ['network, JSON', (n) => `network/?n=${n}`, json],
  ['Alerts', (n) => `alerts/?n=${n}`, html],
  ['Missing', (n) => `missing/?n=${n}`, html],
  ['missing of 28 days, JSON', (n) => `missing/?limit=${1000 - n}`, json, 100],
  ['Report', (n) => `report/?n=${n}`, html],
  ['Archive', (n) => `archive/?n=${n}`, html, 100],
  ['Changes', (n) => `changes/?since=${n}`, html],
  ['Status', (n) => `status/?n=${n}`, html],
  ['search for a file', (n) => `search/?q=${codeOf(n)}_R_20260010000_01D_30S_MX.crx.gz`, html],
  ['API', (n) => `docs/?n=${n}`, html],
]

/**
 * Options: --stations (400), --years (25), --hourly-days (57), --database FILE (kept, made if
 * absent), --rounds (9).
 */
export async function run({ print, args }) {
  const defaults = { stations: 400, years: 25, 'hourly-days': 57, database: '', rounds: 9 }
  const options = optionsOf(args, defaults)
  const { database: given, rounds } = options
  const folder = mkdtempSync(join(tmpdir(), 'pages-'))
  const database = given === '' ? join(folder, 'catalogue.db') : given
  try {
    if (!existsSync(database)) {
      const records = await generate({ ...options, database })
      print(`a catalogue of ${records} records`)
    }
    const places = join(folder, 'stations.csv')
    writeFileSync(places, placesOf(options.stations))
    const own = ['--archive', folder, '--database', database, '--stations-file', places]
    const args = ['serve', ...own, '--port', '0']
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

/** Where the stations are, everywhere in Europe: the weight of Now and Stations has their map. */
function placesOf(stations) {
  const lineOf = (_, index) =>
    `${codeOf(index)},${36 + ((index * 0.7549) % 1) * 30},${((index * 0.618) % 1) * 45 - 10}\n`
  return Array.from({ length: stations }, lineOf).join('')
}

async function compare({ print, rounds, url }) {
  const times = targets.map(() => [])
  const sizes = []
  for (let round = 0; round <= rounds; round++)
    for (const [index, [, pathOf, accept]] of targets.entries()) {
      const { ms, plain, sent } = await get(url + pathOf(round), accept)
      times[index].push(ms)
      sizes[index] = { plain, sent }
    }
  print('ms: the first time, then median and range of the others; budget; kB, as Brotli')
  for (const [index, [name, , , budget]] of targets.entries()) {
    const [first, ...others] = times[index]
    const { plain, sent } = sizes[index]
    const ms = `${first.toFixed(0).padStart(6)}   ${spread(others, 1).padEnd(22)}`
    const limit = budget === undefined ? '' : `≤ ${budget}`
    print(`  ${name.padEnd(26)} ${ms} ${limit.padEnd(6)} ${kilo(plain)} ${kilo(sent)}`)
  }
  const assets = await Promise.all(
    ['page.css', 'page.js', 'icon.svg'].map((name) => get(`${url}../assets/${name}`, '*/*')),
  )
  const ofAssets = assets.reduce((sum, { sent }) => sum + sent, 0)
  for (const [index, [name, , , , budget]] of targets.entries())
    if (budget !== undefined)
      print(`first visit of ${name}: ${kilo(sizes[index].sent + ofAssets)} kB, ≤ ${budget}`)
}

const kilo = (bytes) => (bytes / 1000).toFixed(1).padStart(7)

/** @returns {Promise<{ ms: number, plain: number, sent: number }>} bytes of the body */
async function get(url, accept) {
  const start = performance.now()
  const headers = { accept, 'accept-encoding': 'br' }
  const answer = await new Promise((resolve, reject) => {
    request(new URL(url), { headers }, resolve).on('error', reject).end()
  })
  const body = Buffer.concat(await answer.toArray())
  const ms = performance.now() - start
  const isPacked = answer.headers['content-encoding'] === 'br'
  const plain = isPacked ? brotliDecompressSync(body) : body
  if (answer.statusCode >= 400) throw new Error(`${url} is ${answer.statusCode}: ${plain}`)
  return { ms, plain: plain.length, sent: body.length }
}

/** One file in 200 is left out. */
async function generate({ stations, years, 'hourly-days': hourlyDays, database }) {
  let nowMs = 0
  const writer = openWriter({ database, nowUs: () => nowMs * 1000 })
  const codes = Array.from({ length: stations }, (_, index) => codeOf(index))
  const today = Math.floor(Date.now() / msPerDay)
  let records = 0
  const add = async (time, period) => {
    const date = new Date(time)
    const ordinal = Math.floor((time - Date.UTC(date.getUTCFullYear(), 0, 1)) / msPerDay) + 1
    const [year, day, hour] = [
      date.getUTCFullYear(),
      String(ordinal).padStart(3, '0'),
      String(date.getUTCHours()).padStart(2, '0'),
    ]
    const start = `${year}${day}${hour}00`
    const path = period === '01D' ? `obs/${year}/${day}` : `nrt/${year}/${day}/${hour}`
    const names = codes
      .filter((_, index) => (index * 31 + time / 3_600_000) % 200 !== 0)
      .flatMap((code) => [
        `${code}_R_${start}_${period}_30S_MO.crx.gz`,
        `${code}_R_${start}_${period}_MN.rnx.gz`,
      ])
    const length = period === '01D' ? msPerDay : 3_600_000
    nowMs = Math.max(nowMs + 1, time + length + (period === '01D' ? 3_600_000 : 180_000))
    records += names.length
    await writer.apply([changeOf({ path, names }, nowMs * 1000)])
  }
  for (let day = today - years * 365; day < today; day++) {
    if (day >= today - hourlyDays)
      for (let hour = 0; hour < 24; hour++) await add(day * msPerDay + hour * 3_600_000, '01H')
    await add(day * msPerDay, '01D')
  }
  nowMs = Date.now()
  const scan = { startedUs: nowMs * 1000, endedUs: nowMs * 1000, directories: 0, files: records }
  await writer.scanned({ ...scan, added: records, modified: 0, removed: 0 })
  await writer.setAsOf({ atUs: nowMs * 1000, limitSeconds: 180 })
  await writer.checkpoint()
  writer.close()
  return records
}
