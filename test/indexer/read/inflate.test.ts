import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  appendFileSync,
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { toInode, toUs } from '../../../src/catalogue/identity.ts'
import { inflate, inflateChunks, inflateFile } from '../../../src/indexer/read/inflate.ts'
import { testFolder } from '../../folder.ts'
import { compress } from '../../lzw.ts'
import t from '../../tap.ts'

const small = gzipSync('observations')
const large = gzipSync(randomBytes(5_000_000))
const spacious = gzipSync(Buffer.alloc(70_000_000))

t.test(
  'its first bytes say what a file is, and a gzip stream whether it has its end',
  async (t) => {
    const folder = testFolder(t)
    const cases = [
      { title: 'a small file', content: small, complete: true },
      { title: 'without its end', content: small.subarray(0, -1), complete: false },
      { title: 'an empty file', content: Buffer.alloc(0), form: 'other', complete: false },
      { title: 'half of its magic', content: small.subarray(0, 1), form: 'other', complete: false },
      { title: 'text', content: Buffer.from('observations\n'), form: 'other', complete: true },
      { title: 'a cut text', content: Buffer.from('observa'), form: 'other', complete: false },
      { title: 'LZW', content: compress(small), form: 'lzw', complete: true },
      {
        title: 'only its magic',
        content: compress(small).subarray(0, 2),
        form: 'lzw',
        complete: true,
      },
      { title: 'zeros', content: Buffer.alloc(9_000_000), form: 'other', complete: false },
      {
        title: 'several streams in one file',
        content: Buffer.concat([small, small]),
        complete: true,
      },
      {
        title: 'the last of them without its end',
        content: Buffer.concat([small, small.subarray(0, -1)]),
        complete: false,
      },
      { title: 'a large file', content: large, complete: true },
      { title: 'a large one without its end', content: large.subarray(0, -1), complete: false },
      {
        title: 'a large file with zeros for bytes not written yet',
        content: Buffer.concat([large.subarray(0, 2_000_000), Buffer.alloc(3_000_000)]),
        complete: false,
      },
      { title: 'a small file with a large content', content: spacious, complete: true },
      { title: 'without its end too', content: spacious.subarray(0, -9), complete: false },
    ]
    for (const { title, content, complete, form = 'gzip' } of cases) {
      const path = join(folder, 'file')
      writeFileSync(path, content)
      utimesSync(path, 1_700_000_000, 1_700_000_000)
      t.same(
        await inflate(path),
        { complete, form, size: content.length, mtimeUs: 1_700_000_000_000_000 },
        title,
      )
    }
  },
)

t.test('a file that changes while it is read is not complete', async (t) => {
  const path = join(testFolder(t, { 'file.gz': large }), 'file.gz')
  const inflated = inflate(path)
  appendFileSync(path, small)
  t.match(await inflated, { complete: false, size: large.length }, 'with its state before the read')
})

t.test('inflating a large file reports progress', async (t) => {
  const path = join(testFolder(t, { 'file.gz': large }), 'file.gz')
  let steps = 0
  await inflate(path, () => steps++)
  t.ok(steps > 10, `${steps} times`)
})

t.test('a missing path or a path that is no regular file gives undefined', async (t) => {
  const folder = testFolder(t)
  mkdirSync(join(folder, 'directory.gz'))
  execFileSync('mkfifo', [join(folder, 'pipe.gz')])
  for (const name of ['directory.gz', 'pipe.gz', 'nowhere.gz'])
    t.equal(await inflate(join(folder, name)), undefined, name)
})

t.test('an error of the disk is thrown: it says nothing about the gzip stream', async (t) => {
  function* chunks(): Generator<Buffer> {
    yield large.subarray(0, 100_000)
    throw Object.assign(new Error('read failed'), { code: 'EIO' })
  }
  await t.rejects(
    inflateChunks(chunks(), () => undefined),
    { code: 'EIO' },
  )
})

t.test('an aborted read never closes another descriptor', async (t) => {
  const folder = testFolder(t, { other: '' })
  const path = join(folder, 'file.gz')
  writeFileSync(path, '')
  truncateSync(path, 9_000_000)
  const first = openSync(join(folder, 'other'), 'r')
  closeSync(first)
  for (let count = 0; count < 5; count++)
    t.match(await inflate(path), { complete: false, size: 9_000_000 })
  const next = openSync(join(folder, 'other'), 'r')
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(next, first, 'and leaves none open')
  t.ok(fstatSync(next).isFile())
  closeSync(next)
})

t.test('inode numbers and times beyond 2^53 become numbers that can be stored', async (t) => {
  t.equal(toUs(1.5), 1500)
  t.equal(toUs(9e21), Number.MAX_SAFE_INTEGER)
  t.equal(toUs(-9e21), Number.MIN_SAFE_INTEGER)
  t.equal(toInode(123), 123)
  t.ok(Number.isSafeInteger(toInode(2 ** 64 - 2048)))
  t.not(toInode(2 ** 63 + 4096), toInode(2 ** 63 + 8192))
})

t.test('a small file of which a read returned only a part', async (t) => {
  const chunks = [small.subarray(0, 9), small.subarray(9)]
  const texts: Buffer[] = []
  const state = await inflateFile(
    chunks,
    small.length,
    () => undefined,
    (text) => texts.push(text),
  )
  t.equal(state, 'complete')
  t.equal(Buffer.concat(texts).toString(), 'observations')
})
