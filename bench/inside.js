/**
 * Filters on what is inside the files, of a catalogue in which all files were read: the time of
 * the count and the first page, and the bytes that it takes of an SQLite file.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { isServer } from '../dist/catalogue/database-url.js'
import { openWriter } from '../dist/catalogue/engines/engine.js'
import { parseFilename } from '../dist/parse/filename.js'
import { generateCatalogue } from './catalogue.js'
import { startOurs } from './list.js'
import { cpuOf } from './load.js'
import { optionsOf, spread } from './measure.js'

export const description = 'filters on what is inside the files, and the bytes that this takes'

const queries = {
  receiver: 'receiver=RECEIVER #n',
  'receiver, by its begin': 'receiver__startswith=RECEIVER #n',
  antenna: 'antenna=ANTENNA #n',
  radome: 'radome=SNOW',
  firmware: 'firmware=#n.4',
  version: 'rinex_version=3.04',
  system: 'system=E',
  signal: 'signal=C#nQ',
  'a box': 'bbox=#n,35,40,60',
  flag: 'flag=short',
  'any of three flags': 'flag=short,torn,marker',
  'share below #/100': 'share__lt=0.#',
  'share below 1': 'share__lt=1',
  'flag and share': 'flag=short&share__lt=0.#',
  'a rarer flag and share': 'flag=torn&share__lt=0.9#',
  'receiver and flag': 'receiver=RECEIVER #n&flag=short',
  'receiver and share': 'receiver=RECEIVER #n&share__lt=0.9#',
  'station and flag': 'station=a00#n&flag=short',
  'country and receiver': 'country=AUT&receiver=RECEIVER #n',
  'a year and flag': 'data_date__gte=2025-01-01&data_date__lt=2026-01-01&flag=short',
}

/**
 * Options: --records (1000000); --database FILE (kept, made if absent) or the URL of an empty
 * database, or one that this program has filled; --repeats (15) of each query.
 */
export async function run({ print, args }) {
  const defaults = { records: 1_000_000, database: '', repeats: 15 }
  const { records, database: given, repeats } = optionsOf(args, defaults)
  const folder = mkdtempSync(join(tmpdir(), 'inside-'))
  const database = given === '' ? join(folder, 'catalogue.db') : given
  let ours
  try {
    if (!(await isMade(database))) {
      print(`making a catalogue of ${records} records`)
      await generateCatalogue({ records, out: database })
      await readAll(database, print)
    }
    if (!isServer(database)) sizes(database, print)
    ours = await startOurs(database, folder)
    await untilIdle(ours.pid)
    print('count and page, each time with another value: ms; ms CPU of the API')
    for (const [name, query] of Object.entries(queries)) {
      const times = []
      let found
      const before = cpuOf(ours.pid)
      for (let number = 1; number <= repeats; number++) {
        const value = query.replaceAll(/#n?/g, 1 + (number % 9))
        const begun = performance.now()
        found = await fetch(`${ours.url}?${value}&limit=${10 + number}`)
        times.push(performance.now() - begun)
      }
      const cpu = ((cpuOf(ours.pid) - before) * 1000) / repeats
      const files = found.ok ? `of ${(await found.json()).count} files` : `status ${found.status}`
      print(
        `  ${name.padEnd(24)} ${spread(times, 1).padStart(22)} ${cpu.toFixed(0).padStart(6)}   ${files}`,
      )
    }
  } finally {
    ours?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Waits until the API has read ahead what its pages need. */
async function untilIdle(pid) {
  for (let before = -1; cpuOf(pid) - before > 0.1;) {
    before = cpuOf(pid)
    await new Promise((resolve) => setTimeout(resolve, 2000))
  }
}

async function isMade(database) {
  if (!isServer(database)) return existsSync(database)
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  const { rows } = await client.query("SELECT to_regclass('file') AS made")
  await client.end()
  return rows[0].made !== null
}

/** Stores facts of all files, in the order in which they arrived. */
async function readAll(database, print) {
  let us = Date.now() * 1000
  const writer = await openWriter({ database }, () => us++)
  const begun = process.cpuUsage()
  let stored = 0
  for (let seq = 0, left = 1; left > 0;) {
    const batch = []
    while (batch.length < 500 && left > 0) {
      const { files, throughSeq, behind } = await writer.arrivedUnhashed(seq)
      batch.push(...files.map(checksumOf))
      seq = throughSeq
      left = behind
    }
    await writer.keepChecksums(batch, 0)
    stored += batch.length
  }
  await writer.checkpoint()
  writer.close()
  const { user, system } = process.cpuUsage(begun)
  print(`facts of ${stored} files stored, ${((user + system) / stored).toFixed(1)} µs CPU each`)
}

function checksumOf({ id, path, size, mtimeUs }) {
  const owned = { links: 1, mode: 0o100_644, uid: 1000, gid: 1000 }
  const identity = { size, mtimeUs, ctimeUs: mtimeUs, inode: id, ...owned }
  const sums = { sha256: Buffer.alloc(32, id % 251), md5: Buffer.alloc(16, id % 241) }
  return { id, ...identity, ...sums, facts: factsOf(path), problem: undefined, rested: true }
}

/**
 * The facts of a file by its name: the firmware of a station changes twice a year, one of 30
 * receivers and 25 antennas every five years. Of the files a fifth lacks epochs, a twelfth so many
 * that it is short; the marker of each fiftieth station is another.
 */
function factsOf(path) {
  const { station, type, version, startSeconds } = parseFilename(basename(path))
  const site = hashOf(station)
  const day = startSeconds / 86_400
  const own = hashOf(path)
  const years = Math.floor((day + (site % 1800)) / 1800)
  const receiver = (site + 7 * years) % 30
  const letters = ['C', 'L', 'D', 'S']
  const channels = ['C', 'W', 'Q', 'X'].slice(receiver % 3)
  const list = [1, 2, 5, 7, 8].flatMap((band) =>
    channels.flatMap((channel) => letters.map((letter) => `${letter}${band}${channel}`)),
  )
  const systems = ['G', 'R', 'E', 'C', 'J'].slice(0, 1 + (receiver % 5))
  const header = {
    rinex_version: version === 'r3' ? '3.04' : '2.11',
    systems,
    signals: Object.fromEntries(systems.map((system) => [system, list])),
    interval_s: 30,
    time_system: 'GPS',
    marker: { name: station.slice(0, 4), number: `${10_000 + (site % 90_000)}M001` },
    agency: `AGENCY ${site % 40}`,
    receiver: {
      type: `RECEIVER ${receiver}`,
      serial: String((site + years) % 1_000_000),
      version: `${receiver % 12}.${Math.floor((day + (site % 180)) / 180) % 9}`,
    },
    antenna: {
      type: `ANTENNA ${(site + 3 * years) % 25}`,
      radome: site % 8 === 0 ? 'SNOW' : 'NONE',
      delta: { h: 0.1, e: 0, n: 0 },
    },
    position: placeOf(site),
    program: 'sbf2rin-13.4.5',
    run_by: `AGENCY ${site % 40}`,
    run_date: `${timeOf(startSeconds + 86_400 + (own % 4000))
      .replaceAll(/[-:]/g, '')
      .replace('T', ' ')} UTC`,
  }
  if (type !== 'o') return { ...header, flags: [] }
  const expected_epochs = path.includes('nrt') ? 120 : 2880
  const isShort = own % 12 === 0
  const lacking = isShort ? 0.05 + (own % 890) / 1000 : own % 5 === 0 ? (own % 45) / 1000 : 0
  const epochs = Math.floor(expected_epochs * (1 - lacking))
  const says = `${epochs} of ${expected_epochs} epochs, ${((100 * epochs) / expected_epochs).toFixed(1)} %`
  const marker = `the name says ${station.slice(0, 4)}, the marker is A 9080`
  return {
    ...header,
    first: timeOf(startSeconds),
    last: timeOf(startSeconds + 30 * (expected_epochs - 1)),
    epochs,
    expected_epochs,
    share: epochs / expected_epochs,
    flags: [
      ...(own % 150 === 0 ? [{ flag: 'torn', says: 'after an epoch a line is no epoch' }] : []),
      ...(isShort ? [{ flag: 'short', says }] : []),
      ...(site % 50 === 0 ? [{ flag: 'marker', says: marker }] : []),
    ],
  }
}

function timeOf(seconds) {
  return new Date(seconds * 1000).toISOString().slice(0, 19)
}

function placeOf(site) {
  const [latitude, longitude] = [(site % 150) - 75, (site % 360) - 180]
  const [sine, cosine] = [Math.sin, Math.cos].map((f) => f((latitude * Math.PI) / 180))
  const turn = (longitude * Math.PI) / 180
  const metres = [cosine * Math.cos(turn), cosine * Math.sin(turn), sine].map((part) =>
    Math.round(6_371_000 * part),
  )
  return { x: metres[0], y: metres[1], z: metres[2], latitude, longitude, height: 0 }
}

/** FNV-1a, 31 bits. */
function hashOf(text) {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0
  return hash >>> 1
}

/** The bytes of the tables and indexes of facts for each row of `fact`. */
function sizes(database, print) {
  const connection = new Sqlite(database, { readonly: true })
  const { rows } = connection.prepare('SELECT count(*) AS rows FROM fact').get()
  const found = connection
    .prepare(
      `SELECT name, sum(pgsize) AS bytes FROM dbstat WHERE aggregate = TRUE
         AND name IN (SELECT name FROM sqlite_master
           WHERE tbl_name IN ('fact', 'fact_count', 'equipment', 'observables', 'checksum'))
       GROUP BY name ORDER BY bytes DESC`,
    )
    .all()
  connection.close()
  print(`bytes for each of ${rows} files with facts:`)
  for (const { name, bytes } of found) print(`  ${name.padEnd(34)} ${(bytes / rows).toFixed(1)}`)
}
