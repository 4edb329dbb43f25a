/** Many files that come at once, with a real tree, a real writer and a real indexer. */
import { linkSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { filesPerRead } from '../../../src/indexer/accept/examination.ts'
import { UnreadFiles } from '../../../src/indexer/state/unread-files.ts'
import { dayDirectory } from '../../acceptance/tree.ts'
import { day, manyNames } from '../../catalogue/catalogue.ts'
import t, { exact } from '../../tap.ts'
import { until } from '../../until.ts'
import { openParts, startOn } from '../parts.ts'

const old = new Date('2020-01-01T00:00:00Z')
const onFailure = (error: unknown): never => {
  throw error
}
const names = manyNames(filesPerRead + 300)

/**
 * Makes a directory of files beside the archive, to be moved into it: links to one file, because
 * thousands of files take seconds.
 */
function fill(folder: string, mtime = old, half?: string): string {
  const aside = join(folder, 'aside')
  mkdirSync(aside)
  const whole = gzipSync('observations')
  const write = (path: string, content: Buffer): void => {
    writeFileSync(path, content)
    utimesSync(path, mtime, mtime)
  }
  const source = join(folder, 'source')
  write(source, whole)
  for (const name of names)
    if (name === half) write(join(aside, name), whole.subarray(0, -8))
    else linkSync(source, join(aside, name))
  return aside
}

t.test('old files that are put back are read to their end, and hold up nothing', async (t) => {
  const { archive, folder, put, indexer, reader } = await startOn(t)
  put('obs/2026/002/graz0020.26d.gz')
  await indexer.catchUp({ scan: false, patient: false })
  indexer.watch()
  const listed = async () => (await reader.page({ limit: 1, offset: 0 })).count
  const half = names[filesPerRead + 100] ?? ''
  renameSync(fill(folder, old, half), join(archive, day))
  const fresh = `${dayDirectory(0)}/zimm0010.26d.gz`
  put(fresh)
  await until('all but the half one are listed', async () => (await listed()) === names.length + 1)
  t.equal(indexer.status().settlingFiles, 1)
  t.match(indexer.settlingFiles(), exact([{ path: `${day}/${half}`, reason: 'no-end-yet' }]))
  t.notOk(await reader.file({ directory: day, name: half }))
  const sweptUs = indexer.status().lastSweepUs ?? 0
  await until('sweeps go on', () => (indexer.status().lastSweepUs ?? 0) > sweptUs)
})

t.test('no slot is late because new files of a first scan are unread', async (t) => {
  const { archive, folder, indexer, reader } = await startOn(t)
  const aside = fill(folder, new Date())
  mkdirSync(join(archive, dirname(day)), { recursive: true })
  renameSync(aside, join(archive, day))
  indexer.watch()
  const listed = async () => (await reader.page({ limit: 1, offset: 0 })).count
  const whenCurrent = until('the catalogue is current', async () => {
    const { asOf } = await reader.head()
    return asOf !== undefined
  }).then(listed)
  await indexer.catchUp({ scan: true, patient: false })
  t.equal(await whenCurrent, names.length)
})

t.test('a process that ends after its scan reads all of them first', async (t) => {
  const { archive, folder, put, indexer, reader } = await startOn(t)
  put('obs/2026/002/graz0020.26d.gz')
  await indexer.catchUp({ scan: false, patient: false })
  renameSync(fill(folder), join(archive, day))
  const { scan } = await indexer.catchUp({ scan: true, patient: false })
  t.equal(scan.added, names.length)
  t.equal((await reader.page({ limit: 1, offset: 0 })).count, names.length + 1)
})

t.test('files that come back as they were removed are not read', async (t) => {
  const parts = await openParts(t)
  const { writer, apply, dirty, tree } = parts
  const [back = '', other = ''] = names
  const version = { size: 10, mtimeUs: 1_000_000 }
  const added = [back, other].map((name) => ({ name, ...version }))
  await apply({ added })
  const known = await writer.directory(day)
  await apply({ removed: Array.from(known?.files.values() ?? [], ({ id }) => id) })
  t.strictSame(
    await writer.removedVersions(day, [back, 'graz0010.26o.gz']),
    new Map([[back, version]]),
  )

  const read: string[] = []
  const inflate: typeof tree.inflate = (paths) => {
    read.push(...paths)
    return Promise.resolve(paths.map(() => undefined))
  }
  const context = { writer, dirty, tree: { ...tree, inflate }, onFailure }
  const unread = new UnreadFiles(context)
  const [same, changed] = [
    { name: back, ...version },
    { name: other, ...version, size: 11 },
  ]
  unread.leave(day, [same, changed], 5)
  t.equal(unread.size, 2)
  await until('the directory is read again', () => dirty.take(Infinity) === day)
  t.strictSame(read, [`${day}/${other}`])
  t.match(unread.result(day, same), { inflated: { complete: true } })
  t.equal(unread.result(day, { ...same, size: 9 }), undefined, 'it has changed since')
  t.strictSame(unread.directory(day), { notThereUs: 5 })
})

t.test('directories are read one after the other, also if some vanish', async (t) => {
  const { writer, dirty, tree } = await openParts(t)
  const unread = new UnreadFiles({ writer, dirty, tree, onFailure })
  const file = { name: 'graz0010.26d.gz', size: 1, mtimeUs: 1 }
  const paths = ['obs/a', 'obs/b', 'obs/c']
  for (const path of paths) unread.leave(path, [file], undefined)
  unread.leave('obs/a', [file], 7)
  t.strictSame(unread.directory('obs/a'), { notThereUs: undefined }, 'the first read counts')
  const empty = unread.empty()
  unread.done('obs/b')
  const again: string[] = []
  await until('each is read again', () => {
    const path = dirty.take(Infinity)
    if (path === undefined) return unread.isEmpty
    again.push(path)
    if (again.filter((each) => each === path).length === 2) unread.done(path)
    else unread.leave(path, [file], undefined)
    return unread.isEmpty
  })
  await empty
  t.strictSame(again, ['obs/a', 'obs/a', 'obs/c', 'obs/c'])
})

t.test('a directory whose change cannot be written holds up no other, and no end', async (t) => {
  const { writer, dirty, tree } = await openParts(t)
  const unread = new UnreadFiles({ writer, dirty, tree, onFailure })
  const file = { name: 'graz0010.26d.gz', size: 1, mtimeUs: 1 }
  unread.leave('obs/a', [file, file], undefined)
  unread.leave('obs/b', [file], undefined)
  const empty = unread.empty()
  const again: string[] = []
  await until('none waits', () => {
    const path = dirty.take(Infinity)
    if (path === undefined) return unread.isEmpty
    again.push(path)
    if (path === 'obs/a') unread.leave(path, [file, file], undefined)
    else unread.done(path)
    return unread.isEmpty
  })
  await empty
  t.strictSame(again, ['obs/a', 'obs/a', 'obs/b'])
})

t.test('a directory that vanishes is forgotten', async (t) => {
  const { archive, folder, put, indexer, reader } = await startOn(t)
  put('obs/2026/002/graz0020.26d.gz')
  await indexer.catchUp({ scan: false, patient: false })
  indexer.watch()
  renameSync(fill(folder), join(archive, day))
  await until('some are listed', async () => (await reader.page({ limit: 1, offset: 0 })).count > 1)
  rmSync(join(archive, day), { recursive: true })
  await until('nothing waits', () => indexer.status().settlingFiles === 0)
})
