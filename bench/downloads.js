/**
 * Downloads. The reference is nginx (sendfile, one worker) with the same files, in turn in one run:
 * small cached files, the files of an hour, more files than fit into memory, large files, HEAD and
 * 304. Needs `wrk`, nginx and some 1.5 GB of disk.
 */
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { firstMatch, load, loadHeads, startNginx } from './load.js'
import { optionsOf, ratios, spread } from './measure.js'

export const description = 'downloads: small, large, HEAD and 304; reference: nginx'

const cli = join(import.meta.dirname, '../dist/cli.js')
const day = 'obs/2024/001'
const hour = 'nrt/2024/001/00'
const manyDay = 'obs/2024/002'
/** Hourly files of a large network. */
const hourFiles = 1100
const manyFiles = 5000
const longAgo = new Date('2024-01-02T00:00:00Z')

/**
 * Options: --rounds (7), --seconds (2), --files (50) of the small ones, --kilobytes (200) of each.
 */
export async function run({ print, args }) {
  const defaults = { rounds: 7, seconds: 2, files: 50, kilobytes: 200 }
  const { rounds, seconds, files, kilobytes } = optionsOf(args, defaults)
  const folder = mkdtempSync(join(tmpdir(), 'downloads-'))
  const started = []
  try {
    const archive = join(folder, 'archive')
    const small = Array.from({ length: files }, (_, n) => nameOf(n))
    for (const name of small) put(archive, name, kilobytes * 1000)
    put(archive, nameOf(9000), 1_000_000)
    put(archive, nameOf(9999), 20_000_000)
    const ofHour = putMany(archive, hour, hourFiles, (n) => 50_000 + (n % 251) * 1000)
    const many = putMany(archive, manyDay, manyFiles, () => 200_000)
    const ours = await startOurs(folder, archive)
    started.push(ours)
    const nginx = await startNginx(archive, join(archive, day, nameOf(0)))
    if (nginx === undefined) throw new Error('nginx is not installed')
    started.push(nginx)
    const any = 'names[math.random(#names)]'
    const next = 'names[n % #names + 1]'
    const dated = { header: 'If-Modified-Since', value: longAgo.toUTCString() }
    const cases = [
      {
        name: `${kilobytes} kB, hot, any of ${files}`,
        script: () => writeScript(folder, 'small', small, any),
        bytes: kilobytes * 1000,
      },
      { name: 'HEAD of them', head: (n) => small[n % small.length] },
      {
        name: '304 of one of them',
        script: (tag) =>
          writeScript(folder, 'known', small, 'names[1]', {
            header: 'If-None-Match',
            value: tag,
          }),
      },
      {
        name: `an hour: ${hourFiles} files of 50 to 300 kB, one after the other`,
        directory: hour,
        script: () => writeScript(folder, 'hour', ofHour.names, next),
        bytes: ofHour.bytes,
      },
      {
        name: `any of ${manyFiles} files of 200 kB, more than fit into memory`,
        directory: manyDay,
        script: () => writeScript(folder, 'many', many.names, any),
        bytes: many.bytes,
      },
      {
        name: `304 of ${manyFiles} files, one after the other, by their dates`,
        directory: manyDay,
        script: () => writeScript(folder, 'poll', many.names, next, dated),
      },
      { name: '1 MB', file: nameOf(9000), bytes: 1_000_000 },
      { name: '20 MB', file: nameOf(9999), bytes: 20_000_000, connections: 4 },
    ]
    for (const one of cases) await compare({ print, rounds, seconds, ours, nginx, ...one })
  } finally {
    for (const { stop } of started) stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function compare({
  print,
  rounds,
  seconds,
  ours,
  nginx,
  name,
  directory = day,
  script,
  head,
  file = '',
  bytes,
  connections,
}) {
  const runs = { ours: [], nginx: [] }
  for (let round = 0; round < rounds; round++)
    for (const [who, server] of Object.entries({ ours, nginx })) {
      const url = `${server.url}${directory}/${file}`
      const known = await fetch(`${server.url}${day}/${nameOf(0)}`, { method: 'HEAD' })
      const tag = known.headers.get('etag')
      const path = (n) => new URL(url).pathname + head(n)
      runs[who].push(
        head === undefined
          ? await load({ server, url, script: script?.(tag), seconds, connections })
          : await loadHeads({ server, path, seconds }),
      )
    }
  const [rates, cpus] = ['rate', 'cpuUs'].map((key) =>
    Object.values(runs).map((each) => each.map((run) => run[key])),
  )
  print(name)
  print(
    `  requests a second  ${spread(rates[0], 0)}, nginx ${spread(rates[1], 0)}, ratio ${ratios(...rates)}`,
  )
  print(
    `  CPU µs a request   ${spread(cpus[0], 1)}, nginx ${spread(cpus[1], 1)}, ratio ${ratios(...cpus)}`,
  )
  if (bytes === undefined) return
  const [ourGb, theirGb] = cpus.map((each) => each.map((us) => us / bytes / 1e-3))
  print(`  CPU s a GB         ${spread(ourGb)}, nginx ${spread(theirGb)}`)
}

function nameOf(n) {
  const station = (n + 10 * 36 ** 3).toString(36).toUpperCase()
  return `${station}00AUT_R_20240010000_01D_30S_MO.crx.gz`
}

function put(archive, name, bytes) {
  mkdirSync(join(archive, day), { recursive: true })
  // Random bytes keep their size, within a few bytes.
  const path = join(archive, day, name)
  writeFileSync(path, gzipSync(randomBytes(bytes), { level: 1 }))
  utimesSync(path, longAgo, longAgo)
}

/** Writes files with the same random bytes. @returns their names and mean size */
function putMany(archive, directory, count, sizeOf) {
  const noise = randomBytes(500_000)
  mkdirSync(join(archive, directory), { recursive: true })
  const names = Array.from({ length: count }, (_, n) => nameOf(n))
  let bytes = 0
  for (const [n, name] of names.entries()) {
    const path = join(archive, directory, name)
    writeFileSync(path, noise.subarray(0, sizeOf(n)))
    utimesSync(path, longAgo, longAgo)
    bytes += sizeOf(n)
  }
  return { names, bytes: bytes / count }
}

/**
 * A script for wrk that requests files of a directory.
 * @param which expression for the name, of `names` and the number `n` of the request
 * @param condition a header of all requests
 */
function writeScript(folder, file, names, which, condition) {
  const path = join(folder, `${file}.lua`)
  const list = names.map((name) => JSON.stringify(name)).join(', ')
  const lines = [
    `local names = { ${list} }`,
    'local n = 0',
    `request = function() n = n + 1 return wrk.format("GET", wrk.path .. ${which}) end`,
  ]
  if (condition !== undefined)
    lines.push(`wrk.headers["${condition.header}"] = ${JSON.stringify(condition.value)}`)
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

async function startOurs(folder, archive) {
  const options = ['--archive', archive, '--database', join(folder, 'catalogue.db')]
  const { status, stderr } = spawnSync('node', [cli, 'index', '--once', ...options])
  if (status !== 0) throw new Error(stderr.toString())
  const serve = ['serve', ...options, '--port', '0', '--log-level', 'info']
  const child = spawn('node', [cli, ...serve], { stdio: ['ignore', 'pipe', 'inherit'] })
  const url = await firstMatch(child, /"url":"([^"]+)"/)
  return {
    url: new URL('/rinex/data/', url).href,
    pid: child.pid,
    stop: () => child.kill('SIGKILL'),
  }
}
