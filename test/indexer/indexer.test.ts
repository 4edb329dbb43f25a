import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import pino from 'pino'
import t, { exact } from '../tap.ts'
import type { Test } from 'tap'
import { openReader } from '../../src/catalogue/sqlite/reader.ts'
import { openWriter } from '../../src/catalogue/sqlite/writer.ts'
import { createClock } from '../../src/runtime/clock.ts'
import { startIndexer } from '../../src/indexer/indexer.ts'
import { startTreeReader } from '../../src/indexer/tree/tree-reader.ts'
import { dayDirectory, pathIn } from '../acceptance/tree.ts'
import { testFolder } from '../folder.ts'
import { until } from './until.ts'

const logger = pino({ level: 'silent' })

/** A running indexer on an archive of its own. */
async function startOn(t: Test, folder: string, other: { keepRemovalsMs?: number } = {}) {
  const archive = join(folder, 'archive')
  const database = join(folder, 'catalogue.db')
  const nowUs = createClock()
  const writer = openWriter({ database, nowUs })
  const tree = startTreeReader({ archive, linkedDirectories: [] })
  const times = {
    sweepIntervalMs: 20,
    fullReadMs: 86_400_000,
    keepRemovalsMs: 86_400_000,
    backupIntervalMs: 0,
  }
  const window = { obsDays: 14, nrtDays: 3 }
  // The test's folder is removed before its teardown: the database then vanishes in use.
  const onFailure = () => undefined
  const parts = { writer, tree, archive, logger, nowUs, window, version: 'test', onFailure }
  const indexer = await startIndexer({ ...parts, ...times, ...other })
  const reader = openReader({ database })
  let open = true
  const close = async () => {
    if (!open) return
    open = false
    await indexer.close()
    reader.close()
    writer.close()
  }
  t.teardown(close)
  const paths = async () => {
    const { records } = await reader.page({ limit: 100_000, offset: 0 })
    return records.map(({ directory, name }) => `${directory}/${name}`).sort()
  }
  return { archive, indexer, reader, paths, close }
}

function put(archive: string, path: string, content = 'x'): void {
  mkdirSync(join(archive, dirname(path)), { recursive: true })
  writeFileSync(join(archive, path), path.endsWith('.gz') ? gzipSync(content) : content)
}

t.test('the first scan catalogues the tree, the oldest date first', async (t) => {
  const folder = testFolder(t)
  const archive = join(folder, 'archive')
  const paths = [
    'obs/1998/003/gode0030.98m.gz',
    'obs/2025/365/zimm3650.25d.gz',
    'obs/2026/001/graz0010.26d.gz',
    'nrt/2026/001/05/graz001f.26d.gz',
    'nrt/2026/002/00/graz002a.26d.gz',
    'obs/2026/003/graz0030.26d.gz',
  ]
  for (const path of paths) put(archive, path)
  put(archive, 'obs/2026/001/graz0010.26d.Z')
  put(archive, 'nrt/readme.txt')
  const { indexer, reader, paths: listed } = await startOn(t, folder)
  t.match(await indexer.catchUp({ scan: false, patient: false }), {
    now: true,
    scan: { files: 8, added: 6, removed: 0 },
  })
  t.same(await listed(), paths.toSorted())
  const { records } = await reader.page({ limit: 20, offset: 0 })
  t.same(
    records.map(({ directory, name }) => `${directory}/${name}`).reverse(),
    paths,
    'ids follow time',
  )
  t.match(await reader.summary(), { rejected: exact([{ reason: 'not-gz', count: 2 }]) })
  t.match(indexer.status(), { state: 'watching', lastScan: { added: 6 } })
})

t.test('scanning an unchanged tree again changes nothing', async (t) => {
  const folder = testFolder(t)
  for (const path of ['nrt/2026/001/05/graz001f.26d.gz', 'obs/2026/001/graz0010.26d.gz'])
    put(join(folder, 'archive'), path)
  const before = await startOn(t, folder)
  await before.indexer.catchUp({ scan: true, patient: false })
  /** The head and the list; each scan has a heartbeat of its own. */
  const shownBy = async (reader: typeof before.reader) => {
    const { heartbeat, ...head } = await reader.head()
    const { records, count } = await reader.page({ limit: 20, offset: 0 })
    return { hasHeartbeat: heartbeat !== undefined, head, records, count }
  }
  const shown = await shownBy(before.reader)
  t.match(await before.indexer.catchUp({ scan: true, patient: false }), {
    scan: { added: 0, modified: 0, removed: 0 },
  })
  await before.close()
  const after = await startOn(t, folder)
  await after.indexer.catchUp({ scan: true, patient: false })
  t.strictSame(await shownBy(after.reader), shown)
})

t.test('changes in an indexed tree are catalogued', async (t) => {
  const folder = testFolder(t)
  const name = 'graz0010.26d.gz'
  put(join(folder, 'archive'), `obs/2026/001/${name}`)
  const { archive, indexer, reader, paths } = await startOn(t, folder)
  await indexer.catchUp({ scan: false, patient: false })
  indexer.watch()
  const { records } = await reader.page({ limit: 1, offset: 0 })
  const id = records[0]?.id ?? 0

  put(archive, 'nrt/2026/001/00/deeper/graz001a.26d.gz')
  await until(t, 'a new file in new directories', async () => (await paths()).length === 2)

  put(archive, 'aside.gz', 'another version')
  const { size } = statSync(join(archive, 'aside.gz'))
  renameSync(join(archive, 'aside.gz'), join(archive, 'obs/2026/001', name))
  await until(t, 'a file replaced by another', async () => {
    const record = await reader.record({ id })
    return record !== undefined && record.modifiedUs > record.createdUs && record.size === size
  })

  rmSync(join(archive, 'obs/2026/001', name))
  put(archive, 'obs/2026/002/zimm0020.26d.gz')
  await until(t, 'a file that vanished', async () => (await reader.record({ id })) === undefined)

  rmSync(join(archive, 'nrt/2026'), { recursive: true })
  put(archive, 'nrt/2027/001/00/graz001a.27d.gz')
  await until(t, 'directories that vanished', async () => {
    const listed = await paths()
    return listed.join() === 'nrt/2027/001/00/graz001a.27d.gz,obs/2026/002/zimm0020.26d.gz'
  })
})

t.test('changes made while no indexer ran are found at its start', async (t) => {
  const folder = testFolder(t)
  for (const path of ['obs/2026/001/graz0010.26d.gz', 'obs/2026/002/graz0020.26d.gz'])
    put(join(folder, 'archive'), path)
  const before = await startOn(t, folder)
  await before.indexer.catchUp({ scan: false, patient: false })
  await before.close()
  rmSync(join(folder, 'archive/obs/2026/001'), { recursive: true })
  put(join(folder, 'archive'), 'obs/2026/003/graz0030.26d.gz')
  const after = await startOn(t, folder)
  await after.indexer.catchUp({ scan: false, patient: false })
  await until(t, 'the catalogue agrees with the tree', async () => {
    const listed = await after.paths()
    return listed.join() === 'obs/2026/002/graz0020.26d.gz,obs/2026/003/graz0030.26d.gz'
  })
})

t.test('a file that came while no indexer ran was not seen arriving', async (t) => {
  const folder = testFolder(t)
  const [old, came, seen] = [2, 1, 0].map((daysAgo) => pathIn(dayDirectory(daysAgo), 0))
  put(join(folder, 'archive'), old ?? '')
  const before = await startOn(t, folder)
  await before.indexer.catchUp({ scan: false, patient: false })
  await before.close()
  put(join(folder, 'archive'), came ?? '')
  const { archive, indexer, reader, paths } = await startOn(t, folder)
  indexer.watch()
  // The watches begin before the indexer has caught up.
  await until(t, 'directories are watched', () => indexer.status().watching.directories > 0)
  await until(t, 'a watch has read the file', async () => (await paths()).length === 2)
  await indexer.catchUp({ scan: false, patient: false })
  put(archive, seen ?? '')
  await until(t, 'a further file is listed', async () => (await paths()).length === 3)
  const today = Math.floor(Date.now() / 86_400_000)
  const query = { code: 'A00000AUT', fileType: 'o', period: '01D', from: 0, to: today } as const
  const { arrivals = [] } = (await reader.seriesArrivals({ ...query, now: today })) ?? {}
  t.strictSame(arrivals, [[today, 0]])
})

t.test('removals older than keepRemovalsMs are purged', async (t) => {
  const folder = testFolder(t)
  put(join(folder, 'archive'), 'obs/2026/001/graz0010.26d.gz')
  put(join(folder, 'archive'), 'obs/2026/001/zimm0010.26d.gz')
  const { archive, indexer, reader } = await startOn(t, folder, { keepRemovalsMs: 0 })
  await indexer.catchUp({ scan: true, patient: false })
  rmSync(join(archive, 'obs/2026/001/graz0010.26d.gz'))
  await indexer.catchUp({ scan: true, patient: false })
  indexer.watch()
  await until(t, 'the removal is purged', async () => {
    const { purgedSeq } = await reader.changes({ since: 0, limit: 1, filters: {} })
    return purgedSeq === 3
  })
})
