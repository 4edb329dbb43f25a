/**
 * The list of a large catalogue: first, last, random and filtered pages of the running API. The
 * references are fastify and nginx, which send the bytes of a finished page, in turn in one run;
 * then the same while a writer applies changes. Needs `wrk`; without nginx its figures are missing.
 */
import { spawn } from 'node:child_process'
import {
  createReadStream,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { generateCatalogue, stationCount } from './catalogue.js'
import { firstMatch, load, memoryOf, startNginx } from './load.js'
import { median, optionsOf, spread } from './measure.js'

export const description = 'pages and filters of a large catalogue; reference: finished bytes'

const cli = join(import.meta.dirname, '../dist/cli.js')
const servers = join(import.meta.dirname, 'list/servers.js')

/**
 * Options: --records (10000000), --database FILE (kept, made if absent), --rounds (5), --seconds
 * (3).
 */
export async function run({ print, args }) {
  const defaults = { records: 10_000_000, database: '', rounds: 5, seconds: 3 }
  const { records, database: given, rounds, seconds } = optionsOf(args, defaults)
  const folder = mkdtempSync(join(tmpdir(), 'list-'))
  const started = []
  try {
    const database = given === '' ? join(folder, 'catalogue.db') : given
    if (!existsSync(database)) {
      print(`making a catalogue of ${records} records`)
      await generateCatalogue({ records, out: database })
    }
    // Afterwards all of it is in the page cache, as after some time of use.
    await finished(createReadStream(database).resume())
    const begun = performance.now()
    const ours = await startOurs(database, folder)
    started.push(ours)
    const first = await fetch(ours.url)
    if (!first.ok) throw new Error(`the API says ${first.status}: ${await first.text()}`)
    const page = Buffer.from(await first.arrayBuffer())
    const { count } = JSON.parse(page)
    print(`ready after ${((performance.now() - begun) / 1000).toFixed(2)} s, ${count} records`)
    const file = join(folder, 'page.json')
    writeFileSync(file, page)
    const headers = join(folder, 'headers')
    writeFileSync(headers, JSON.stringify(headersOf(first)))
    const buffer = await startServer('buffer', file, headers)
    started.push(buffer)
    const nginx = await startNginx(folder, `${folder}/page.json`)
    if (nginx !== undefined) started.push(nginx)
    const setting = { print, rounds, seconds, folder, count, tag: first.headers.get('etag') }
    await comparePages({ ...setting, ours, buffer, nginx })
    await measureFilters({ ...setting, ours })
    await measureOthers({ ...setting, ours })
    await measureBeside({ ...setting, ours })
    print(`memory of the API: ${memoryOf(ours.pid)} MB`)
    const without = await allTimes(ours.url)
    const writer = await startWriter(database)
    const writing = await allTimes(ours.url)
    print(`with a writer of ${writer.rate} changes per second, median ms, and ratio to no writer:`)
    print('  in turn with other values; in turn with the same values; each repeatedly')
    for (const name of Object.keys(filterQueries)) {
      const columns = writing.map((times, index) =>
        compared(times.get(name), without[index].get(name)),
      )
      print(`  ${name.padEnd(30)} ${columns.join('   ')}`)
    }
    writer.stop()
  } finally {
    for (const { stop } of started) stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Pages of each server: as many as it can make, and equally many of each. */
async function comparePages(setting) {
  const { print, folder, count, tag, ours, buffer, nginx } = setting
  const last = `offset=${Math.floor((count - 1) / 20) * 20}`
  const scripts = makeScripts(folder, count, tag)
  const same = 'fastify, a finished buffer with our headers'
  const empty = 'fastify, an empty 304 with our headers'
  print('16 connections, at full speed:')
  await comparePaces(setting, [
    ['our first page, repeated', ours, ours.url, undefined, same],
    ['our first page, not cached', ours, ours.url, scripts.fresh, same],
    ['our last page, repeated', ours, `${ours.url}?${last}`, undefined, same],
    ['our random pages', ours, ours.url, scripts.random, same],
    ['our 304', ours, ours.url, scripts.poll, empty],
    [same, buffer, `${buffer.url}same/`, undefined, same],
    [empty, buffer, `${buffer.url}304/`, undefined, same],
    ['fastify, a finished buffer', buffer, buffer.url, undefined, same],
    ...(nginx === undefined
      ? []
      : [['nginx, the same bytes', nginx, `${nginx.url}page.json`, undefined, same]]),
  ])
  // If clients wait, each response wakes a client, which costs the server time; a server that is
  // faster than its clients does not pay this. At an equal rate all servers pay it.
  print('16 connections, about 1,900 requests per second of each:')
  await comparePaces(setting, [
    ['our first page, repeated', ours, ours.url, scripts.steady, same],
    ['our first page, not cached', ours, ours.url, scripts.steadyFresh, same],
    ['our random pages', ours, ours.url, scripts.steadyRandom, same],
    ['our 304', ours, ours.url, scripts.steadyPoll, empty],
    [same, buffer, `${buffer.url}same/`, scripts.steady, same],
    [empty, buffer, `${buffer.url}304/`, scripts.steady, same],
  ])
  const times = await serviceTimes(ours.url, { 'first page': '', 'last page': last })
  const [one, two] = [...times.values()].map(median)
  print(
    `one after the other: first page ${one.toFixed(3)} ms, last page ${two.toFixed(3)} ms, ratio ${(two / one).toFixed(2)}`,
  )
}

/** The requests of wrk, and their pause. @param tag the ETag of the first page */
function makeScripts(folder, count, tag) {
  const random = `request = function() return wrk.format("GET", wrk.path .. "?offset=" .. math.random(0, ${count})) end\n`
  const fresh = `n = 0\nrequest = function() n = n + 1; return wrk.format("GET", wrk.path .. "?offset=0&x=" .. os.time() .. "." .. n) end\n`
  const poll = `wrk.headers["If-None-Match"] = '${tag}'\n`
  const steady = 'delay = function() return math.random(4, 12) end\n'
  const scripts = {
    random,
    fresh,
    poll,
    steady,
    steadyRandom: steady + random,
    steadyFresh: steady + fresh,
    steadyPoll: steady + poll,
  }
  const write = ([name, text]) => {
    const script = join(folder, `${name}.lua`)
    writeFileSync(script, text)
    return [name, script]
  }
  return Object.fromEntries(Object.entries(scripts).map(write))
}

/**
 * Requests per second and CPU time per request of each server, in turn; each names its reference.
 */
async function comparePaces({ print, rounds, seconds }, servers) {
  const results = new Map(servers.map(([name]) => [name, []]))
  for (let round = 0; round < rounds; round++)
    for (const [name, server, url, script] of servers)
      results.get(name).push(await load({ server, url, script, seconds }))
  print('  requests per second and CPU µs per request, with the ratio to the reference')
  for (const [name, , , , reference] of servers) {
    const runs = results.get(name)
    const references = results.get(reference)
    const rates = runs.map(({ rate }) => rate)
    const cpus = runs.map(({ cpuUs }) => cpuUs)
    const ratio = (key) =>
      median(runs.map((run, index) => run[key] / references[index][key])).toFixed(2)
    print(
      `  ${name.padEnd(44)} ${spread(rates, 0).padStart(22)} ${ratio('rate').padStart(6)}   ${spread(cpus, 1).padStart(20)} ${ratio('cpuUs').padStart(6)}`,
    )
  }
}

/** The headers of the response itself; Node adds the others. */
function headersOf(answer) {
  const ofNode = ['connection', 'date', 'keep-alive']
  return Object.fromEntries([...answer.headers].filter(([name]) => !ofNode.includes(name)))
}

const day = '2020-06-15'
/** Queries with filters; some have a place for a number, so that each request differs. */
export const filterQueries = {
  'first page': '',
  station: 'station=#site',
  'station and type': 'station=#site&file_type=o',
  area: 'area=nrt&limit=#n',
  'area, deep': 'area=obs&limit=#n&offset=5000000',
  country: 'country=AUT,DEU&limit=#n',
  'duration, version, type': 'file_duration=d&file_version=r3&file_type=o&limit=#n',
  date: `date=${day}&limit=#n`,
  doy: 'doy=2020-100&limit=#n',
  'days of a year': 'data_date__gte=2020-01-01&data_date__lt=2021-01-01&limit=#n',
  'country in a year': 'country=FRA&data_date__gte=2020-01-01&data_date__lt=2021-01-01&limit=#n',
  'two days by overlap': 'startDate=2020-01-10&endDate=2020-01-11&limit=#n',
  'since a minute ago': 'created__gte=#minute&limit=#n',
  'ordered by date': 'ordering=data_date&limit=#n',
  'ordered by name': 'ordering=filename&limit=#n',
  'latest changes first': 'ordering=-modified&limit=#n',
  'oldest records first': 'ordering=created&limit=#n',
  'station, ordered by date': 'station=#site&ordering=-data_date',
}

/** Each query is sent once, with other values, so that no count is cached. */
async function measureFilters({ print, ours }) {
  print('filters, the first request and then another, ms:')
  for (const [name, query] of Object.entries(filterQueries).slice(1)) {
    const firsts = []
    const seconds = []
    for (let number = 0; number < 15; number++) {
      const url = `${ours.url}?${fill(query, number)}`
      firsts.push(await timed(url))
      seconds.push(await timed(url))
    }
    print(`  ${name.padEnd(30)} ${spread(firsts).padStart(24)}   ${spread(seconds).padStart(20)}`)
  }
  // This query reads every name; it is refused after two seconds.
  for (const text of ['9990', 'graz', '_30S_']) {
    const begun = performance.now()
    const { status } = await fetch(`${ours.url}?filename__contains=${text}`)
    const ms = (performance.now() - begun).toFixed(0)
    print(`  ${`part of a name: ${text}`.padEnd(30)} ${ms} once, ${status}`)
  }
}

/** Streams, and pages of other resources. */
async function measureOthers({ print, seconds, ours }) {
  print('streams, records per second:')
  for (const query of ['format=ndjson', 'format=csv', 'format=urls', 'format=csv&country=FRA'])
    print(`  ${query.padEnd(30)} ${await streamRate(`${ours.url}?${query}`, seconds)}`)
  print('other pages, one after the other, ms:')
  for (const path of ['station/?limit=#n', 'changes/?since=#n&limit=1000']) {
    const url = (number) => new URL(`../${fill(path, number)}`, ours.url).href
    const times = []
    for (let number = 0; number < 15; number++) times.push(await timed(url(number)))
    print(`  ${path.padEnd(30)} ${spread(times).padStart(24)}`)
  }
}

/**
 * The latency of pages while two queries run that read every name, and without them; 100 pages a
 * second.
 */
async function measureBeside({ print, seconds, ours }) {
  const pages = async () => {
    const times = []
    const pending = []
    for (let n = 0; n < 100 * seconds; n++) {
      pending.push(timed(`${ours.url}?offset=${n * 997}`).then((ms) => times.push(ms)))
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    await Promise.all(pending)
    return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)]
  }
  const alone = await pages()
  let isOver = false
  const search = async (text) => {
    for (let n = 0; !isOver; n++)
      await fetch(`${ours.url}?filename__contains=${text}&limit=${n + 1}`).then((answer) =>
        answer.text(),
      )
  }
  const searches = [search('9990'), search('graz')]
  const beside = await pages()
  isOver = true
  await Promise.all(searches)
  print(
    `p99 of pages, ms: alone ${alone.toFixed(1)}, beside two long queries ${beside.toFixed(1)}, ratio ${(beside / alone).toFixed(2)}`,
  )
}

/** Counts the lines of a response that is read for a time, or to its end. */
async function streamRate(url, seconds) {
  const begun = performance.now()
  const answer = await fetch(url)
  let lines = 0
  for await (const chunk of answer.body) {
    for (const byte of chunk) if (byte === 10) lines++
    if (performance.now() - begun > seconds * 1000) break
  }
  return Math.round(lines / ((performance.now() - begun) / 1000))
}

/** Fills the places of a question with values that depend on a number. */
export function fill(query, number) {
  const index = (number * 97) % stationCount
  const site = `${'abcdefghij'[index % 10]}${String(Math.floor(index / 10)).padStart(3, '0')}`
  const minute = new Date(Date.now() - 60_000 - number * 10).toISOString()
  return query
    .replace('#site', site)
    .replace('#n', String(1 + number))
    .replace('#minute', minute)
}

export async function timed(url) {
  const begun = performance.now()
  const answer = await fetch(url)
  await answer.arrayBuffer()
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status}`)
  return performance.now() - begun
}

async function serviceTimes(url, queries, numberOf = (n) => n % 7) {
  const times = new Map(Object.keys(queries).map((name) => [name, []]))
  for (let n = 0; n < 100; n++)
    for (const [name, query] of Object.entries(queries))
      times.get(name).push(await timed(`${url}?${fill(query, numberOf(n))}`))
  return times
}

/**
 * All queries in turn while a writer applies changes between them: with other values each time, and
 * with the same values; then each query repeatedly.
 */
async function allTimes(url) {
  const others = await serviceTimes(url, filterQueries, (n) => 20 + n)
  const same = await serviceTimes(url, filterQueries)
  return [others, same, await repeated(url, filterQueries)]
}

/** Sends each query alone, repeatedly for a second. */
async function repeated(url, queries) {
  const times = new Map()
  for (const [name, query] of Object.entries(queries)) {
    const some = []
    for (const untilMs = performance.now() + 1000; performance.now() < untilMs;)
      some.push(await timed(`${url}?${fill(query, 3)}`))
    times.set(name, some)
  }
  return times
}

function compared(times, others) {
  const ratio = (median(times) / median(others)).toFixed(2)
  return `${median(times).toFixed(2).padStart(8)} ${ratio.padStart(7)}`
}

/** Starts the API on a database, in a file or on a server. */
export async function startOurs(database, folder) {
  const options = [
    '--archive',
    folder,
    '--database',
    database,
    '--port',
    '0',
    '--log-level',
    'info',
  ]
  const unit = readFileSync(
    join(import.meta.dirname, '../systemd/rinex-catalogue-api.service'),
    'utf8',
  )
  const heap = /^Environment="NODE_OPTIONS=([^"]+)"$/m.exec(unit)[1].split(' ')
  const child = spawn('node', [...heap, cli, 'serve', ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await firstMatch(child, /"url":"([^"]+)"/)
  return { url, pid: child.pid, stop: () => child.kill('SIGKILL') }
}

async function startServer(kind, ...files) {
  const child = spawn('node', [servers, kind, ...files], { stdio: ['ignore', 'pipe', 'inherit'] })
  const port = await firstMatch(child, /^(\d+)$/m)
  return { url: `http://127.0.0.1:${port}/`, pid: child.pid, stop: () => child.kill('SIGKILL') }
}

/** Applies new files and removals at a fixed rate, in transactions of 500. */
async function startWriter(database) {
  const child = spawn('node', [join(import.meta.dirname, 'list/writer.js'), database], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const rate = Number(await firstMatch(child, /^(\d+)$/m))
  return { rate, stop: () => child.kill('SIGKILL') }
}
