import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Test } from 'tap'
import type { OpenFile } from '../../../src/api/downloads/archived-file.ts'
import { Archive } from '../../../src/api/downloads/archived-file.ts'
import type { ReadRequest } from '../../../src/api/downloads/file-content.ts'
import { chunkBytes, ClientGone, ContentReader } from '../../../src/api/downloads/file-content.ts'
import { Semaphore } from '../../../src/api/http/limits.ts'
import { laterThan } from '../../file-clock.ts'
import { testFolder } from '../../folder.ts'
import t from '../../tap.ts'
import { day, dayFile } from '../service.ts'

const size = chunkBytes + 10
const whole = { first: 0, last: size - 1 }
const part = { first: 0, last: 9 }
const then = new Date('2026-01-02T00:00:00Z')
const content = Buffer.alloc(size, 'a')

/** An open file and a content reader. */
async function openFile(t: Test) {
  const archive = testFolder(t, { obs: {} })
  mkdirSync(join(archive, day), { recursive: true })
  const path = join(archive, day, dayFile)
  writeFileSync(path, content)
  utimesSync(path, then, then)
  const tree = new Archive({ archive, linkedDirectories: [] })
  const file = await tree.open({ directory: day, name: dayFile })
  t.teardown(() => file.handle.close().catch(() => undefined))
  await laterThan(path)
  const threads = new Semaphore({ permits: 2 })
  const reader = new ContentReader(threads)
  const open = (request: ReadRequest) => threads.run(() => reader.open(request))
  return { path, file, open }
}

function newResponse(): ServerResponse {
  return new ServerResponse(new IncomingMessage(new Socket()))
}

const requestFor = (file: OpenFile, range: { first: number; last: number }): ReadRequest => ({
  file,
  range,
  response: newResponse(),
})

/** Overwrites bytes of a file in place and restores its times. */
function overwrite(path: string, bytes: string, position: number): void {
  const fd = openSync(path, 'r+')
  writeSync(fd, bytes, position)
  closeSync(fd)
  utimesSync(path, then, then)
}

const changedError = { message: /^(?:truncated|changed) while it was sent$/ }

t.test('a file is read as a stream, or as a buffer if it is small', async (t) => {
  const { file, open } = await openFile(t)
  const all = await open(requestFor(file, whole))
  t.ok(all instanceof Readable && (await buffer(all)).equals(content))
  await t.rejects(file.handle.stat(), 'the stream closed the file')
  const again = await openFile(t)
  t.same(await again.open(requestFor(again.file, part)), content.subarray(0, 10))
  await again.file.handle.stat()
  t.pass('for a buffer the caller closes the file')
})

t.test('the last chunk of a file may have only one byte', async (t) => {
  const { file, open } = await openFile(t)
  const all = await open(requestFor(file, { first: 7, last: 7 + chunkBytes }))
  t.ok(all instanceof Readable)
  t.equal((await buffer(all as Readable)).length, chunkBytes + 1)
})

t.test('a download fails if its file is rewritten meanwhile', async (t) => {
  const changes: Record<string, (path: string) => void> = {
    truncated: (path) => truncateSync(path, size - 1),
    grown: (path) => appendFileSync(path, 'b'),
    overwritten: (path) => writeFileSync(path, Buffer.alloc(size, 'b')),
    'overwritten, with its times restored': (path) => overwrite(path, 'other end', size - 9),
    'another mtime': (path) => utimesSync(path, new Date(), new Date()),
  }
  for (const [what, change] of Object.entries(changes)) {
    const { path, file, open } = await openFile(t)
    const all = await open(requestFor(file, whole))
    change(path)
    await t.rejects(buffer(all as Readable), changedError, what)
    const second = await openFile(t)
    change(second.path)
    await t.rejects(
      second.open(requestFor(second.file, part)),
      changedError,
      `${what}, a small part`,
    )
  }
})

t.test('waiting reads hold no memory, and fail when their client leaves', async (t) => {
  const { file, open } = await openFile(t)
  const before = process.memoryUsage().arrayBuffers
  const response = newResponse()
  const range = { first: 0, last: chunkBytes - 1 }
  const all = Array.from({ length: 100 }, () => open({ file, range, response }))
  const taken = process.memoryUsage().arrayBuffers - before
  t.ok(taken < 10 * chunkBytes, `${taken} bytes`)
  response.destroy()
  const outcomes = await Promise.allSettled(all)
  const left = outcomes.filter((outcome) => outcome.status === 'rejected')
  t.ok(left.length > 80 && left.every(({ reason }) => reason instanceof ClientGone))
})

t.test('the buffer of a download is reused after its response is closed', async (t) => {
  const { file, open } = await openFile(t)
  const first = requestFor(file, part)
  const one = (await open(first)) as Buffer
  const meanwhile = (await open(requestFor(file, part))) as Buffer
  t.not(meanwhile.buffer, one.buffer, 'not while the response is open')
  first.response.emit('close')
  t.equal(((await open(requestFor(file, part))) as Buffer).buffer, one.buffer)
  const streamed = await openFile(t)
  const second = requestFor(streamed.file, whole)
  const all = (await streamed.open(second)) as Readable
  t.ok((await buffer(all)).subarray(chunkBytes).equals(content.subarray(chunkBytes)))
})

t.test('a destroyed stream closes its file', async (t) => {
  const { file, open } = await openFile(t)
  const all = (await open(requestFor(file, whole))) as Readable
  const closed = new Promise((resolve) => all.once('close', resolve))
  all.destroy()
  await closed
  await t.rejects(file.handle.stat())
})
