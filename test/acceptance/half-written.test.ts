/**
 * An incomplete file is never listed, and a replaced file is modified when its new content is
 * complete.
 */
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
import type { Test } from 'tap'
import t from '../tap.ts'
import type { Service } from './service.ts'
import { fetchAlone, longestMs, slow, startScanned, timeoutMs, until } from './service.ts'
import { hourDirectory, pathIn, put } from './tree.ts'

/** Random bytes, which compression does not make smaller. */
const content = gzipSync(randomBytes(slow ? 1024 * 1024 : 128 * 1024))
const chunkBytes = 64 * 1024
const chunkMs = slow ? 1000 : 400
/** The promised time; on a busy machine a wait may be longer and is reported. */
const promisedMs = slow ? 3000 : timeoutMs

const hour = hourDirectory()
const directory = (path: string): string => path.slice(0, path.lastIndexOf('/'))

t.setTimeout(longestMs)

t.test('a file is listed when it is complete', async (t) => {
  const service = await startScanned(t, [pathIn(hour, 0)])

  for (const [n, isPreallocated] of [false, true].entries()) {
    const kind = isPreallocated ? 'a file with its final size from the start' : 'a file that grows'
    t.test(`${kind} is listed after its last byte`, async (t) => {
      const path = pathIn(hour, n + 1)
      const file = openSync(join(service.archive, path), 'w')
      if (isPreallocated) ftruncateSync(file, content.length)
      closeSync(file)
      t.notOk(await write(service, path, 'r+'), 'not before')
      const tookMs = await until('listed', async () => (await service.list()).has(path), promisedMs)
      t.pass(`listed ${Math.round(tookMs)} ms after it was complete`)
    })
  }

  t.test(
    'a file replaced in place keeps its record until the new content is complete',
    async (t) => {
      const path = pathIn(hour, 0)
      const before = (await service.list()).get(path)
      t.ok(before, 'listed before')
      const early = await write(service, path, 'w', before?.modified)
      t.notOk(early, 'the record stays the same until then')
      await untilModified(t, service, path, before?.modified)
      t.equal((await service.list()).get(path)?.id, before?.id, 'the id stays')
    },
  )

  t.test('a file replaced by a rename is listed as modified at once', async (t) => {
    const path = pathIn(hour, 1)
    const before = (await service.list()).get(path)
    const part = join(service.archive, directory(path), '.part')
    copyFileSync(join(service.archive, pathIn(hour, 0)), part)
    renameSync(part, join(service.archive, path))
    await untilModified(t, service, path, before?.modified)
    t.equal((await service.list()).get(path)?.id, before?.id, 'the id stays')
    await downloads(t, service, path)
  })

  t.test('a file that stays incomplete is not listed', async (t) => {
    const path = pathIn(hour, 3)
    put(service.archive, path, content.subarray(0, -1))
    await until('it is settling', async () => (await service.status()).settling_files === 1)
    t.notOk((await service.list()).has(path))
  })
})

/**
 * Writes the content in chunks over a few seconds, and reads the list before each.
 * @returns true if the list had the file, or another `modified` than the given one, before the last
 * chunk
 */
async function write(service: Service, path: string, flags: string, modified?: string) {
  const file = openSync(join(service.archive, path), flags)
  let early = false
  for (let at = 0; at < content.length; at += chunkBytes) {
    const nextMs = performance.now() + chunkMs
    await until('the next chunk is due', async () => {
      early ||= (await service.list()).get(path)?.modified !== modified
      return performance.now() > nextMs
    })
    writeSync(file, content, at, Math.min(chunkBytes, content.length - at), at)
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
  const answer = await fetchAlone(new URL(`/rinex/data/${path}`, service.url))
  const bytes = Buffer.from(await answer.arrayBuffer())
  t.equal(bytes.length, statSync(join(service.archive, path)).size, 'the download is the new file')
}
