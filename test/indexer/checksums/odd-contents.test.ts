/** The hash process reads whatever somebody puts into an archive. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { toIdentity } from '../../../src/catalogue/identity.ts'
import { HashClient } from '../../../src/indexer/checksums/hash-client.ts'
import { testFolder } from '../../folder.ts'
import { compress, lzwBomb } from '../../lzw.ts'
import { fc } from '../../random.ts'
import t from '../../tap.ts'
import { sha256Of } from './hashing.ts'

/** The running child processes. */
function children(): string[] {
  return readdirSync('/proc/self/task').flatMap((thread) => {
    const path = `/proc/self/task/${thread}/children`
    return existsSync(path) ? readFileSync(path, 'utf8').split(' ').filter(Boolean) : []
  })
}

/** The most memory that a process has had (kB). */
function mostMemory(pid: string): number {
  return Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}

const suffixes = ['.gz', '.Z', '']
const text = Buffer.from('a line of observations\n'.repeat(20_000))
const streams = [gzipSync(text), compress(text), compress(text, { clearAfter: 700 }), text]

/** Bytes behind the begin of each kind of stream, and streams that were cut or overwritten. */
const contents = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('', '1f8b', '1f8b0800', '1f9d', '1f9d90', '1f9d8c', '1f9d10', '1f9dff'),
      fc.uint8Array({ maxLength: 9000 }),
    )
    .map(([head, bytes]) => Buffer.concat([Buffer.from(head, 'hex'), bytes])),
  fc
    .tuple(fc.constantFrom(...streams), fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([stream, part]) => stream.subarray(0, Math.floor(stream.length * part))),
  fc
    .tuple(fc.constantFrom(...streams), fc.nat(), fc.uint8Array({ maxLength: 20 }))
    .map(([stream, at, bytes]) => {
      const copy = Buffer.from(stream)
      copy.set(bytes.subarray(0, copy.length - (at % copy.length)), at % copy.length)
      return copy
    }),
)

t.test('any content under any name is read to its end, in little memory', async (t) => {
  const archive = testFolder(t)
  const before = children()
  const hashClient = new HashClient({ archive })
  t.teardown(() => hashClient.close())
  const digest = async (path: string, content: Buffer) => {
    writeFileSync(`${archive}/${path}`, content)
    const { size, mtimeUs } = toIdentity(statSync(`${archive}/${path}`))
    const [found] = await hashClient.digest([{ path, size, mtimeUs }])
    if (found?.sha256 !== sha256Of(content)) throw new Error(`${path} was not read`)
    return found.problem
  }
  t.equal(await digest('first', text), undefined)
  const [pid = ''] = children().filter((each) => !before.includes(each))
  const isRead = fc.asyncProperty(contents, fc.constantFrom(...suffixes), async (content, suffix) =>
    [undefined, 'incomplete', 'broken', 'disguised'].includes(
      await digest(`file${suffix}`, content),
    ),
  )
  await fc.assert(isRead, { numRuns: 300 })
  const small = mostMemory(pid)
  // 17 GB of text in a megabyte, and a tenth of a gigabyte in a tenth of a megabyte.
  const bomb = lzwBomb(600_000)
  t.ok(bomb.length < 1_300_000)
  t.equal(await digest('bomb.Z', bomb), undefined)
  t.equal(await digest('bomb.gz', bomb), 'disguised')
  t.equal(await digest('bomb.gz', gzipSync(Buffer.alloc(100_000_000))), undefined)
  t.equal(await digest('bomb.Z', gzipSync(Buffer.alloc(100_000_000))), 'disguised')
  const memory = mostMemory(pid)
  t.ok(memory < small + 90_000, `${memory} kB after ${small} kB`)
  t.same(
    children().filter((each) => !before.includes(each)),
    [pid],
    'by one process',
  )
})
