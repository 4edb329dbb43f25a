/** The bytes of the files of the demo. */
import { spawnSync } from 'node:child_process'
import { basename } from 'node:path'
import { Contents } from '../../src/demo/contents.ts'
import { compress } from '../../src/demo/lzw.ts'
import type { DemoFile, Fault } from '../../src/demo/network.ts'
import { demoLists, filesArriving } from '../../src/demo/network.ts'
import { parseFilename } from '../../src/parse/filename.ts'
import { ContentReader } from '../../src/rinex/content-reader.ts'
import { factsOf } from '../../src/rinex/facts-of.ts'
import { LzwDecoder } from '../../src/rinex/lzw.ts'
import { fc } from '../random.ts'
import t, { exact } from '../tap.ts'

/** What the decoder makes of a stream. */
function decode(stream: Uint8Array): Buffer {
  const texts: Uint8Array[] = []
  const decoder = new LzwDecoder((text) => texts.push(text) > 0)
  decoder.push(stream)
  decoder.flush()
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

const startedAt = Date.parse('2026-03-01T10:20:30Z') / 1000
const files = filesArriving(0, startedAt, startedAt)
const contents = new Contents()

/** The flags of a file that is whole, as the catalogue finds them. */
function flagsOf(file: DemoFile): readonly string[] {
  const name = parseFilename(basename(file.path), demoLists.suffixes)
  if (name.kind === 'rejected') return [name.reason]
  const reader = new ContentReader()
  reader.push(unpack(contents.of(file)))
  const { flags, first, receiver } = factsOf(reader.end(), name, 'complete')
  const starts = file.type === 'n' || Date.parse(`${first}Z`) / 1000 === file.startSeconds
  const hasReceiver = file.type === 'n' || receiver?.type !== undefined
  const facts = starts && hasReceiver ? [] : [`${first} ${receiver?.type}`]
  return [...facts, ...flags.map(({ flag, says }) => `${flag}: ${says}`)]
}

t.test('files hold what their names say', (t) => {
  // Some of each station, type, period and form, from its whole time.
  const groups = Map.groupBy(files, ({ station, type, period, isShort }) =>
    [station.code, type, period, isShort].join(' '),
  )
  const some = Array.from(groups.values(), (all) => [all[0], all[all.length >> 1], all.at(-1)])
  const faults = some.flat().flatMap((file) => {
    if (file === undefined || file.fault !== undefined) return []
    return flagsOf(file).map((flag) => `${file.path}: ${flag}`)
  })
  t.ok(groups.size > 60)
  t.strictSame(faults, [])
  t.end()
})

t.test('some files have faults that only their contents show', (t) => {
  const flags = (fault: Fault) => {
    const file = files.find((each) => each.fault === fault)
    return file && flagsOf(file)
  }
  t.match(flags('unfinished'), exact([/^cut: /, /^short: /]))
  t.match(flags('torn'), exact([/^torn: /, /^short: /]))
  t.match(flags('half'), exact([/^short: /]))
  t.match(flags('mislabelled'), exact([/^marker: /]))
  t.end()
})
