import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { toIdentity } from '../../../src/catalogue/identity.ts'
import type { Digest } from '../../../src/indexer/checksums/digest.ts'
import { digestFile } from '../../../src/indexer/checksums/digest.ts'
import { overwrite, replace } from '../../file-changes.ts'
import { commonFolder, testFolder } from '../../folder.ts'
import { compress } from '../../lzw.ts'
import { asOtherUser } from '../../other-user.ts'
import t from '../../tap.ts'
import { md5Of, sha256Of } from './hashing.ts'

const megabyte = 1024 * 1024
const small = gzipSync('observations')
// Random bytes do not compress, so these are read in many chunks; zeros inflate beyond the limit of
// one buffer.
const large = gzipSync(randomBytes(3 * megabyte), { level: 1 })
const inflating = gzipSync(Buffer.alloc(80 * megabyte), { level: 1 })
const broken = (content: Buffer): Buffer => {
  const copy = Buffer.from(content)
  copy.fill(0xff, copy.length >> 1, (copy.length >> 1) + 8)
  return copy
}

const cases: { name: string; content: Buffer; problem: Digest['problem'] }[] = [
  { name: 'a small file', content: small, problem: undefined },
  { name: 'a large file', content: large, problem: undefined },
  { name: 'a file that grows far', content: inflating, problem: undefined },
  { name: 'two streams in a row', content: Buffer.concat([small, small]), problem: undefined },
  { name: 'an empty file', content: Buffer.alloc(0), problem: 'incomplete' },
  { name: 'a file that is no gzip file', content: Buffer.from('observations'), problem: 'broken' },
  { name: 'a small file without its end', content: small.subarray(0, -1), problem: 'incomplete' },
  { name: 'a large file without its end', content: large.subarray(0, -1), problem: 'incomplete' },
  { name: 'a small file that is damaged', content: broken(small), problem: 'broken' },
  { name: 'a large file that is damaged', content: broken(large), problem: 'broken' },
  {
    name: 'a large file whose first bytes are damaged',
    content: Buffer.concat([Buffer.alloc(16), large]),
    problem: 'broken',
  },
  {
    name: 'a wrong checksum at the end',
    content: Buffer.concat([small.subarray(0, -8), Buffer.alloc(8)]),
    problem: 'broken',
  },
]

t.test('a file is read to its end, whether it is complete or damaged', async (t) => {
  const folder = testFolder(t)
  const path = join(folder, 'file.gz')
  for (const { name, content, problem } of cases) {
    writeFileSync(path, content)
    utimesSync(path, 1000, 1000)
    const expected = {
      ...toIdentity(statSync(path)),
      sha256: sha256Of(content),
      md5: md5Of(content),
      problem,
      facts: undefined,
    }
    t.match(expected, { size: content.length, mtimeUs: 1e9 })
    t.strictSame(await digestFile({ path, size: content.length, mtimeUs: 1e9 }), expected, name)
  }
  writeFileSync(path, large)
  utimesSync(path, 1000, 1000)
  const digest = await digestFile({ path, size: large.length, mtimeUs: 1e9 })
  for (const kind of ['sha256', 'md5'] as const) {
    const [expected] = execFileSync(`${kind}sum`, [path], { encoding: 'utf8' }).split(' ')
    t.equal(digest?.[kind], expected, `equal to ${kind}sum`)
  }
})

const line = 'a line of observations\n'
const lzw = compress(Buffer.from(line.repeat(50_000)))
const noise = randomBytes(megabyte)

/** Contents under names that say what they are, and under others. */
const otherCases: [name: string, what: string, content: Buffer, Digest['problem']][] = [
  ['a.Z', 'LZW', lzw, undefined],
  ['a.Z', 'LZW without clears', compress(noise.subarray(0, 9999), { widest: 12 }), undefined],
  ['a.Z', 'LZW that was cut', lzw.subarray(0, -100), undefined],
  ['a.Z', 'LZW of an empty file', compress(Buffer.alloc(0)), undefined],
  ['a.Z', 'LZW that was cut in its header', lzw.subarray(0, 2), 'broken'],
  ['a.Z', 'no byte', Buffer.alloc(0), 'broken'],
  ['a.Z', 'LZW with an impossible code', Buffer.concat([lzw, Buffer.alloc(99, 255)]), 'broken'],
  ['a.Z', 'text', Buffer.from(line), 'broken'],
  ['a.Z', 'noise', noise, 'broken'],
  ['a.Z', 'zeros', Buffer.alloc(megabyte), 'broken'],
  ['a.Z', 'a gzip stream', small, 'disguised'],
  ['a.Z', 'a gzip stream without its end', large.subarray(0, -1), 'incomplete'],
  ['a.Z', 'a damaged gzip stream', broken(large), 'broken'],
  ['a.gz', 'LZW', lzw, 'disguised'],
  ['a.gz', 'damaged LZW', Buffer.concat([lzw, Buffer.alloc(99, 255)]), 'broken'],
  ['a.gz', 'text', Buffer.from(line), 'broken'],
  ['a', 'text', Buffer.from(line), undefined],
  ['a', 'text that was cut', Buffer.from(line + line.slice(0, 9)), 'incomplete'],
  ['a', 'zeros', Buffer.alloc(megabyte), 'incomplete'],
  ['a', 'no byte', Buffer.alloc(0), 'incomplete'],
  ['a', 'a gzip stream', small, 'disguised'],
  ['a', 'LZW', lzw, 'disguised'],
]

t.test(
  'the content decides what is wrong with a file, and its name whether it is disguised',
  async (t) => {
    const folder = testFolder(t)
    for (const [name, what, content, problem] of otherCases) {
      const path = join(folder, name)
      writeFileSync(path, content)
      utimesSync(path, 1000, 1000)
      const digest = await digestFile({ path, size: content.length, mtimeUs: 1e9 })
      t.match(
        digest,
        { problem, sha256: sha256Of(content), md5: md5Of(content) },
        `${what} in ${name}`,
      )
    }
  },
)

t.test('a path without a readable file has no digest', async (t) => {
  const folder = commonFolder(t)
  const pathOf = (name: string): string => join(folder, name)
  const digestOf = (name: string) => {
    const stats = statSync(pathOf(name), { throwIfNoEntry: false })
    const { size, mtimeUs } = stats === undefined ? { size: 0, mtimeUs: 0 } : toIdentity(stats)
    return digestFile({ path: pathOf(name), size, mtimeUs })
  }
  t.equal(await digestOf('missing'), undefined)
  mkdirSync(pathOf('directory'))
  t.equal(await digestOf('directory'), undefined)
  execFileSync('mkfifo', [pathOf('pipe')])
  t.equal(await digestOf('pipe'), undefined)
  writeFileSync(pathOf('closed'), small)
  t.ok(await digestOf('closed'))
  chmodSync(pathOf('closed'), 0)
  const closed = await asOtherUser(() => digestOf('closed'))
  t.equal(closed, undefined)
})

t.test('a file has a digest only if it is the requested version', async (t) => {
  const path = join(testFolder(t), 'file.gz')
  writeFileSync(path, small)
  utimesSync(path, 1000, 1000)
  const size = small.length
  t.ok(await digestFile({ path, size, mtimeUs: 1e9 }))
  t.equal(await digestFile({ path, size: size + 1, mtimeUs: 1e9 }), undefined)
  t.equal(await digestFile({ path, size, mtimeUs: 1e9 - 1 }), undefined)
  t.equal(await digestFile({ path, size, mtimeUs: 1e9 + 3e6 }), undefined)
})

t.test(
  'the mtime of a digest is that of the record, of which a copy lost the fraction',
  async (t) => {
    const path = join(testFolder(t), 'file.gz')
    writeFileSync(path, small)
    utimesSync(path, 1000, 1000)
    const mtimeUs = 1e9 + 123_457
    const digest = await digestFile({ path, size: small.length, mtimeUs })
    t.strictSame(digest, {
      ...toIdentity(statSync(path)),
      mtimeUs,
      sha256: sha256Of(small),
      md5: md5Of(small),
      problem: undefined,
      facts: undefined,
    })
  },
)

const other = broken(large)

/** What happens to the large file while it is read, and the digest that it has then. */
const changes: {
  readonly title: string
  readonly act: (path: string) => void
  readonly isRepeated?: boolean
  readonly expected: Buffer | undefined
}[] = [
  {
    title: 'a file that is overwritten with its old mtime is read again',
    act: (path) => overwrite(path, other),
    expected: other,
  },
  {
    title: 'a file that is replaced with the same size and time is read again',
    act: (path) => replace(path, other),
    expected: other,
  },
  {
    title: 'a file that gets a hard link is read again, and the link is counted',
    act: (path) => linkSync(path, `${path}.link`),
    expected: large,
  },
  {
    title: 'a file that keeps changing has no digest',
    act: (path) => linkSync(path, `${path}.${performance.now()}`),
    isRepeated: true,
    expected: undefined,
  },
  {
    title: 'a file that becomes another version than requested has no digest',
    act: (path) => appendFileSync(path, 'x'),
    expected: undefined,
  },
]

for (const { title, act, isRepeated = false, expected } of changes)
  t.test(title, async (t) => {
    const path = join(testFolder(t), 'file.gz')
    writeFileSync(path, large)
    utimesSync(path, 1000, 1000)
    let isDone = false
    const digest = await digestFile({ path, size: large.length, mtimeUs: 1e9 }, () => {
      if (!isDone) act(path)
      isDone = !isRepeated
    })
    const identity = toIdentity(statSync(path))
    t.match(digest, expected && { ...identity, sha256: sha256Of(expected) })
    if (expected === other) t.equal(digest?.problem, 'broken')
  })
