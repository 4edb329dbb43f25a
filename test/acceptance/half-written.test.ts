/** Nothing half-written is ever listed, and what was replaced shows as modified once the new content is whole. */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  ftruncateSync,
  openSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import type { Test } from 'tap'
import { longestMs, timeoutMs, slow, startService, until } from './service.ts'
import type { Service } from './service.ts'
import { hourDirectory, pathIn, put } from './tree.ts'
import { testFolder } from '../folder.ts'

/** Bytes that do not get smaller by compression, so that the file has about this size. */
const content = gzipSync(randomBytes(slow ? 1024 * 1024 : 128 * 1024))
const pieceSize = 64 * 1024
const pieceMs = slow ? 1000 : 400
/** What is promised; on a busy machine a wait may be longer, and is told. */
const promisedMs = slow ? 3000 : timeoutMs

const hour = hourDirectory()
const directory = (path: string): string => path.slice(0, path.lastIndexOf('/'))

t.setTimeout(longestMs)

t.test('half-written files', async (t) => {
  const folder = testFolder(t)
  put(join(folder, 'archive'), pathIn(hour, 0))
  const service = await startService(t, folder)
  await until('the first scan ends', service.ready)

  t.test('a file that grows is listed when its last byte is there', async (t) => {
    const path = pathIn(hour, 1)
    const early = await write(service, path, 'w')
    t.notOk(early, 'not before')
    const tookMs = await until('listed', async () => (await service.list()).has(path), promisedMs)
    t.pass(`listed ${Math.round(tookMs)} ms after it was complete`)
  })

  t.test('a file of its final size from the beginning is listed no sooner', async (t) => {
    const path = pathIn(hour, 2)
    const file = openSync(join(service.archive, path), 'w')
    ftruncateSync(file, content.length)
    closeSync(file)
    const early = await write(service, path, 'r+')
    t.notOk(early, 'not before')
    const tookMs = await until('listed', async () => (await service.list()).has(path), promisedMs)
    t.pass(`listed ${Math.round(tookMs)} ms after it was complete`)
  })

  t.test('a file replaced in place keeps its record until the new one is whole', async (t) => {
    const path = pathIn(hour, 0)
    const before = (await service.list()).get(path)
    t.ok(before, 'listed before')
    const early = await write(service, path, 'w', before?.modified)
    t.notOk(early, 'the record stays as it was meanwhile')
    await untilModified(t, service, path, before?.modified)
    t.equal((await service.list()).get(path)?.id, before?.id, 'the id stays')
  })

  t.test('a file that another is renamed over is modified at once', async (t) => {
    const path = pathIn(hour, 1)
    const before = (await service.list()).get(path)
    const aside = join(service.archive, directory(path), '.aside')
    copyFileSync(join(service.archive, pathIn(hour, 0)), aside)
    renameSync(aside, join(service.archive, path))
    await untilModified(t, service, path, before?.modified)
    t.equal((await service.list()).get(path)?.id, before?.id, 'the id stays')
    await downloads(t, service, path)
  })

  t.test('a file that stays without its end is not listed', async (t) => {
    const path = pathIn(hour, 3)
    put(service.archive, path, content.subarray(0, -1))
    await until('it is waited for', async () => (await service.status()).settling_files === 1)
    t.notOk((await service.list()).has(path))
  })
})

/**
 * Writes the content piece by piece over a few seconds, and asks the list after each.
 * @returns whether the list showed it, or another `modified` than the given one, before the last piece.
 */
async function write(service: Service, path: string, flags: string, modified?: string) {
  const file = openSync(join(service.archive, path), flags)
  let early = false
  for (let at = 0; at < content.length; at += pieceSize) {
    const nextMs = performance.now() + pieceMs
    await until('the next piece is due', async () => {
      early ||= (await service.list()).get(path)?.modified !== modified
      return performance.now() > nextMs
    })
    writeSync(file, content, at, Math.min(pieceSize, content.length - at), at)
  }
  closeSync(file)
  return early
}

async function untilModified(
  t: Test,
  service: Service,
  path: string,
  before?: string,
): Promise<void> {
  const modified = async () => ((await service.list()).get(path)?.modified ?? '') > (before ?? '')
  const tookMs = await until('modified', modified, promisedMs)
  t.pass(`modified ${Math.round(tookMs)} ms after it was complete`)
}

async function downloads(t: Test, service: Service, path: string): Promise<void> {
  const answer = await fetch(new URL(`/rinex/data/${path}`, service.url))
  const bytes = Buffer.from(await answer.arrayBuffer())
  t.equal(bytes.length, statSync(join(service.archive, path)).size, 'the download is the new file')
}
