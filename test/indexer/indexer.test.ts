import { renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { dayDirectory, pathIn } from '../acceptance/tree.ts'
import t, { exact } from '../tap.ts'
import { until } from '../until.ts'
import { openParts, startOn } from './parts.ts'

/** A running indexer on an archive with these files, or on that of a process that has ended. */
async function start(t: Test, found: readonly string[] | string, keepRemovalsMs = 86_400_000) {
  const parts = await openParts(t, ...(typeof found === 'string' ? [found] : []))
  if (typeof found !== 'string') for (const path of found) parts.put(path)
  const opened = await startOn(t, parts, { keepRemovalsMs })
  const { reader, close } = opened
  const paths = async () => {
    const { records } = await reader.page({ limit: 100_000, offset: 0 })
    return records.map(({ directory, name }) => `${directory}/${name}`).sort()
  }
  /** Ends the process. */
  const end = async () => {
    await close()
    await parts.close()
  }
  return { ...opened, paths, end }
}

t.test('the first scan catalogues the tree, the oldest date first', async (t) => {
  const paths = [
    'obs/1998/003/gode0030.98m.gz',
    'obs/2025/365/zimm3650.25d.gz',
    'obs/2026/001/graz0010.26d.gz',
    'nrt/2026/001/05/graz001f.26d.gz',
    'nrt/2026/002/00/graz002a.26d.gz',
    'obs/2026/003/graz0030.26d.gz',
  ]
  const others = ['obs/2026/001/graz0010.26d.Z', 'nrt/readme.txt']
  const { indexer, reader, paths: listed } = await start(t, [...paths, ...others])
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
  t.match(await reader.summary(), {
    rejected: exact([
      { reason: 'not-gz', count: 1 },
      { reason: 'suffix', count: 1 },
    ]),
  })
  t.match(indexer.status(), { state: 'watching', lastScan: { added: 6 } })
})

t.test('scanning an unchanged tree again changes nothing', async (t) => {
  const found = ['nrt/2026/001/05/graz001f.26d.gz', 'obs/2026/001/graz0010.26d.gz']
  const before = await start(t, found)
  await before.indexer.catchUp({ scan: true, patient: false })
  /** The head and the list; each scan has a time of its own. */
  const shownBy = async (reader: typeof before.reader) => {
    const { asOf, ...head } = await reader.head()
    const { records, count } = await reader.page({ limit: 20, offset: 0 })
    return { hasAsOf: asOf !== undefined, head, records, count }
  }
  const shown = await shownBy(before.reader)
  t.match(await before.indexer.catchUp({ scan: true, patient: false }), {
    scan: { added: 0, modified: 0, removed: 0 },
  })
  await before.end()
  const after = await start(t, before.folder)
  await after.indexer.catchUp({ scan: true, patient: false })
  t.strictSame(await shownBy(after.reader), shown)
})

t.test('changes in an indexed tree are catalogued', async (t) => {
  const name = 'graz0010.26d.gz'
  const { archive, indexer, put, reader, paths } = await start(t, [`obs/2026/001/${name}`])
  await indexer.catchUp({ scan: false, patient: false })
  indexer.watch()
  const { records } = await reader.page({ limit: 1, offset: 0 })
  const id = records[0]?.id ?? 0

  put('nrt/2026/001/00/deeper/graz001a.26d.gz')
  await until('a new file in new directories', async () => (await paths()).length === 2)

  const aside = put('aside.gz', gzipSync('another version'))
  const { size } = statSync(aside)
  renameSync(aside, join(archive, 'obs/2026/001', name))
  await until('a file replaced by another', async () => {
    const record = await reader.record({ id })
    return record !== undefined && record.modifiedUs > record.createdUs && record.size === size
  })

  rmSync(join(archive, 'obs/2026/001', name))
  put('obs/2026/002/zimm0020.26d.gz')
  await until('a file that vanished', async () => (await reader.record({ id })) === undefined)

  rmSync(join(archive, 'nrt/2026'), { recursive: true })
  put('nrt/2027/001/00/graz001a.27d.gz')
  await until('directories that vanished', async () => {
    const listed = await paths()
    return listed.join() === 'nrt/2027/001/00/graz001a.27d.gz,obs/2026/002/zimm0020.26d.gz'
  })
})

t.test('changes made while no indexer ran are found at its start', async (t) => {
  const found = ['obs/2026/001/graz0010.26d.gz', 'obs/2026/002/graz0020.26d.gz']
  const before = await start(t, found)
  await before.indexer.catchUp({ scan: false, patient: false })
  await before.end()
  rmSync(join(before.archive, 'obs/2026/001'), { recursive: true })
  before.put('obs/2026/003/graz0030.26d.gz')
  const after = await start(t, before.folder)
  await after.indexer.catchUp({ scan: false, patient: false })
  await until('the catalogue agrees with the tree', async () => {
    const listed = await after.paths()
    return listed.join() === 'obs/2026/002/graz0020.26d.gz,obs/2026/003/graz0030.26d.gz'
  })
})

t.test('a file that came while the indexer restarted was seen arriving', async (t) => {
  const [old = '', came = '', seen = ''] = [2, 1, 0].map((daysAgo) =>
    pathIn(dayDirectory(daysAgo), 0),
  )
  const before = await start(t, [old])
  await before.indexer.catchUp({ scan: false, patient: false })
  await before.end()
  before.put(came)
  const { indexer, put, reader, paths } = await start(t, before.folder)
  indexer.watch()
  // The watches begin before the indexer has caught up.
  await until('directories are watched', () => indexer.status().watching.directories > 0)
  await until('a watch has read the file', async () => (await paths()).length === 2)
  await indexer.catchUp({ scan: false, patient: false })
  put(seen)
  await until('a further file is listed', async () => (await paths()).length === 3)
  const today = Math.floor(Date.now() / 86_400_000)
  const query = { code: 'A00000AUT', fileType: 'o', period: '01D', from: 0, to: today } as const
  const { arrivals = [] } = (await reader.seriesArrivals({ ...query, now: today })) ?? {}
  t.strictSame(
    arrivals.map(([slot]) => slot),
    [today - 1, today],
  )
})

t.test('names that other rules rejected are looked at again', async (t) => {
  const path = 'obs/2026/001/graz0010.26d.gz'
  const before = await start(t, [path, 'obs/2026/001/notes.txt'])
  await before.indexer.catchUp({ scan: false, patient: false })
  const sure = async () => (await before.writer.directory('obs/2026/001'))?.stamp
  before.indexer.watch()
  await until('its stamp is sure', async () => (await sure()) !== undefined)
  // As if the rules had rejected the name too.
  const rejections = [{ reason: 'bad-type', count: 1, names: ['graz0010.26d.gz'] }]
  await before.apply({ removed: [1], rejections, stamp: await sure() }, 'obs/2026/001')
  await before.sql('UPDATE catalogue SET name_rules = 0')
  await before.end()
  const after = await start(t, before.folder)
  await after.indexer.catchUp({ scan: false, patient: false })
  t.same(await after.paths(), [path])
})

t.test('removals older than keepRemovalsMs are purged', async (t) => {
  const found = ['obs/2026/001/graz0010.26d.gz', 'obs/2026/001/zimm0010.26d.gz']
  const { archive, indexer, reader } = await start(t, found, 0)
  await indexer.catchUp({ scan: true, patient: false })
  rmSync(join(archive, 'obs/2026/001/graz0010.26d.gz'))
  await indexer.catchUp({ scan: true, patient: false })
  indexer.watch()
  await until('the removal is purged', async () => {
    const { purgedSeq } = await reader.changes({ since: 0, limit: 1, filters: {} })
    return purgedSeq === 3
  })
})
