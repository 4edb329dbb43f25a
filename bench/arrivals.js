/**
 * Time from the arrival of a file until the list has it, and from then until it is judged by what
 * is inside it, with the running program: single files, and bursts into a new directory of an hour.
 * The reference of the large burst is `gunzip -t` of the same bytes.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { compactText } from '../test/rinex/hatanaka.ts'
import { entriesOf, madeUp } from '../test/rinex/made-up.ts'
import { measure, optionsOf, spread } from './measure.js'

export const description = 'from arrival to the list, single files and bursts; reference: gunzip -t'

const cli = join(import.meta.dirname, '../dist/cli.js')
const patienceMs = 60_000

/**
 * Options: --files (1000) that arrive one by one; --checksums (arriving), the setting of the same
 * name; --old (0), megabytes of old files, which are hashed meanwhile with --checksums all; --above
 * (nrt), the path above the year, day and hour of what arrives: in another one, the archive is one
 * area with all suffixes and an exclusion.
 */
export async function run({ print, args }) {
  const { files, ...options } = optionsOf(args, {
    files: 1000,
    checksums: 'arriving',
    old: 0,
    above: 'nrt',
  })
  const folder = mkdtempSync(join(tmpdir(), 'arrivals-'))
  const service = await startService(folder, options)
  try {
    await oneByOne({ print, service, files })
    const small = gzipSync('observations '.repeat(50))
    // Epochs of a second, about 200 KB.
    const large = gzipSync(compactText(madeUp('3.04', '\n', entriesOf(600, 1, false))).text)
    await judgedOneByOne({ print, service, content: large })
    await burst({ print, service, count: 5000, content: small, hour: 1 })
    await service.judged()
    const { path, tookMs } = await burst({ print, service, count: 1200, content: large, hour: 2 })
    const listedMs = performance.now()
    await service.judged()
    print(`  all of them judged ${((performance.now() - listedMs) / 1000).toFixed(1)} s later`)
    const reference = await measure(`find ${path} -name '*.gz' -print0 | xargs -0 gunzip -t`)
    print(
      `  gunzip -t of them     ${(reference.wall * 1000).toFixed(0)} ms, ratio ${(tookMs / 1000 / reference.wall).toFixed(2)}`,
    )
    await burst({ print, service, count: 40_000, content: small, hour: 3 })
    const { checksums } = await service.status()
    print(`checksums (${options.checksums}): ${checksums.files}, ${checksums.waiting} to be read`)
  } finally {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function oneByOne({ print, service, files }) {
  const directory = service.newHour(0)
  const aside = join(service.archive, 'aside')
  const took = []
  for (let index = 0; index < files; index++) {
    const name = nameOf(index, directory)
    writeFileSync(aside, gzipSync(name))
    const started = performance.now()
    renameSync(aside, join(service.archive, directory, name))
    await until(async () => (await service.list()).results[0]?.filename === name)
    took.push(performance.now() - started)
  }
  took.sort((a, b) => a - b)
  const at = (share) => took[Math.min(files - 1, Math.floor(files * share))].toFixed(1)
  print(
    `${files} files renamed into place, ms until listed: p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)}`,
  )
}

/** Single files, each when the one before is judged. */
async function judgedOneByOne({ print, service, content }) {
  const directory = service.newHour(4)
  const took = []
  for (let index = 0; index < 7; index++) {
    const name = nameOf(index, directory)
    writeFileSync(join(service.archive, directory, name), content)
    await until(async () => (await service.list()).results[0]?.filename === name)
    const listedMs = performance.now()
    await until(async () => (await service.list()).results[0]?.facts !== null)
    took.push((performance.now() - listedMs) / 1000)
  }
  print(
    `${took.length} files of ${content.length} bytes, s from listed until judged: ${spread(took)}`,
  )
}

async function burst({ print, service, count, content, hour }) {
  const before = (await service.list()).count
  const directory = service.newHour(hour)
  const path = join(service.archive, directory)
  const started = performance.now()
  for (let index = 0; index < count; index++)
    writeFileSync(join(path, nameOf(index, directory)), content)
  const written = performance.now()
  await until(async () => (await service.list()).count === before + count)
  const listed = performance.now()
  print(
    `${count} files of ${content.length} bytes: written in ${(written - started).toFixed(0)} ms, all listed ${(listed - written).toFixed(0)} ms after the last`,
  )
  return { path, tookMs: listed - started }
}

async function startService(folder, { checksums, old, above }) {
  const archive = join(folder, 'archive')
  const now = new Date()
  const year = now.getUTCFullYear()
  const day = Math.floor((now - Date.UTC(year, 0, 1)) / 86_400_000) + 1
  const today = `${above}/${year}/${String(day).padStart(3, '0')}`
  mkdirSync(join(archive, today), { recursive: true })
  writeOld(join(archive, 'obs/2020/001'), old)
  const flags = ['--archive', archive, '--database', join(folder, 'catalogue.db'), '--port', '0']
  if (above !== 'nrt') flags.push('--areas', '.', '--suffixes', '.gz,.Z,', '--exclude', 'raw/')
  const child = spawn(process.execPath, [cli, 'start', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, RINEX_CATALOGUE_CHECKSUMS: checksums },
  })
  const ended = new Promise((resolve) => child.on('exit', resolve))
  let log = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (log += text))
  await until(async () => log.includes('caught up') && log.includes('"url"'))
  const [, url] = /"url":"([^"]+)"/.exec(log)
  const status = () => ask(new URL('../status/', url))
  return {
    archive,
    status,
    list: () => ask(`${url}?limit=1&expand=facts`),
    /** Waits until all listed files are judged. */
    async judged() {
      const { count } = await ask(`${url}?limit=1`)
      await until(async () => (await status()).checksums.files === count)
    },
    newHour(hour) {
      const directory = `${today}/${String(hour).padStart(2, '0')}`
      mkdirSync(join(archive, directory))
      return directory
    },
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Old files of a megabyte each. */
function writeOld(path, count) {
  mkdirSync(path, { recursive: true })
  const content = gzipSync(randomBytes(1_000_000), { level: 1 })
  for (let index = 0; index < count; index++) {
    const file = join(path, nameOf(index, 'obs/2020/001/00').replace('_01H_', '_01D_'))
    writeFileSync(file, content)
    utimesSync(file, 1.6e9, 1.6e9)
  }
}

async function ask(url) {
  // The server may have closed an idle connection.
  const answer = await fetch(url).catch(() => fetch(url))
  return answer.json()
}

/** A long name of this hour; the number determines the station. */
function nameOf(index, directory) {
  const [year, day, hour] = directory.split('/').slice(-3)
  const site = index.toString(36).toUpperCase().padStart(4, '0')
  return `${site}00DEU_R_${year}${day}${hour}00_01H_30S_MO.crx.gz`
}

async function until(holds) {
  const started = performance.now()
  while (!(await holds())) {
    if (performance.now() - started > patienceMs) throw new Error('waited in vain')
    await new Promise((resolve) => setImmediate(resolve))
  }
}
