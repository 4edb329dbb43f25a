/**
 * Compresses streams, pages for people and the schema (contract 1, "Representations"): all answers whose `Vary` names
 * `Accept-Encoding`, and no others.
 */
import { pipeline, Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Semaphore } from './semaphore.ts'

/** Of an answer that is compressed for clients which offer it. */
export const compressedVary = 'Accept, Accept-Encoding'

/** Compressing a shorter answer saves no packet. */
const leastBytes = 1024

/** Answers that are compressed at the same time; others are sent as they are. */
const atATime = 2

const gzipOptions = { level: 5 }
const brotliOptions = {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 4,
    // 512 KiB: larger windows take megabytes of memory and make lists hardly smaller.
    [constants.BROTLI_PARAM_LGWIN]: 19,
  },
}

/** By the word of `Accept-Encoding`, the one that is preferred first. */
const compressors = {
  br: {
    stream: () => createBrotliCompress(brotliOptions),
    whole: (body: Buffer) => promisify(brotliCompress)(body, brotliOptions),
  },
  gzip: {
    stream: () => createGzip(gzipOptions),
    whole: (body: Buffer) => promisify(gzip)(body, gzipOptions),
  },
} as const

type Encoding = keyof typeof compressors
const encodings = Object.keys(compressors) as Encoding[]

/** Registers the hook; `@fastify/accepts` has to be registered before. */
export function compressAnswers(app: FastifyInstance): void {
  const permits = new Semaphore({ permits: atATime })
  app.addHook('onSend', (request, reply, payload, done) => {
    const encoding = encodingOf(request, reply)
    const isWorthIt = payload instanceof Readable || sizeOf(payload) >= leastBytes
    if (encoding === undefined || !isWorthIt || !permits.tryAcquire()) {
      done(null, payload)
      return
    }
    reply.header('content-encoding', encoding)
    const release = (): void => {
      permits.release()
    }
    if (payload instanceof Readable) {
      done(null, pipeline(payload, compressors[encoding].stream(), release))
      return
    }
    compressors[encoding]
      .whole(Buffer.from(payload as Buffer | string))
      .finally(release)
      .then(
        (body) => {
          done(null, body)
        },
        (error: unknown) => {
          done(error as Error)
        },
      )
  })
}

/** What the client offers of what there is, if the answer may be compressed at all. */
function encodingOf(request: FastifyRequest, reply: FastifyReply): Encoding | undefined {
  if (reply.getHeader('vary') !== compressedVary) return undefined
  const liked = request.encoding([...encodings, 'identity'])
  return encodings.find((each) => each === liked)
}

function sizeOf(payload: unknown): number {
  return typeof payload === 'string' || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : 0
}
