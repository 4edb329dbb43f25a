/**
 * Hashes files and checks their gzip streams in one pass. The reference is `sha256sum` and then `gunzip -t` of the same files.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { HashClient } from '../dist/indexer/checksums/hash-client.js'
import { measure, optionsOf, ratios, spread } from './measure.js'

export const description = 'MB/s of hashing and inflating files; reference: sha256sum and gunzip -t'

const filesAtATime = 16

/** Options: --megabytes (100) of each size of files, --rounds (5). */
export async function run({ print, args }) {
  const { megabytes, rounds } = optionsOf(args, { megabytes: 100, rounds: 5 })
  const archive = mkdtempSync(join(tmpdir(), 'checksums-'))
  const hasher = new HashClient({ archive })
  try {
    for (const kilobytes of [20, 400, 4000])
      await compare({ print, hasher, archive, megabytes, kilobytes, rounds })
  } finally {
    hasher.close()
    rmSync(archive, { recursive: true, force: true })
  }
}

async function compare({ print, hasher, archive, megabytes, kilobytes, rounds }) {
  const content = contentOf(kilobytes * 1000)
  const count = Math.ceil((megabytes * 1e6) / content.length)
  const folder = join(archive, String(kilobytes))
  mkdirSync(folder)
  const files = Array.from({ length: count }, (_, index) => `${kilobytes}/${index}`)
  for (const path of files) writeFileSync(join(archive, path), content)
  const ours = []
  const theirs = []
  for (let round = 0; round < rounds; round++) {
    ours.push(await secondsOf(hasher, files))
    const each = (command) => `find ${folder} -type f -print0 | xargs -0 ${command}`
    const pair = `${each('sha256sum')}; find ${folder} -type f -print0 | xargs -0 cat | gunzip -t`
    theirs.push((await measure(pair)).wall)
  }
  const rates = ours.map((seconds) => (count * content.length) / 1e6 / seconds)
  print(
    `${count} files of ${(content.length / 1000).toFixed(0)} kB: ${spread(rates, 0)} MB/s, time by sha256sum and gunzip -t ${ratios(ours, theirs)}`,
  )
}

async function secondsOf(hasher, files) {
  const started = performance.now()
  for (let first = 0; first < files.length; first += filesAtATime) {
    const part = files.slice(first, first + filesAtATime).map((path) => ({ path }))
    const digests = await hasher.digest(part)
    if (digests.some((digest) => digest === undefined || digest.broken)) throw new Error('broken')
  }
  return (performance.now() - started) / 1000
}

/** Columns of numbers, like observations, with about this compressed size. */
function contentOf(bytes) {
  const lines = []
  let seed = 1
  const next = (range) => (seed = (seed * 48_271) % 2_147_483_647) % range
  // Compression halves a line.
  for (let length = 0; length < bytes * 2.1; length += lines.at(-1).length + 1)
    lines.push(`G${next(32)} ${next(1e8) / 1000} ${next(1e9) / 1000} ${next(50_000) / 1000}`)
  return gzipSync(lines.join('\n'))
}
