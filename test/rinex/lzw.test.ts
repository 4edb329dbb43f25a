import { spawnSync } from 'node:child_process'
import { LzwDecoder } from '../../src/rinex/lzw.ts'
import { compress, streamOf } from '../lzw.ts'
import { fc } from '../random.ts'
import t from '../tap.ts'

/** What the decoder makes of a stream that comes in pieces of this size. */
function decode(stream: Uint8Array, piece = stream.length): Buffer | 'broken' {
  const texts: Uint8Array[] = []
  const decoder = new LzwDecoder((text) => {
    texts.push(text)
    return true
  })
  for (let at = 0; at < stream.length; at += piece) decoder.push(stream.subarray(at, at + piece))
  decoder.flush()
  return decoder.isBroken || !decoder.hasBegun ? 'broken' : Buffer.concat(texts)
}

/** What `gzip` makes of it. */
function unpack(stream: Uint8Array): Buffer | 'broken' {
  const { status, stdout } = spawnSync('gzip', ['-dc'], { input: stream, maxBuffer: 2 ** 28 })
  return status === 0 ? stdout : 'broken'
}

const line = '     3.04           OBSERVATION DATA    M                   RINEX VERSION / TYPE\n'
/** Lines like those of a file of observations, always the same. */
const observations = Buffer.from(
  line +
    Array.from({ length: 2500 }, (_, at) => `${(at * 7919) % 100_003} G${at % 32} ${at}\n`).join(
      '',
    ),
)

t.test('streams of all widths, with and without clears, are decoded like gzip does', async (t) => {
  for (const widest of [9, 10, 11, 12, 13, 14, 15, 16])
    for (const clearAfter of [undefined, 1, 8, 300, 5000]) {
      const stream = compress(observations, { widest, ...(clearAfter && { clearAfter }) })
      const name = `${widest} bits, cleared after ${clearAfter}`
      t.ok(observations.equals(unpack(stream) as Buffer), `gzip: ${name}`)
      for (const piece of [stream.length, 4099])
        t.ok(observations.equals(decode(stream, piece) as Buffer), `${name}, pieces of ${piece}`)
    }
})

t.test('any bytes are decoded back, in any pieces', async () => {
  const options = fc.record({
    widest: fc.integer({ min: 9, max: 16 }),
    clearAfter: fc.integer({ min: 1, max: 2000 }),
  })
  // Few different bytes make long texts, also such as the code that is just being added.
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 5000 }),
    fc.array(fc.constantFrom(65, 66), { maxLength: 5000 }).map((list) => Uint8Array.from(list)),
  )
  fc.assert(
    fc.property(bytes, options, fc.integer({ min: 1, max: 64 }), (content, how, piece) =>
      Buffer.from(content).equals(decode(compress(content, how), piece) as Buffer),
    ),
    { numRuns: 100 },
  )
})

t.test('a cut stream has the begin of its text, and looks whole', async (t) => {
  const stream = compress(observations, { clearAfter: 3000 })
  for (let length = 3; length < stream.length; length += 997) {
    const text = decode(stream.subarray(0, length))
    t.ok(text !== 'broken' && observations.subarray(0, text.length).equals(text), `${length}`)
  }
})

t.test('what is no stream of compress is broken', async (t) => {
  const cases: Record<string, number[]> = {
    'no byte': [],
    'half a header': [0x1f, 0x9d],
    'a gzip stream': [0x1f, 0x8b, 8],
    '8 bits': [0x1f, 0x9d, 0x88],
    '17 bits': [0x1f, 0x9d, 0x91],
    'an unknown flag': [0x1f, 0x9d, 0xb0],
    'the first code is no byte': [0x1f, 0x9d, 0x90, 0x00, 0x01],
    'a code beyond the table': [0x1f, 0x9d, 0x90, 0x41, 0x04, 0x06],
  }
  for (const [name, bytes] of Object.entries(cases))
    t.equal(decode(Uint8Array.from(bytes)), 'broken', name)
  t.strictSame(decode(Uint8Array.from([0x1f, 0x9d, 0x90])), Buffer.alloc(0), 'an empty file')
})

t.test('random streams are broken, or decoded like gzip does', async (t) => {
  const codes = fc.uint8Array({ minLength: 1, maxLength: 40 })
  const flags = fc.constantFrom(0x90, 0x8c, 0x10, 0x89)
  let good = 0
  fc.assert(
    fc.property(flags, codes, (flag, bytes) => {
      const stream = Uint8Array.from([0x1f, 0x9d, flag, ...bytes])
      const text = decode(stream)
      if (text === 'broken') return true
      good++
      return text.equals(unpack(stream) as Buffer)
    }),
    { numRuns: 100 },
  )
  t.ok(good > 10, `${good} were streams`)
})

t.test('streams that were cut and overwritten are broken, or decoded like gzip does', async (t) => {
  const text = observations.subarray(0, 30_000)
  const streams = [16, 12, 9].flatMap((widest) =>
    [undefined, 700].map((clearAfter) =>
      compress(text, { widest, ...(clearAfter && { clearAfter }) }),
    ),
  )
  let good = 0
  const change = fc.record({
    stream: fc.constantFrom(...streams),
    part: fc.double({ min: 0, max: 1, noNaN: true }),
    at: fc.nat(),
    bytes: fc.uint8Array({ maxLength: 3 }),
  })
  fc.assert(
    fc.property(change, ({ stream, part, at, bytes }) => {
      const copy = Buffer.from(stream.subarray(0, 3 + Math.floor((stream.length - 3) * part)))
      copy.set(bytes.subarray(0, copy.length - (at % copy.length)), at % copy.length)
      const found = decode(copy)
      if (found === 'broken') return true
      good++
      return found.equals(unpack(copy) as Buffer)
    }),
    { numRuns: 150 },
  )
  t.ok(good > 10, `${good} were streams`)
})

t.test('a code is in the table, or the next one, or it breaks the stream', async () => {
  const widths = fc.constantFrom(9, 10, 12, 16)
  // Parts of the table that it has then; above 1 beyond it.
  const parts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 1500 })
  fc.assert(
    fc.property(widths, parts, fc.nat(40), (widest, all, beyond) => {
      // After so many codes the table has one less; the next code may be the one that it gets.
      const sizeAfter = (codes: number) => Math.min(256 + Math.max(0, codes - 1), 1 << widest)
      const codes = [65, ...all.map((part, at) => Math.floor(part * (sizeAfter(at + 1) - 1)))]
      const size = sizeAfter(codes.length)
      const width = Math.max(9, Math.ceil(Math.log2(size + 1)))
      const next = size < 1 << widest ? [size] : []
      const other = size + next.length + beyond
      return (
        Buffer.isBuffer(decode(streamOf([...codes, ...next], widest))) &&
        (other >= 1 << width || decode(streamOf([...codes, other], widest)) === 'broken')
      )
    }),
    { numRuns: 200 },
  )
})

t.test('the text comes in chunks, until no more is asked for', async (t) => {
  // Each code is a byte longer than the one before.
  const stream = compress(Buffer.alloc(1_000_000, 65), { clearAfter: 10_000_000 })
  for (const most of [Infinity, 3]) {
    const chunks: Uint8Array[] = []
    const decoder = new LzwDecoder((text) => chunks.push(text) < most)
    decoder.push(stream)
    decoder.flush()
    t.notOk(decoder.isBroken)
    t.ok(chunks.every((chunk) => chunk.length <= 128 * 1024 && chunk.every((byte) => byte === 65)))
    if (most === 3) t.equal(chunks.length, 3)
    else t.equal(Buffer.concat(chunks).length, 1_000_000)
  }
})
