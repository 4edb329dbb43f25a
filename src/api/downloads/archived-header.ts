/** Reads the header of an archived file as it is now, whatever its form. */
import { promisify } from 'node:util'
import { constants, gunzip } from 'node:zlib'
import type { Form } from '../../rinex/form.ts'
import { formOf, mostStreamBytes } from '../../rinex/form.ts'
import { headerOf, mostHeaderBytes } from '../../rinex/header.ts'
import { LzwDecoder } from '../../rinex/lzw.ts'
import { errorCode } from '../../runtime/error-code.ts'
import type { Semaphore } from '../http/limits.ts'
import type { OpenFile } from './archived-file.ts'
import { readChunk } from './file-content.ts'
import { diskTimeoutMs } from './storage-check.ts'

/**
 * The lines of the header of an open file; `undefined` if it has no whole one within 64 KB of its
 * stream and 256 KB of its text.
 * @param threads permits of the threads that may wait for the archive
 * @throws FileChanged if the file is replaced or truncated meanwhile; StorageUnavailable
 */
export async function readHeader(
  file: OpenFile,
  threads: Semaphore,
): Promise<readonly string[] | undefined> {
  const begin = (bytes: number) => threads.run(() => readBegin(file, bytes), diskTimeoutMs)
  const stream = await begin(mostStreamBytes)
  const form = formOf(stream)
  return form === 'other'
    ? headerOf((await begin(mostHeaderBytes)).toString('latin1'))
    : headerIn(stream, form)
}

function readBegin(file: OpenFile, bytes: number): Promise<Buffer> {
  const length = Math.min(bytes, file.stats.size)
  const range = { first: 0, last: length - 1 }
  return readChunk(Buffer.allocUnsafe(length), { file, range }, 0)
}

/** Most headers need at most 2 KB of a gzip stream. */
const firstBytes = 1024

/**
 * Unpacks no more than twice of what has the header, so damage far behind it does not matter and
 * neither does how much the rest would grow.
 */
async function headerIn(
  stream: Buffer,
  form: Exclude<Form, 'other'>,
): Promise<readonly string[] | undefined> {
  const unpack = form === 'gzip' ? inflate : decode
  for (let bytes = firstBytes; ; bytes *= 2) {
    const text = await unpack(stream.subarray(0, bytes))
    const header = text && headerOf(text.toString('latin1', 0, mostHeaderBytes))
    const isEnd = bytes >= stream.length || text === undefined || text.length >= mostHeaderBytes
    if (header !== undefined || isEnd) return header
  }
}

const gunzipInThread = promisify(gunzip)

/** Most bytes that are inflated: far more than a header may have. */
const mostInflatedBytes = 4 * 1024 * 1024

/** The begin of a gzip stream; `undefined` if it is damaged, or grows too much. */
async function inflate(begin: Buffer): Promise<Buffer | undefined> {
  try {
    return await gunzipInThread(begin, {
      finishFlush: constants.Z_SYNC_FLUSH,
      maxOutputLength: mostInflatedBytes,
    })
  } catch (error) {
    const code = errorCode(error)
    if (code.startsWith('Z_') || code === 'ERR_BUFFER_TOO_LARGE') return undefined
    throw error
  }
}

/** The begin of a stream of `compress`, up to where it is damaged. */
function decode(begin: Buffer): Buffer {
  const texts: Uint8Array[] = []
  let bytes = 0
  const decoder = new LzwDecoder((text) => {
    texts.push(text)
    return (bytes += text.length) < mostHeaderBytes
  })
  decoder.push(begin)
  decoder.flush()
  return Buffer.concat(texts)
}
