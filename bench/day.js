/**
 * A day's life: clients at 50 addresses beside arriving files, on a catalogue of ten million
 * records, with the real indexer and the real API. 60 % lists and filters, 20 % polls with
 * `If-None-Match`, 10 % records, 10 % downloads of 200 kB.
 *
 * The set-up: a copy of a catalogue that `catalogue.js` made. Its files are not on disk, only its
 * directories, empty; their stamps are written into the copy, so the indexer takes them for
 * unchanged, and the rolling rescan takes a year. What is downloaded and what arrives are real
 * files, which the indexer catalogues itself: the former before the load, the latter are renamed
 * into hour directories of 1,000 files, as in a large network. They are of random bytes, and are
 * inflated and hashed as they arrive.
 *
 * Requests have fixed times, whether or not earlier ones were answered, and a latency counts from
 * that time, so a delay of this process counts as one of the service; the delay of its event loop
 * is printed beside.
 */
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { toUs } from '../dist/catalogue/identity.js'
import { fill, filterQueries } from './list.js'
import { cpuOf, firstMatch, memoryOf } from './load.js'
import { optionsOf } from './measure.js'

export const description = 'requests of 50 addresses beside arriving files, on ten million records'

const cli = join(import.meta.dirname, '../dist/cli.js')
/**
 * Run in a process of its own: the indexer does not start while the process of another writer
 * lives.
 */
const generator = join(import.meta.dirname, 'catalogue.js')
const addresses = 50
const downloads = { directory: 'obs/1999/001', files: 200 }
const filesPerHour = 1000
/** The indexer takes a younger directory for one that may still change. */
const settledMs = 5000
const longAgo = new Date('1999-01-02T00:00:00Z')

/**
 * Options: --records, --database FILE (copied), --seconds (60), --rate (500), --arrivals (100 a
 * second), --kilobytes (100) of each.
 */
export async function run({ print, args }) {
  const defaults = {
    records: 10_000_000,
    database: '',
    seconds: 60,
    rate: 500,
    arrivals: 100,
    kilobytes: 100,
  }
  const { records, database: given, ...setting } = optionsOf(args, defaults)
  const folder = mkdtempSync(join(tmpdir(), 'day-'))
  const children = []
  try {
    const database = join(folder, 'catalogue.db')
    if (existsSync(given)) copyCatalogue(given, database)
    else spawnSync(process.execPath, [generator, '--records', String(records), '--out', database])
    const archive = makeArchive(folder, database)
    await pause(settledMs)
    const indexer = start('index', folder)
    children.push(indexer)
    await firstMatch(indexer, /(caught up)/)
    const api = start('serve', folder)
    children.push(api)
    const list = await firstMatch(api, /"url":"([^"]+)"/)
    const first = await (await fetch(`${list}?limit=1&format=json`)).json()
    print(`${first.count} records, ${downloads.files} of them with files of 200 kB`)
    const service = { indexer, api, list, archive, count: first.count - downloads.files }
    await measure({ print, service, ...setting })
  } finally {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

function copyCatalogue(from, to) {
  copyFileSync(from, to)
  for (const suffix of ['-wal', '-numbers'])
    if (existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix)
}

/** An archive with the directories of the catalogue, empty, and the files to download. */
function makeArchive(folder, database) {
  const archive = join(folder, 'archive')
  const db = new Database(database)
  const paths = db.prepare('SELECT path FROM directory').pluck().all()
  for (const path of paths) mkdirSync(join(archive, path), { recursive: true })
  for (const area of ['obs', 'nrt']) mkdirSync(join(archive, area), { recursive: true })
  const update = db.prepare(
    'UPDATE directory SET mtime_us = ?, ctime_us = ?, inode = ? WHERE path = ?',
  )
  db.transaction(() => {
    for (const path of paths) {
      const { mtimeMs, ctimeMs, ino } = statSync(join(archive, path))
      update.run(toUs(mtimeMs), toUs(ctimeMs), ino, path)
    }
  })()
  db.close()
  mkdirSync(join(archive, downloads.directory), { recursive: true })
  for (let index = 0; index < downloads.files; index++) {
    const path = join(archive, downloadPath(index))
    writeFileSync(path, gzipSync(randomBytes(200_000), { level: 1 }))
    utimesSync(path, longAgo, longAgo)
  }
  return archive
}

function downloadPath(index) {
  return `${downloads.directory}/${siteOf(index)}00AUT_R_19990010000_01D_30S_MO.crx.gz`
}

function siteOf(index) {
  return index.toString(36).toUpperCase().padStart(4, '0')
}

function start(command, folder) {
  const flags = ['--archive', join(folder, 'archive'), '--database', join(folder, 'catalogue.db')]
  const port = command === 'serve' ? ['--port', '0'] : []
  return spawn(process.execPath, [cli, command, ...flags, ...port], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      RINEX_CATALOGUE_FULL_LOOK_HOURS: '8760',
      RINEX_CATALOGUE_BACKUP_INTERVAL_HOURS: '0',
    },
  })
}

async function measure({ print, service, seconds, rate, arrivals, kilobytes }) {
  const { indexer, api, list, count } = service
  const clients = Array.from({ length: addresses }, (_, n) => openClient(list, `127.0.0.${n + 1}`))
  await sendRequests({ clients, list, count, rate, seconds: 5 }) // warm
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const before = [api, indexer].map(({ pid }) => treeCpu(pid))
  const begunMs = performance.now()
  delay.enable()
  const [answers, written] = await Promise.all([
    sendRequests({ clients, list, count, rate, seconds }),
    deliver({ archive: service.archive, rate: arrivals, seconds, kilobytes }),
  ])
  delay.disable()
  const tookSeconds = (performance.now() - begunMs) / 1000
  const [apiCpu, indexerCpu] = [api, indexer].map(
    ({ pid }, index) => (treeCpu(pid) - before[index]) / tookSeconds,
  )
  const listedMs = await untilListed(list, count + downloads.files + written)
  for (const { agent } of clients) agent.destroy()
  report({ print, answers, tookSeconds })
  const percent = (share) => `${(share * 100).toFixed(0)} % of a core`
  print(`API ${percent(apiCpu)} (budget: at most 50 %), ${memoryOf(api.pid)} MB at most`)
  print(`indexer with checksums ${percent(indexerCpu)}, ${memoryOf(indexer.pid)} MB at most`)
  print(`${written} files of ${kilobytes} kB arrived, all listed ${listedMs.toFixed(0)} ms later`)
  const ms = (nanoseconds) => (nanoseconds / 1e6).toFixed(1)
  print(
    `event loop of this process: delay p50 ${ms(delay.percentile(50))}, p99 ${ms(delay.percentile(99))} ms (1 ms resolution)`,
  )
}

function report({ print, answers, tookSeconds }) {
  const errors = answers.filter(({ isError }) => isError)
  print(
    `${(answers.length / tookSeconds).toFixed(0)} requests a second, ${errors.length} errors (budget: 0)`,
  )
  for (const { kind, status } of errors.slice(0, 5)) print(`  error: ${kind} ${status}`)
  printTimes(print, 'all (budget: p99 at most 50)', answers)
  for (const kind of ['list', 'poll', 'record', 'download']) {
    const some = answers.filter((answer) => answer.kind === kind)
    printTimes(print, kind, some)
    if (kind !== 'list') continue
    for (const question of new Set(some.map((answer) => answer.question)))
      printTimes(
        print,
        `  ${question}`,
        some.filter((answer) => answer.question === question),
      )
  }
}

/** Prints the number of requests, and the quantiles of their latencies (ms). */
function printTimes(print, name, answers) {
  const times = answers.map(({ ms }) => ms).sort((a, b) => a - b)
  const at = (share) => times[Math.floor((times.length - 1) * share)].toFixed(1)
  const unchanged = answers.filter(({ status }) => status === 304).length
  print(
    `  ${name.padEnd(30)} ${String(answers.length).padStart(6)}   ms p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)}` +
      (unchanged > 0 ? `, ${unchanged} × 304` : ''),
  )
}

/** A client at an address of its own, which remembers the tag of the page that it polls. */
function openClient(list, localAddress) {
  const agent = new Agent({ keepAlive: true, maxSockets: 16, localAddress })
  let tag
  const ask = (url, headers = {}) =>
    new Promise((resolve) => {
      const request = get(url, { agent, headers, timeout: 10_000 }, (answer) => {
        answer.resume().on('close', () => {
          resolve({
            status: answer.complete ? answer.statusCode : 'cut off',
            headers: answer.headers,
          })
        })
      })
      request.on('timeout', () => request.destroy(new Error('no answer')))
      request.on('error', (error) => {
        // The server had closed the kept connection, as browsers and mirrors know it.
        const isStale = request.reusedSocket && error.code === 'ECONNRESET'
        resolve(isStale ? ask(url, headers) : { status: error.code ?? error.message })
      })
    })
  return {
    agent,
    ask,
    async poll() {
      const answer = await ask(
        `${list}?limit=20`,
        tag === undefined ? {} : { 'if-none-match': tag },
      )
      tag = answer.headers?.etag ?? tag
      return answer
    },
  }
}

/** Sends requests at fixed times, of each ten: six lists, two polls, a record, a download. */
async function sendRequests({ clients, list, count, rate, seconds }) {
  const asked = Object.entries(filterQueries)
  const filtered = (n) => {
    const [name, query] = asked[n % asked.length]
    return { question: name, url: `${list}?${fill(query.replace('#n', '20'), n)}` }
  }
  const anyPage = () => ({
    question: 'any page',
    url: `${list}?offset=${Math.floor(Math.random() * count)}`,
  })
  const targets = {
    list: (n) => (n % 4 === 0 ? anyPage() : filtered(n)),
    // The latest ids may be of files that were removed again.
    record: () => ({ url: `${list}${1 + Math.floor((Math.random() * count) / 2)}/` }),
    download: (n) => ({
      url: new URL(`../../data/${downloadPath(n % downloads.files)}`, list).href,
    }),
    poll: () => ({}),
  }
  const kinds = [
    'list',
    'poll',
    'list',
    'list',
    'record',
    'list',
    'poll',
    'list',
    'download',
    'list',
  ]
  const begunMs = performance.now()
  const send = async (n) => {
    const client = clients[(n * 7) % clients.length]
    const kind = kinds[n % kinds.length]
    const { url, question } = targets[kind](n)
    const { status } = await (url === undefined ? client.poll() : client.ask(url))
    const ms = performance.now() - begunMs - (n * 1000) / rate
    return {
      kind,
      question,
      status,
      ms,
      isError: status !== 200 && !(kind === 'poll' && status === 304),
    }
  }
  const pending = []
  for (let sent = 0; sent < rate * seconds; await pause(1))
    for (; sent < ((performance.now() - begunMs) * rate) / 1000; sent++) pending.push(send(sent))
  return Promise.all(pending)
}

/**
 * Renames files into the hour directories of the last hours, `filesPerHour` into each. @returns
 * their number
 */
async function deliver({ archive, rate, seconds, kilobytes }) {
  const content = gzipSync(randomBytes(kilobytes * 1000), { level: 1 })
  const begunMs = performance.now()
  let written = 0
  for (; written < rate * seconds; written++) {
    const { directory, stamp } = hourBefore(Math.floor(written / filesPerHour))
    if (written % filesPerHour === 0) mkdirSync(join(archive, directory), { recursive: true })
    const aside = join(archive, `.${written}`)
    await writeFile(aside, content)
    const name = `${siteOf(written)}00DEU_R_${stamp}00_01H_30S_MO.crx.gz`
    await rename(aside, join(archive, directory, name))
    await pause(Math.max(0, begunMs + (written * 1000) / rate - performance.now()))
  }
  return written
}

function hourBefore(hours) {
  const time = new Date(Date.now() - hours * 3_600_000)
  const year = time.getUTCFullYear()
  const day = Math.floor((time - Date.UTC(year, 0, 1)) / 86_400_000) + 1
  const [ddd, hh] = [String(day).padStart(3, '0'), String(time.getUTCHours()).padStart(2, '0')]
  return { directory: `nrt/${year}/${ddd}/${hh}`, stamp: `${year}${ddd}${hh}` }
}

async function untilListed(list, expected) {
  const begunMs = performance.now()
  for (;;) {
    const { count } = await (await fetch(`${list}?limit=1&format=json`)).json()
    const tookMs = performance.now() - begunMs
    if (count === expected) return tookMs
    if (tookMs > 30_000) throw new Error(`${count} records are listed, not ${expected}`)
    await pause(10)
  }
}

/** CPU seconds of a process and its children. */
function treeCpu(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
  return children
    .filter((child) => child.trim() !== '')
    .reduce((sum, child) => sum + treeCpu(Number(child)), cpuOf(pid))
}
