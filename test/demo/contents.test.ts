/** The bytes of the files of the demo. */
import { spawnSync } from 'node:child_process'
import { Contents } from '../../src/demo/contents.ts'
import { compress } from '../../src/demo/lzw.ts'
import type { DemoFile } from '../../src/demo/network.ts'
import { LzwDecoder } from '../../src/indexer/read/lzw.ts'
import { fc } from '../random.ts'
import t from '../tap.ts'

/** What the decoder makes of a stream. */
function decode(stream: Uint8Array): Buffer {
  const texts: Uint8Array[] = []
  const decoder = new LzwDecoder((text) => texts.push(text) > 0)
  decoder.push(stream)
  if (decoder.isBroken || !decoder.hasBegun) throw new Error('broken')
  return Buffer.concat(texts)
}

/** What `gzip` makes of it: it reads both compressions. */
function unpack(input: Uint8Array): Buffer {
  const { status, stdout, stderr } = spawnSync('gzip', ['-dc'], { input })
  if (status !== 0) throw new Error(String(stderr))
  return stdout
}

t.test('what is compressed is decoded by gzip and by the indexer', async (t) => {
  const counting = (length: number) => Uint8Array.from({ length }, (_, at) => at)
  for (const length of [0, 1, 2, 246, 247, 248, 493, 494, 495, 2000, 100_000]) {
    const bytes = Buffer.from(counting(length))
    t.ok(bytes.equals(unpack(compress(bytes))), `gzip: ${length} bytes`)
    t.ok(bytes.equals(decode(compress(bytes))), `${length} bytes`)
  }
  // Many equal bytes make the longest texts of a decoder.
  const few = fc
    .array(fc.constantFrom(65, 66), { maxLength: 3000 })
    .map((list) => Buffer.from(list))
  fc.assert(fc.property(few, (bytes) => bytes.equals(decode(compress(bytes)))))
})

t.test('a file is what its name says', async (t) => {
  const contents = new Contents()
  const textOf = (name: string, type: 'o' | 'n'): string => {
    const file = { type, period: '01D', startSeconds: 0, arrivesAt: 0, damage: undefined } as const
    const bytes = contents.of({ path: `stations/SOFI/2026/${name}`, ...file } satisfies DemoFile)
    t.equal(bytes[1], name.endsWith('.Z') ? 0x9d : 0x8b, `${name}: its compression`)
    return String(unpack(bytes))
  }
  const observations = textOf('sofi3310.26o.gz', 'o')
  t.match(observations, /^ {5}3\.05 {11}OBSERVATION DATA/)
  for (const name of ['sofi3310.26d.Z', 'SOFI00BGR_R_20263310000_01D_30S_MO.crx.gz']) {
    const [version, program, ...rest] = textOf(name, 'o').split('\n')
    t.match(version, /^3\.0 {17}COMPACT RINEX FORMAT {20}CRINEX VERS {3}\/ TYPE$/)
    t.match(program, /CRINEX PROG \/ DATE$/)
    t.equal(rest.join('\n'), observations, 'the same data')
  }
  t.match(textOf('sofi3310.26n.Z', 'n'), /^ {5}3\.05 {11}NAVIGATION DATA/)
})
