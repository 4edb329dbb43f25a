import { appendFileSync, mkdirSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Test } from 'tap'
import { parseDataTarget, parseDirectoryTarget } from '../../src/api/data-target.ts'
import type { ByteRange } from '../../src/api/byte-range.ts'
import { openArchive } from '../../src/api/download.ts'
import type { ArchivedFile } from '../../src/api/download.ts'
import { ClientGone, openPieceReader, pieceBytes } from '../../src/api/pieces.ts'
import type { Pieces } from '../../src/api/pieces.ts'
import { day, dayFile, hourFile, openService, shortFile } from './service.ts'
import { laterThan } from '../file-clock.ts'
import { testFolder } from '../folder.ts'

/** Somebody waits for a range of a file. */
const wants = (file: ArchivedFile, range: ByteRange) => ({ file, range, isAwaited: () => true })

t.test('the last piece is given out only if nothing has changed', async (t) => {
  const archive = testFolder(t, { obs: {} })
  mkdirSync(join(archive, day), { recursive: true })
  const path = join(archive, day, dayFile)
  const size = pieceBytes + 10
  const whole = { first: 0, last: size - 1 }
  const pieces = openPieceReader()
  const tree = openArchive({ archive, linkedDirectories: [] })
  const reopen = async () => {
    writeFileSync(path, Buffer.alloc(size, 'a'))
    const file = await tree.open({ directory: day, name: dayFile })
    t.teardown(() => {
      file.close()
    })
    return file
  }
  const changes = {
    'cut short': () => {
      truncateSync(path, size - 1)
    },
    grown: () => {
      appendFileSync(path, 'b')
    },
    overwritten: () => {
      writeFileSync(path, Buffer.alloc(size, 'b'))
    },
    'moved away': () => {
      renameSync(path, `${path}.old`)
    },
  }
  const changed = { message: /^(cut short|changed while it was read)$/ }
  for (const [what, change] of Object.entries(changes)) {
    const file = await reopen()
    t.equal((await pieces.read(wants(file, whole), 0)).length, pieceBytes, 'a first piece')
    await laterThan(path)
    change()
    await t.rejects(pieces.read(wants(file, whole), pieceBytes), changed, what)
    const part = { first: 0, last: 9 }
    await t.rejects(pieces.read(wants(file, part), 0), changed, `${what}, of a small part`)
  }
  const file = await reopen()
  const lengths: number[] = []
  for await (const piece of await pieces.all(wants(file, { first: 5, last: size - 1 })))
    lengths.push(piece.length)
  t.same(lengths, [pieceBytes, 5])
  const changing = await reopen()
  const all = await pieces.all(wants(changing, whole))
  t.equal((await all.next()).value?.length, pieceBytes)
  await laterThan(path)
  truncateSync(path, size - 1)
  await t.rejects(all.next(), changed)
})

/** A small file, one of several pieces and another as large, and ways to read them. */
async function openPieces(t: Test) {
  const archive = testFolder(t, { obs: {} })
  mkdirSync(join(archive, day), { recursive: true })
  writeFileSync(join(archive, day, dayFile), 'content')
  writeFileSync(join(archive, day, hourFile), Buffer.alloc(3 * pieceBytes, '0'))
  writeFileSync(join(archive, day, shortFile), Buffer.alloc(3 * pieceBytes, '1'))
  const tree = openArchive({ archive, linkedDirectories: [] })
  const pieces = openPieceReader()
  const open = async (name: string) => {
    const file = await tree.open({ directory: day, name })
    t.teardown(() => {
      file.close()
    })
    return file
  }
  const all = async (name: string, last: number) =>
    pieces.all(wants(await open(name), { first: 0, last }))
  return {
    pieces,
    archive,
    open,
    small: () => all(dayFile, 6),
    large: (name = hourFile) => all(name, 3 * pieceBytes - 1),
  }
}

t.test('downloads that end leave their memory to others, those under way keep it', async (t) => {
  const { large } = await openPieces(t)
  const [one, two] = await Promise.all([large(), large(shortFile)])
  const first = (await one.next()).value
  const other = (await two.next()).value
  t.ok(first?.every((byte) => byte === 0x30) && other?.every((byte) => byte === 0x31))
  await one.return()
  const again = (await (await large()).next()).value
  t.equal(again?.buffer, first?.buffer, 'the memory of the one that has ended')
  t.ok(
    other?.every((byte) => byte === 0x31),
    'nobody else writes to it',
  )
})

async function ofMany<T>(make: () => Promise<T>, count = 100): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, make))
}

t.test('where many are under way, a small one gets no more memory than it fills', async (t) => {
  const { small, large } = await openPieces(t)
  const sizeOf = async (all: Pieces) => (await all.next()).value?.buffer.byteLength
  const first = await ofMany(small)
  t.equal(await sizeOf(first[0] as Pieces), pieceBytes)
  t.equal(await sizeOf(first.at(-1) as Pieces), 7)
  for (const all of first) {
    await all.next()
    await all.return()
  }
  const later = await ofMany(() => large(), 30)
  for (const all of later) t.equal((await all.next()).value?.length, pieceBytes)
  for (const all of later) await all.return()
  const last = await ofMany(small, 30)
  t.equal(await sizeOf(last.at(-1) as Pieces), pieceBytes, 'when they have ended it gets more')
})

t.test('those that fail give back what they borrowed', async (t) => {
  const { pieces, open, small, archive } = await openPieces(t)
  const path = join(archive, day, hourFile)
  const files = await ofMany(() => open(hourFile))
  truncateSync(path, 1)
  for (const file of files)
    await t.rejects(pieces.all(wants(file, { first: 0, last: pieceBytes })), 'cut short')
  const sizes = (await ofMany(small, 30)).map(async (all) => {
    const { value } = await all.next()
    return value?.buffer.byteLength
  })
  t.equal((await Promise.all(sizes)).at(-1), pieceBytes)
})

t.test(
  'what waits for its turn holds no memory, and is left out when its client goes',
  async (t) => {
    const { pieces, open } = await openPieces(t)
    const files = await ofMany(() => open(hourFile))
    const before = process.memoryUsage().arrayBuffers
    let isAwaited = true
    const all = files.map((file) =>
      pieces.all({
        file,
        range: { first: 0, last: 2 * pieceBytes - 1 },
        isAwaited: () => isAwaited,
      }),
    )
    const taken = process.memoryUsage().arrayBuffers - before
    t.ok(taken < 10 * pieceBytes, `${taken} bytes`)
    isAwaited = false
    const ends = await Promise.allSettled(all)
    const left = ends.filter((end) => end.status === 'rejected')
    t.ok(left.length > 80 && left.every(({ reason }) => reason instanceof ClientGone))
  },
)

t.test('a last piece of one byte is read, too', async (t) => {
  const { pieces, open } = await openPieces(t)
  const lengths: number[] = []
  for await (const piece of await pieces.all(
    wants(await open(hourFile), { first: 7, last: 7 + pieceBytes }),
  ))
    lengths.push(piece.length)
  t.same(lengths, [pieceBytes, 1])
})

t.test('who leaves between two pieces gets no other', async (t) => {
  const { pieces, open } = await openPieces(t)
  let isAwaited = true
  const range = { first: 0, last: 2 * pieceBytes - 1 }
  const all = await pieces.all({ file: await open(hourFile), range, isAwaited: () => isAwaited })
  t.equal((await all.next()).value?.length, pieceBytes)
  isAwaited = false
  await t.rejects(all.next(), { message: 'left while waiting' })
})

t.test('a file is closed when its last piece is read', async (t) => {
  const { pieces, open } = await openPieces(t)
  const file = await open(hourFile)
  const all = await pieces.all(wants(file, { first: 0, last: 2 * pieceBytes - 1 }))
  await all.next()
  t.equal(await file.read(Buffer.alloc(1), 0), 1)
  await all.next()
  await t.rejects(file.read(Buffer.alloc(1), 0), 'read after it was closed')
})

t.test('the grammar of request targets', async (t) => {
  const place = { directory: 'obs/2026/001', name: dayFile }
  const file = `obs/2026/001/${dayFile}`
  const long = 'a'.repeat(64)
  const cases: [string, string, object | undefined][] = [
    ['rinex', `/rinex/data/${file}`, place],
    ['rinex', `/rinex/data/${file}?`, place],
    ['rinex', `/rinex/data/${file}?a=../..&b=%00`, place],
    ['gnss/rinex', `/gnss/rinex/data/${file}`, place],
    ['gnss/rinex', `/rinex/data/${file}`, undefined],
    ['rinex', '/rinex/data/obs/x.gz', { directory: 'obs', name: 'x.gz' }],
    ['rinex', `/rinex/data/nrt/${hourFile}`, { directory: 'nrt', name: hourFile }],
    ['rinex', `/rinex/data/obs/${long}/x`, { directory: `obs/${long}`, name: 'x' }],
    ['rinex', `/rinex/data/obs/${long}a/x`, undefined],
    ['rinex', '/rinex/data/obs/b/c/d/e/f/g/h/x', { directory: 'obs/b/c/d/e/f/g/h', name: 'x' }],
    ['rinex', '/rinex/data/obs/b/c/d/e/f/g/h/i/x', undefined],
    ['rinex', `/rinex/data/obs/${'x'.repeat(255)}`, { directory: 'obs', name: 'x'.repeat(255) }],
    ['rinex', `/rinex/data/obs/${'x'.repeat(256)}`, undefined],
    ['p'.repeat(1000), `/${'p'.repeat(1000)}/data/${file}`, place],
    ['a.b', `/a.b/data/${file}`, place],
    ['a.b', `/axb/data/${file}`, undefined],
    ['rinex', '/rinex/data/x', undefined],
    ['rinex', '/rinex/data/', undefined],
    ['rinex', '/rinex/data/other/x', undefined],
    ['rinex', '/rinex/data/obs/-a/x', undefined],
    ['rinex', '/rinex/data/obs/a-b.c_d/x', { directory: 'obs/a-b.c_d', name: 'x' }],
    ['rinex', '/rinex/data/obs/a-b', undefined],
  ]
  for (const [prefix, target, expected] of cases) {
    t.same(parseDataTarget(target, prefix), expected, target.slice(0, 60))
  }
})

t.test('request targets of directories', async (t) => {
  const long = 'a'.repeat(64)
  const cases: [string, string, string | undefined][] = [
    ['rinex', '/rinex/data/', ''],
    ['rinex', '/rinex/data/?x', ''],
    ['gnss/rinex', '/gnss/rinex/data/', ''],
    ['gnss/rinex', '/rinex/data/', undefined],
    ['rinex', '/rinex/data', undefined],
    ['rinex', '/rinex/data//', undefined],
    ['rinex', '/rinex/data/./', undefined],
    ['rinex', '/rinex/data/../', undefined],
    ['rinex', '/rinex/data/obs/', 'obs'],
    ['rinex', '/rinex/data/obs', 'obs'],
    ['rinex', '/rinex/data/obs//', undefined],
    ['rinex', '/rinex/data/OBS/', undefined],
    ['rinex', '/rinex/data/other/', undefined],
    ['rinex', '/rinex/data/obs/2026/001/?C=N;O=D', 'obs/2026/001'],
    ['rinex', '/rinex/data/obs/2026/001?/', 'obs/2026/001'],
    ['rinex', '/rinex/data/obs/2026/../', undefined],
    ['rinex', '/rinex/data/obs/2026/%30%30%31/', undefined],
    ['rinex', '/rinex/data/obs/2026/.hidden/', undefined],
    ['rinex', '/rinex/data/obs/a-b.c_d/', 'obs/a-b.c_d'],
    ['rinex', '/rinex/data/obs/-a/', undefined],
    ['rinex', `/rinex/data/obs/${long}/`, `obs/${long}`],
    ['rinex', `/rinex/data/obs/${long}a/`, undefined],
    ['rinex', '/rinex/data/obs/b/c/d/e/f/g/h/', 'obs/b/c/d/e/f/g/h'],
    ['rinex', '/rinex/data/obs/b/c/d/e/f/g/h/i/', undefined],
  ]
  for (const [prefix, target, directory] of cases) {
    const hasSlash = (target.split('?')[0] ?? '').endsWith('/')
    const expected = directory === undefined ? undefined : { directory, hasSlash }
    t.same(parseDirectoryTarget(target, prefix), expected, target.slice(0, 60))
  }
})

t.test('a prefix of several parts', async (t) => {
  const service = await openService(t, { settings: { datasetPrefix: 'gnss/rinex' } })
  await service.add(`${day}/${dayFile}`)
  interface Page {
    results: { url: string; download_path: string }[]
  }
  const page = await service.app.inject('/gnss/rinex/api/rinex-file/')
  const [record] = page.json<Page>().results
  for (const url of [record?.url, record?.download_path]) {
    t.match(url, /^https:\/\/archive\.example\/gnss\/rinex\//)
    t.equal((await service.app.inject(new URL(url ?? '').pathname)).statusCode, 200)
  }
  const sent = await service.app.inject('/gnss/rinex/api')
  t.equal(sent.headers.location, 'api/')
})
