/**
 * What it costs to look inside files: the work of the process that makes checksums, which inflates
 * a file and makes its SHA-256, alone, with the reader of facts, with MD5, and with both; and a
 * pass that reads headers only. The reference inflates each file as a stream, as this process did
 * before it looked inside files. The files are in the page cache.
 */
import { createHash } from 'node:crypto'
import { closeSync, fstatSync, mkdtempSync, openSync, readdirSync, readSync, rmSync } from 'node:fs'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createGunzip, gunzipSync, gzipSync } from 'node:zlib'
import { chunksOf, inflateFile } from '../dist/indexer/read/inflate.js'
import { parseFilename } from '../dist/parse/filename.js'
import { ContentReader } from '../dist/rinex/content-reader.js'
import { factsOf } from '../dist/rinex/facts-of.js'
import { compactText } from '../test/rinex/hatanaka.ts'
import { entriesOf, madeUp } from '../test/rinex/made-up.ts'
import { plainText } from '../test/rinex/model.ts'
import { median, optionsOf, ratios } from './measure.js'

export const description = 'facts of files; reference: inflating and SHA-256 of the same files'

const chunkBytes = 256 * 1024
/** Most headers need less of the stream. */
const headBytes = 4096

/**
 * Options: --archive DIR with real files (else files are made up); --files (60) of each kind that
 * are made up; --rounds (7).
 */
export async function run({ print, args }) {
  const { archive, files, rounds } = optionsOf(args, { archive: '', files: 60, rounds: 7 })
  const folder = mkdtempSync(join(tmpdir(), 'facts-'))
  try {
    const kinds = archive === '' ? makeFiles(folder, files) : realFiles(archive)
    for (const [kind, paths] of Object.entries(kinds)) {
      print(`${kind}: ${paths.length} files`)
      await compare({ print, paths, rounds })
      headers({ print, paths, rounds })
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A day of each form at 30 s, with 9 to 20 satellites. */
function makeFiles(folder, number) {
  const kinds = {
    'Compact RINEX 3': [
      '3.04',
      compactText,
      (day) => `GRAZ00AUT_R_2024${day}0000_01D_30S_MO.crx.gz`,
    ],
    'RINEX 3': ['3.04', plainText, (day) => `GRAZ00AUT_R_2024${day}0000_01D_30S_MO.rnx.gz`],
    'Compact RINEX 1': ['2.11', compactText, (day) => `graz${day}0.24d.gz`],
  }
  return Object.fromEntries(
    Object.entries(kinds).map(([kind, [version, write, nameOf]]) => {
      const { text } = write(madeUp(version, '\n', entriesOf(2880, 30, version === '2.11')))
      const content = gzipSync(text)
      const paths = Array.from({ length: number }, (_, day) => {
        const path = join(folder, nameOf(String(day + 1).padStart(3, '0')))
        writeFileSync(path, content)
        return path
      })
      return [kind, paths]
    }),
  )
}

function realFiles(archive) {
  const paths = readdirSync(archive, { recursive: true, encoding: 'utf8' })
    .filter((path) => parseFilename(basename(path)).kind === 'parsed')
    .map((path) => join(archive, path))
  const isObservation = (path) => parseFilename(basename(path)).type === 'o'
  return {
    'observation files': paths.filter(isObservation),
    'other files': paths.filter((path) => !isObservation(path)),
  }
}

const reference = 'SHA-256, a stream'
const ways = {
  [reference]: { hashes: ['sha256'], reads: false, inflate: inflateStream },
  'SHA-256': { hashes: ['sha256'], reads: false },
  'with facts': { hashes: ['sha256'], reads: true },
  'with MD5': { hashes: ['sha256', 'md5'], reads: false },
  'with facts and MD5': { hashes: ['sha256', 'md5'], reads: true },
}

async function compare({ print, paths, rounds }) {
  const took = Object.fromEntries(Object.keys(ways).map((way) => [way, []]))
  let sizes = { bytes: 0, textBytes: 0 }
  for (let round = -1; round < rounds; round++) {
    const sums = Object.fromEntries(Object.keys(ways).map((way) => [way, 0]))
    sizes = { bytes: 0, textBytes: 0 }
    for (const path of paths) {
      // In turn for each file, so that other processes slow down all of them alike.
      for (const [way, setting] of Object.entries(ways)) {
        const before = process.cpuUsage()
        const { bytes, textBytes } = await readWhole(path, setting)
        const { user, system } = process.cpuUsage(before)
        sums[way] += user + system
        sizes.bytes += bytes / Object.keys(ways).length
        sizes.textBytes += textBytes / Object.keys(ways).length
      }
    }
    // The first round warms the code.
    if (round >= 0) for (const [way, sum] of Object.entries(sums)) took[way].push(sum)
  }
  for (const [way, microseconds] of Object.entries(took)) {
    const middle = median(microseconds)
    const perSecond = (size) => `${(size / middle).toFixed(0)} MB/s`
    const ratio = way === reference ? '' : `, ${ratios(microseconds, took[reference])} ×`
    print(
      `  ${way.padEnd(20)} ${(middle / paths.length).toFixed(0)} µs CPU a file, ${perSecond(sizes.bytes)} of the file, ${perSecond(sizes.textBytes)} of the text${ratio}`,
    )
  }
  print('  (budgets: with facts at most 1.30 ×, with facts and MD5 at most 1.45 ×)')
}

/** As the process that makes checksums reads a file. */
async function readWhole(path, { hashes, reads, inflate = inflateFile }) {
  const made = hashes.map((name) => createHash(name))
  const reader = reads ? new ContentReader() : undefined
  let textBytes = 0
  const file = openSync(path)
  const { size: bytes } = fstatSync(file)
  function* chunks() {
    for (const chunk of chunksOf(file, bytes)) {
      for (const hash of made) hash.update(chunk)
      yield chunk
    }
  }
  const onText = (text) => {
    textBytes += text.length
    reader?.push(text)
  }
  try {
    await inflate(chunks(), bytes, () => undefined, onText)
  } finally {
    closeSync(file)
  }
  for (const hash of made) hash.digest('hex')
  if (reader !== undefined) factsOf(reader.end(), parseFilename(basename(path)), 'complete')
  return { bytes, textBytes }
}

async function inflateStream(chunks, _size, _onProgress, onText) {
  const sink = new Writable({
    write(text, _encoding, done) {
      onText(text)
      done()
    },
  })
  await pipeline(chunks, createGunzip({ chunkSize: chunkBytes }), sink)
}

/** Open, read the first bytes, inflate what they hold, and read the header. */
function headers({ print, paths, rounds }) {
  const opened = []
  const read = []
  for (let round = -1; round < rounds; round++)
    for (const [times, isRead] of [
      [opened, false],
      [read, true],
    ]) {
      const repeats = Math.ceil(2000 / paths.length)
      const before = process.cpuUsage()
      for (let repeat = 0; repeat < repeats; repeat++)
        for (const path of paths) readHead(path, isRead)
      const { user, system } = process.cpuUsage(before)
      if (round >= 0) times.push((user + system) / repeats / paths.length)
    }
  print(
    `  header only          ${median(read).toFixed(0)} µs CPU a file (budget: at most 100), ${median(opened).toFixed(0)} without the reader`,
  )
}

function readHead(path, isRead) {
  const file = openSync(path)
  const head = Buffer.allocUnsafe(headBytes)
  const length = readSync(file, head)
  closeSync(file)
  const text = gunzipSync(head.subarray(0, length), { finishFlush: constants.Z_SYNC_FLUSH })
  if (!isRead) return
  const reader = new ContentReader()
  reader.push(text)
  factsOf(reader.end(), parseFilename(basename(path)), 'incomplete')
}
