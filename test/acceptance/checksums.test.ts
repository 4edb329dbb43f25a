/**
 * Checksums on the running program: what arrives gets them, whoever is killed meanwhile, and `sha256sum` agrees. With
 * SLOW=1 there are ten thousand files and twenty kills.
 */
import { createHash } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { makeEarlier } from '../catalogue/earlier.ts'
import { testFolder } from '../folder.ts'
import { longestMs, slow, startService, stop, until } from './service.ts'
import type { Service } from './service.ts'
import { hourDirectory, paths, pathIn, put } from './tree.ts'

const count = slow ? 10_000 : 300
const kills = slow ? 20 : 2

t.setTimeout(longestMs)

t.test(`${count} files arrive, the indexer is killed ${kills} times`, async (t) => {
  const folder = testFolder(t)
  put(join(folder, 'archive'), pathIn(hourDirectory(), 0))
  const service = await startService(t, folder)
  await until('the first scan ends', service.ready)
  await until('hashing has begun', () => Promise.resolve(hasBegun(service)))
  const all = paths(hourDirectory(), count, 1)
  for (const path of all) put(service.archive, path)
  await until('all are listed', async () => (await service.count()) === count + 1)
  const sums = () => sumsOf(service)

  let before = 0
  for (let kill = 0; kill < kills; kill++) {
    await until('more have a checksum, or all', async () => {
      const { hashed } = await sums()
      return hashed > before || hashed >= count
    })
    before = (await sums()).hashed
    service.indexer.kill('SIGKILL')
    await once(service.indexer, 'exit')
    const { text } = await sums()
    t.doesNotThrow(() => check(service, text), 'what was kept is right')
    service.startIndexer()
  }
  await until('all that arrived have theirs', async () => (await sums()).hashed >= count)
  const { text } = await sums()
  const output = check(service, text)
  t.equal(output.match(/: OK$/gm)?.length, (await sums()).hashed)

  const [removed = ''] = all
  rmSync(join(service.archive, removed))
  await until('the removal is known', async () => (await service.count()) === count)
  t.notMatch((await sums()).text, nameOf(removed))
})

t.test('old files get theirs where all are wanted', async (t) => {
  const folder = testFolder(t)
  const all = paths('obs/2020/001', 50)
  for (const path of all) put(join(folder, 'archive'), path)
  const odd = join(folder, 'archive', all[0] ?? '')
  writeFileSync(odd, 'no gzip')
  // Old enough to be listed as it is.
  utimesSync(odd, 1e9, 1e9)
  const service = await startService(t, folder, { options: { CHECKSUMS: 'all' } })
  await until('all have theirs', async () => (await sumsOf(service, 'obs/2020/001')).hashed === 50)
  const { text } = await sumsOf(service, 'obs/2020/001')
  t.doesNotThrow(() => check(service, text, 'obs/2020/001'))
  t.match(await service.status(), {
    checksums: { files: 50, waiting: 0, broken: { count: 1, examples: [all[0]] } },
  })
})

t.test('without checksums nothing is read', async (t) => {
  const folder = testFolder(t)
  put(join(folder, 'archive'), pathIn(hourDirectory(), 0))
  const service = await startService(t, folder, { options: { CHECKSUMS: 'none' } })
  await until('the first scan ends', service.ready)
  put(service.archive, pathIn(hourDirectory(), 1))
  await until('it is listed', async () => (await service.count()) === 2)
  t.match(await service.status(), { checksums: { files: 0, waiting: 0 } })
})

t.test('files that are replaced behind their size and time', async (t) => {
  const folder = testFolder(t)
  put(join(folder, 'archive'), pathIn(hourDirectory(), 0))
  const service = await startService(t, folder)
  await until('hashing has begun', () => Promise.resolve(hasBegun(service)))
  const all = paths(hourDirectory(), 8, 1)
  for (const path of all) putOld(service, path)
  const fileOf = (n: number) => join(service.archive, all[n] ?? '')
  const untilRight = () =>
    until('each file has the checksum of what it holds', async () => {
      const { text, hashed } = await sumsOf(service)
      if (hashed < all.length) return false
      check(service, text)
      for (const path of all)
        if ((await digestOf(service, path)) !== onDisk(service, path)) return false
      return true
    })
  await untilRight()
  const [{ seq }, list] = [await service.status(), await service.list()]
  const bound = () => boundOf(service)

  replace(fileOf(0))
  overwrite(fileOf(1))
  linkSync(fileOf(2), `${fileOf(2)}.link`)
  chmodSync(fileOf(3), 0o600)
  for (const path of all) await t.resolves(digestOf(service, path), 'never that of other bytes')
  await untilRight()
  await until('other attributes are stored', () => {
    const stored = new Set(
      bound().map(({ links, mode }) => `${links} ${(mode & 0o777).toString(8)}`),
    )
    return stored.has('2 644') && stored.has('1 600')
  })

  await t.test('while no indexer runs', async () => {
    await stop(service.indexer, 'SIGKILL')
    replace(fileOf(2))
    overwrite(fileOf(3))
    for (const n of [2, 3]) t.equal(await digestOf(service, all[n] ?? ''), undefined)
    service.startIndexer()
    await untilRight()
  })

  await t.test('from a database of an earlier release on', async (t) => {
    for (const child of [service.indexer, service.api]) await stop(child, 'SIGTERM')
    const inodes = new Map(bound().map(({ id, inode }) => [id, inode]))
    makeEarlier(service.database, 8)
    putOld(service, all[4] ?? '', gzipSync('another size'))
    service.startIndexer()
    await service.startApi()
    t.equal((await sumsOf(service)).hashed >= all.length - 1, true, 'the checksums are there')
    await until('all are bound', () => bound().every(({ inode }) => inode !== null))
    await untilRight()
    const others = bound().filter(({ id, inode }) => inodes.get(id) !== inode)
    const expected = list.get(all[4] ?? '')?.id
    t.same(
      others.map(({ id }) => id),
      [expected],
      'to the files that they were bound to',
    )
    replace(fileOf(5))
    await untilRight()
  })

  const now = await service.list()
  const modified = all.filter((path) => now.get(path)?.modified !== list.get(path)?.modified)
  t.same(modified, [all[4]], 'only a file of another size was modified')
  t.equal((await service.status()).seq, seq + 1)
})

/** Puts a file with a time that is long past, by renaming it into place. */
function putOld({ archive }: Service, path: string, content = gzipSync(path, { level: 0 })): void {
  const file = join(archive, path)
  writeFileSync(`${file}.new`, content)
  utimesSync(`${file}.new`, 1e9, 1e9)
  renameSync(`${file}.new`, file)
}

/** Other bytes of the same length, which are no damage that a gzip stream shows before its end. */
function otherOf(file: string): Buffer {
  const content = readFileSync(file)
  content[content.length - 12] = (content[content.length - 12] ?? 0) ^ 255
  return content
}

function overwrite(file: string): void {
  writeFileSync(file, otherOf(file))
  utimesSync(file, 1e9, 1e9)
}

function replace(file: string): void {
  writeFileSync(`${file}.new`, otherOf(file))
  chmodSync(`${file}.new`, statSync(file).mode)
  utimesSync(`${file}.new`, 1e9, 1e9)
  renameSync(`${file}.new`, file)
}

/** What a download tells; `undefined` for nothing. It is never told of other bytes than those that are sent. */
async function digestOf({ url }: Service, path: string): Promise<string | undefined> {
  const target = new URL(`/rinex/data/${path}`, url)
  const answer = await fetch(target, { headers: { connection: 'close' } })
  const body = Buffer.from(await answer.arrayBuffer())
  const digest = /^sha-256=:(.*):$/.exec(answer.headers.get('repr-digest') ?? '')?.[1]
  if (answer.status !== 200 || digest === undefined) return undefined
  if (digest !== base64Of(body)) throw new Error(`${path}: the digest of other bytes`)
  return digest
}

function onDisk({ archive }: Service, path: string): string {
  return base64Of(readFileSync(join(archive, path)))
}

function base64Of(content: Buffer): string {
  return createHash('sha256').update(content).digest('base64')
}

interface BoundRow {
  readonly id: number
  readonly inode: number | null
  readonly links: number
  readonly mode: number
}

/** What checksums are bound to. */
function boundOf({ database }: Service): BoundRow[] {
  const db = new Sqlite(database, { readonly: true })
  try {
    return db.prepare('SELECT id, inode, links, mode FROM checksum').all() as BoundRow[]
  } finally {
    db.close()
  }
}

async function sumsOf({ url }: Service, directory = hourDirectory()) {
  const target = new URL(`/rinex/data/${directory}/SHA256SUMS`, url)
  const answer = await fetch(target, { headers: { connection: 'close' } })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${answer.status} ${text}`)
  const hashed = text.split('\n').filter((line) => /^[0-9a-f]{64} {2}\S+$/.test(line)).length
  return { text, hashed }
}

/** What is there by then counts as old. */
function hasBegun({ database }: Service): boolean {
  const db = new Sqlite(database, { readonly: true })
  try {
    return db.prepare('SELECT seq FROM hashing').pluck().get() !== null
  } finally {
    db.close()
  }
}

function check({ archive }: Service, text: string, directory = hourDirectory()): string {
  const cwd = join(archive, directory)
  return execFileSync('sha256sum', ['--check', '--strict'], {
    ...{ cwd, input: text, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] },
  })
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
