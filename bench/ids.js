/**
 * The cost of removed files: a catalogue whose ids are spread over twenty times as many ids as it
 * has records, beside one of the same records that never lost one. After years in which hourly
 * files came and went, the ids of a catalogue lie like this.
 */
import { spawn } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { openWriter } from '../dist/catalogue/sqlite/writer.js'
import { generateCatalogue } from './catalogue.js'
import { cpuOf, firstMatch, memoryOf } from './load.js'
import { optionsOf, ratios, spread } from './measure.js'

export const description = 'many ids given and few live ones, beside as many ids as records'

const cli = join(import.meta.dirname, '../dist/cli.js')

const filterQueries = {
  'first page': 'limit=20',
  'last page': 'limit=20&offset=#last',
  'random pages': 'limit=20&offset=#random',
  'a type, random pages': 'file_type=n&limit=20&offset=#tenth',
  'a country, random pages': 'country=AUT&limit=20&offset=#tenth',
  'a year, random pages': 'year=2024&limit=20&offset=#tenth',
  'ordered by date, random pages': 'ordering=data_date&limit=20&offset=#random',
}

/**
 * Options: --records (3300000), --spacing (20), --rounds (5), --pages (200) of each question and
 * round.
 */
export async function run({ print, args }) {
  const defaults = { records: 3_300_000, spacing: 20, rounds: 5, pages: 200 }
  const { records, spacing, rounds, pages } = optionsOf(args, defaults)
  const folder = mkdtempSync(join(tmpdir(), 'ids-'))
  const [dense, sparse] = ['dense.db', 'sparse.db'].map((name) => join(folder, name))
  const started = []
  try {
    await generateCatalogue({ records, out: dense })
    copyFileSync(dense, sparse)
    await spreadIds(sparse, spacing)
    // Both in their smallest form: spreading the ids leaves half-empty pages.
    for (const path of [dense, sparse]) new Sqlite(path).exec('VACUUM').close()
    const servers = []
    for (const path of [dense, sparse]) {
      servers.push(await startApi(path, folder))
      started.push(servers.at(-1))
    }
    print(
      `${records} records: ids up to ${records}, up to ${records * spacing}, and the ratio; CPU of a page`,
    )
    const row = (name, [one, other], unit) =>
      print(`  ${name.padEnd(30)} ${one} ${unit}, ${other} ${unit}, ${(other / one).toFixed(2)}`)
    const sizes = [dense, sparse].map((path) => Math.round(statSync(path).size / 1e6))
    row('size of the database', sizes, 'MB')
    for (const [name, query] of Object.entries(filterQueries)) {
      const times = servers.map(() => [])
      for (let round = 0; round < rounds; round++)
        for (const [index, server] of servers.entries())
          times[index].push(await cpuOfPage(server, { query, records, pages, round }))
      const [one, other] = times.map((some) => spread(some, 0))
      print(`  ${name.padEnd(30)} ${one} µs, ${other} µs, ${ratios(times[1], times[0])}`)
    }
    const memory = servers.map(({ pid }) => memoryOf(pid))
    row('memory of the API, peak', memory, 'MB')
  } finally {
    for (const { stop } of started) stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Multiplies all ids. The indexes are built and the records counted again after that, which is
 * faster.
 */
async function spreadIds(path, spacing) {
  const db = new Sqlite(path)
  for (const name of db.prepare('SELECT name FROM built').pluck().all())
    db.exec(`DROP INDEX IF EXISTS ${name}`)
  // Twice, so that no id is taken by a row that has not been moved yet.
  db.exec(`UPDATE file SET id = -${spacing} * id;
    UPDATE file SET id = -id;
    UPDATE catalogue SET last_id = ${spacing} * last_id;
    DELETE FROM built`)
  db.close()
  const writer = openWriter({ database: path, nowUs: () => Date.now() * 1000 })
  while ((await writer.buildIndexes()).left > 0);
  await writer.repairCounts()
  await writer.checkpoint()
  writer.close()
}

async function startApi(database, folder) {
  const options = ['--archive', folder, '--database', database, '--port', '0']
  const child = spawn(process.execPath, [cli, 'serve', ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await firstMatch(child, /"url":"([^"]+)"/)
  return { url, pid: child.pid, stop: () => child.kill('SIGKILL') }
}

/** CPU of the API for a page (µs); other pages in each round. */
async function cpuOfPage({ url, pid }, { query, records, pages, round }) {
  const before = cpuOf(pid)
  for (let page = 0; page < pages; page++) {
    const part = ((page + round / 10) * 0.618) % 1
    const filled = query
      .replace('#last', String(records - 20 - page - round * pages))
      .replace('#random', String(Math.floor(part * records)))
      .replace('#tenth', String(Math.floor((part * records) / 40)))
    const answer = await fetch(`${url}?${filled}`)
    await answer.arrayBuffer()
    if (answer.status !== 200) throw new Error(`${filled}: ${answer.status}`)
  }
  return ((cpuOf(pid) - before) / pages) * 1e6
}
