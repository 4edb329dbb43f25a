/** Compresses answers that vary with `Accept-Encoding`. */
import { pipeline, Readable } from 'node:stream'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Semaphore } from './limits.ts'

/** Bytes of the shortest response that is compressed; a shorter one would save no packet. */
const leastBytes = 1024

/** Maximum number of responses that are compressed at the same time; further ones are not. */
const maxCompressing = 2

/** Compressors by content coding, in the order of our preference. */
const compressors = {
  br: () =>
    createBrotliCompress({
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 4,
        // 512 KiB: larger windows take megabytes of memory and make lists hardly smaller.
        [constants.BROTLI_PARAM_LGWIN]: 19,
      },
    }),
  gzip: () => createGzip({ level: 5 }),
} as const

type Encoding = keyof typeof compressors
const encodings = Object.keys(compressors) as Encoding[]

/** Registers the hook that compresses responses; `@fastify/accepts` has to be registered before. */
export function compressAnswers(app: FastifyInstance): void {
  const permits = new Semaphore({ permits: maxCompressing })
  app.addHook('onSend', (request, reply, payload, done) => {
    const encoding = encodingOf(request, reply)
    const isWorthIt = payload instanceof Readable || sizeOf(payload) >= leastBytes
    if (encoding === undefined || !isWorthIt || !permits.tryAcquire()) {
      done(null, payload)
      return
    }
    reply.header('content-encoding', encoding).removeHeader('content-length')
    const body = payload instanceof Readable ? payload : Readable.from([payload])
    const compressed = pipeline(body, compressors[encoding](), () => {
      permits.release()
    })
    done(null, compressed)
  })
}

/** The best coding that the client accepts, if the response may be compressed. */
function encodingOf(request: FastifyRequest, reply: FastifyReply): Encoding | undefined {
  if (reply.getHeader('vary')?.toString().includes('Accept-Encoding') !== true) return undefined
  const liked = request.encoding([...encodings, 'identity'])
  return encodings.find((each) => each === liked)
}

function sizeOf(payload: unknown): number {
  return typeof payload === 'string' || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : 0
}
