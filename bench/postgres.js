/**
 * The same catalogue in an SQLite file and on a PostgreSQL server of this machine: making it,
 * pages, filters, arrivals. CPU seconds are those of Node, and of all processes of the server.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { openReader, openWriter } from '../dist/catalogue/engines/engine.js'
import { changeOf } from './catalogue.js'
import { fill, filterQueries, startOurs, timed } from './list.js'
import { load } from './load.js'
import { median, optionsOf, spread } from './measure.js'

export const description = 'an SQLite file and a PostgreSQL server beside each other'

const ticksPerSecond = 100

/**
 * Options: --server URL of an empty database, or of one that this program has filled; --database
 * FILE (kept, made if absent), --records (3000000), --rounds (3), --seconds (3).
 */
export async function run({ print, args }) {
  const defaults = { server: '', database: '', records: 3_000_000, rounds: 3, seconds: 3 }
  const { server, database, ...setting } = optionsOf(args, defaults)
  if (server === '') throw new Error('needs --server postgresql://USER@HOST/NAME, empty')
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'))
  const client = new pg.Client({ connectionString: server })
  try {
    await client.connect()
    const processes = await serverProcesses(client)
    const file = database === '' ? join(folder, 'catalogue.db') : database
    const engines = [
      { name: 'SQLite', address: file, isMade: existsSync(file), cpuOfServer: () => 0 },
      {
        name: 'PostgreSQL',
        address: server,
        isMade: (await client.query("SELECT to_regclass('file') AS made")).rows[0].made !== null,
        cpuOfServer: processes.cpu,
      },
    ]
    for (const engine of engines) if (!engine.isMade) await make(engine, setting, print)
    for (const engine of engines) engine.ours = await startOurs(engine.address, folder)
    try {
      await comparePages(engines, { ...setting, folder, print })
      await compareFilters(engines, print)
    } finally {
      for (const { ours } of engines) ours?.stop()
    }
    await compareArrivals(engines, print)
  } finally {
    await client.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The processes of a server on this machine, with those that have ended. */
async function serverProcesses(client) {
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
  const statOf = (pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  const main = Number(statOf(rows[0].pid)[1])
  const cpu = () => {
    // With the times of the children for which it has waited.
    let ticks = 0
    for (const index of [11, 12, 13, 14]) ticks += Number(statOf(main)[index])
    for (const entry of readdirSync('/proc'))
      try {
        if (!/^\d+$/.test(entry)) continue
        const stat = statOf(entry)
        if (Number(stat[1]) === main) ticks += Number(stat[11]) + Number(stat[12])
      } catch {
        // the process has ended meanwhile
      }
    return ticks / ticksPerSecond
  }
  return { cpu }
}

async function make({ name, address, cpuOfServer }, { records }, print) {
  const [begun, before] = [performance.now(), cpuOfServer()]
  const program = join(import.meta.dirname, 'catalogue.js')
  const child = spawn('bash', [
    '-c',
    'TIMEFORMAT="%U %S"; time node "$@"',
    'bash',
    program,
    '--records',
    String(records),
    '--out',
    address,
  ])
  let output = ''
  child.stderr.on('data', (text) => (output += text))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(output)
  const [user, system] = output.trim().split('\n').at(-1).split(' ').map(Number)
  const seconds = ((performance.now() - begun) / 1000).toFixed(0)
  const ofServer = (cpuOfServer() - before).toFixed(1)
  print(
    `made ${records} records on ${name}: ${seconds} s; CPU s: Node ${(user + system).toFixed(1)}, server ${ofServer}`,
  )
}

/** Pages at random places, at full speed and at 500 a second. */
async function comparePages(engines, { rounds, seconds, folder, print }) {
  const random = `request = function() return wrk.format("GET", wrk.path .. "?offset=" .. math.random(0, 2900000)) end\n`
  const heads = `n = 0\nrequest = function() n = n + 1; return wrk.format("GET", wrk.path .. "?offset=0&x=" .. os.time() .. "." .. n) end\n`
  const paced = 'delay = function() return math.random(26, 38) end\n'
  const scripts = {
    'random pages': random,
    'first pages': heads,
    'random pages, 500 a second': paced + random,
  }
  for (const [title, text] of Object.entries(scripts)) {
    const script = join(folder, 'script.lua')
    writeFileSync(script, text)
    const results = new Map(engines.map(({ name }) => [name, []]))
    for (let round = 0; round < rounds; round++)
      for (const { name, ours, cpuOfServer } of engines) {
        const before = cpuOfServer()
        const { rate, cpuUs } = await load({ server: ours, url: ours.url, script, seconds })
        const server = ((cpuOfServer() - before) / (rate * seconds)) * 1e6
        results.get(name).push({ rate, node: cpuUs, server, both: cpuUs + server })
      }
    print(
      `${title}: pages per second; CPU µs per page of Node and of the server, ratio of both to SQLite`,
    )
    for (const [name, runs] of results) {
      const column = (key, digits) =>
        spread(
          runs.map((run) => run[key]),
          digits,
        )
      const reference = results.get('SQLite')
      const ratio = median(runs.map(({ both }, index) => both / reference[index].both))
      print(
        `  ${name.padEnd(12)} ${column('rate', 0)}; ${column('node', 0)}; ${column('server', 0)}; ${ratio.toFixed(1)}`,
      )
    }
  }
}

/** Each query is sent once, with other values, so that no count is cached. */
async function compareFilters(engines, print) {
  print('filters, the first request, ms:')
  for (const [title, query] of Object.entries(filterQueries)) {
    const columns = []
    for (const { ours } of engines) {
      const times = []
      for (let number = 0; number < 9; number++)
        times.push(await timed(`${ours.url}?${fill(query, number)}`))
      columns.push(spread(times).padStart(22))
    }
    print(`  ${title.padEnd(28)} ${columns.join('  ')}`)
  }
}

/** One new file a transaction: until it is written, and until another connection sees it. */
async function compareArrivals(engines, print) {
  print('an arriving file, ms: until it is written; p99 until a reader that waits has seen it')
  for (const { name, address } of engines) {
    const writer = await openWriter({ database: address }, () => Date.now() * 1000)
    const reader = await openReader({ database: address })
    const [written, seen] = [[], []]
    // Names that no earlier run has written.
    const first = Math.floor(Date.now() / 1000) % 40_000
    for (let n = 0; n < 200; n++) {
      const code = (first + n).toString(36).toUpperCase().padStart(3, '0')
      const file = `Z${code}00AUT_R_20260230000_01D_30S_MO.crx.gz`
      const { seq } = await reader.head()
      const begun = performance.now()
      const applying = writer.apply([
        changeOf({ path: 'obs/2026/023', names: [file] }, Date.now() * 1000),
      ])
      const waited = untilSeen(reader, seq)
      await applying
      written.push(performance.now() - begun)
      await waited
      seen.push(performance.now() - begun)
    }
    const p99 = seen.toSorted((a, b) => a - b)[Math.floor(seen.length * 0.99)]
    print(`  ${name.padEnd(12)} ${spread(written)}; ${p99.toFixed(0)}`)
    await reader.close()
    await writer.checkpoint()
  }
}

async function untilSeen(reader, before) {
  while ((await reader.head()).seq <= before) await reader.untilWritten()
}
