/** Trees of other layouts than the seed's, and the change from one to another. */
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { startTreeReader } from '../../src/indexer/read/tree-reader.ts'
import type { LayoutLists } from '../../src/parse/layout.ts'
import { createLayout, defaultLists } from '../../src/parse/layout.ts'
import { manyNames } from '../catalogue/catalogue.ts'
import t, { exact } from '../tap.ts'
import { until } from '../until.ts'
import { openParts, startOn } from './parts.ts'

const day = 86_400_000

/** An indexer of a layout on an archive with these files, or on that of an earlier one. */
async function start(t: Test, lists: Partial<LayoutLists>, found: readonly string[] | string) {
  const parts = await openParts(t, ...(typeof found === 'string' ? [found] : []))
  const layout = createLayout({ ...defaultLists, ...lists })
  const tree = startTreeReader({ archive: parts.archive, linkedDirectories: [] }, layout.lists)
  t.teardown(() => tree.close())
  if (typeof found !== 'string') for (const path of found) parts.put(path)
  const opened = await startOn(t, parts, { layout, tree })
  const { reader, indexer } = opened
  const records = async (areas?: readonly string[]) => {
    const filter = areas === undefined ? {} : { areas }
    const page = await reader.page({ limit: 100_000, offset: 0, filter })
    return page.records.map(({ id, directory, name }) => ({
      id,
      path: directory === '' ? name : `${directory}/${name}`,
    }))
  }
  const paths = async (areas?: readonly string[]) =>
    (await records(areas)).map(({ path }) => path).sort()
  const catchUp = async () => {
    const caughtUp = await indexer.catchUp({ scan: false, patient: false })
    while ((await parts.writer.buildIndexes()).left > 0);
    return caughtUp
  }
  const end = async () => {
    await opened.close()
    await parts.close()
  }
  return { ...opened, records, paths, catchUp, end }
}

/** A file as old as the archive, whose content nobody looks at. */
function putOld(file: string, content: string | Buffer = 'x') {
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, content)
  utimesSync(file, new Date(Date.now() - 3 * day), new Date(Date.now() - 3 * day))
}

t.test('all of the archive is one area, with files in its root', async (t) => {
  const files = ['graz0010.26d.gz', '2026/001/zimm0010.26d.gz', 'a/b/c/onsa0010.26d.gz']
  const parts = await start(t, { areas: ['.'] }, [...files, '.snapshot/graz0020.26d.gz'])
  const { indexer, reader, archive, put, paths, catchUp } = parts
  t.match(await catchUp(), { now: true, scan: { directories: 6, added: 3 } })
  t.same(await paths(), files.toSorted())
  t.same(await paths(['archive']), files.toSorted())
  t.match(await reader.summary(), {
    areas: { archive: { files: 3, directories: 6 } },
    rejected: exact([{ reason: 'bad-directory-name', count: 1 }]),
  })
  indexer.watch()
  await until('the root and what is new in it are watched', () => {
    return indexer.status().watching.directories > 0
  })
  put('graz0020.26d.gz')
  put('new/place/graz0030.26d.gz')
  await until('both arrive', async () => (await paths()).length === 5)
  t.match(await reader.directory(''), { changedUs: Number })
  t.same(
    (await reader.subdirectories({ path: '', after: '', limit: 9 })).entries.map(
      ({ name }) => name,
    ),
    ['2026', 'a', 'new'],
  )
  const { entries } = await reader.filesIn({ path: '', after: '', limit: 9 })
  t.same(
    entries.map(({ name }) => name),
    ['graz0010.26d.gz', 'graz0020.26d.gz'],
  )
  rmSync(join(archive, 'graz0010.26d.gz'))
  await until('it is removed', async () => !(await paths()).includes('graz0010.26d.gz'))
  renameSync(archive, `${archive}-away`)
  mkdirSync(archive)
  await until('an empty mount point is a lost area', () => indexer.status().state === 'degraded')
  t.match(indexer.status().problems, exact([{ text: /^the archive is lost \(.*records are kept/ }]))
  t.equal((await paths()).length, 4, 'nothing is removed')
  rmSync(archive, { recursive: true })
  renameSync(`${archive}-away`, archive)
  await until('it is back', () => indexer.status().state === 'watching')
  t.equal(await indexer.register('graz0020.26d.gz').then(({ outcome }) => outcome), 'known')
})

t.test('an area with files is there when its last directory goes', async (t) => {
  const files = ['graz0010.26d.gz', 'old/graz0020.26d.gz']
  const { indexer, archive, put, paths, catchUp } = await start(t, { areas: ['.'] }, files)
  await catchUp()
  indexer.watch()
  rmSync(join(archive, 'old'), { recursive: true })
  put('graz0030.26d.gz')
  const left = ['graz0010.26d.gz', 'graz0030.26d.gz']
  await until('the archive is followed', async () => (await paths()).join() === left.join())
  t.equal(indexer.status().state, 'watching')
  for (const path of left) rmSync(join(archive, path))
  await until('without any file it is lost', () => indexer.status().state === 'degraded')
  t.same(await paths(), left, 'nothing is removed')
})

t.test('areas of several segments, and one that is not there', async (t) => {
  const files = ['pub/rinex3/2026/001/zimm0010.26d.gz', 'data/graz0010.26d.gz']
  const others = ['pub/products/onsa0010.26d.gz', 'onsa0010.26d.gz']
  const lists = { areas: ['pub/rinex3', 'data', 'later/on'] }
  const { indexer, reader, put, paths, catchUp } = await start(t, lists, [...files, ...others])
  await catchUp()
  t.same(await paths(), files.toSorted())
  t.same(await paths(['data']), ['data/graz0010.26d.gz'])
  t.match((await reader.summary()).areas, {
    'pub/rinex3': { files: 1, directories: 3 },
    data: { files: 1, directories: 1 },
    'later/on': { files: 0, directories: 0 },
  })
  t.equal(indexer.status().state, 'watching', 'an area that never was is not lost')
  indexer.watch()
  put('later/on/graz0020.26d.gz')
  await until('it comes with its area', async () => (await paths(['later/on'])).length === 1)
  t.match(await indexer.register('pub/products/onsa0010.26d.gz'), {
    outcome: 'refused',
    reason: 'not-in-area',
  })
  t.match(await indexer.metrics(), 'rinex_indexer_listing_latency_seconds_count{area="later/on"}')
})

t.test('files of all suffixes; those of one slot are one delivery', async (t) => {
  const parts = await start(t, { suffixes: ['.gz', '.Z', ''] }, ['obs/2026/001/graz0010.26d.gz'])
  const { indexer, archive, paths, sql, catchUp, reader } = parts
  const at = (name: string): string => join(archive, 'obs/2026/001', name)
  for (const name of ['graz0010.26d.Z', 'graz0010.26d', 'zimm0010.26o']) putOld(at(name))
  for (const name of ['onsa0010.26d.zip', 'readme.txt']) putOld(at(name))
  await catchUp()
  const names = ['graz0010.26d', 'graz0010.26d.Z', 'graz0010.26d.gz', 'zimm0010.26o']
  t.same(
    await paths(),
    names.map((name) => `obs/2026/001/${name}`),
  )
  t.match(await reader.summary(), {
    incomplete: { count: 0 },
    rejected: exact([
      { reason: 'archive', count: 1 },
      { reason: 'unknown-form', count: 1 },
    ]),
  })
  t.same(
    await sql(`SELECT s.code, count(*) AS deliveries FROM delivery d JOIN series r ON r.id = d.series
      JOIN station s ON s.id = r.station GROUP BY s.code ORDER BY s.code`),
    [
      { code: 'GRAZ', deliveries: 1 },
      { code: 'ZIMM', deliveries: 1 },
    ],
  )
  indexer.watch()
  writeFileSync(at('onsa0010.26d.Z'), 'growing')
  await until('it must stand still', () => indexer.settlingFiles().length === 1)
  t.match(indexer.settlingFiles(), exact([{ path: 'obs/2026/001/onsa0010.26d.Z' }]))
  t.equal((await paths()).length, 4)
})

t.test('excluded directories are neither read nor counted', async (t) => {
  const files = ['obs/2026/001/graz0010.26d.gz', 'obs/2026/001/zimm0010.26d.gz']
  const before = await start(t, {}, [...files, 'obs/raw/onsa0010.26d.gz', 'nrt/raw/notes.txt'])
  await before.catchUp()
  t.equal((await before.paths()).length, 3)
  const ids = await before.records()
  await before.end()
  const lists = { exclude: ['raw/', 'zimm*'] }
  const { indexer, reader, writer, records, catchUp, put, paths } = await start(
    t,
    lists,
    before.folder,
  )
  t.match(await catchUp(), { now: true, scan: { removed: 2 } })
  t.same(
    await records(),
    ids.filter(({ path }) => path.includes('graz')),
  )
  t.match(await reader.summary(), { excludedDirectories: 2, rejected: exact([]) })
  t.same(
    (await writer.directories()).map(({ path }) => path).filter((path) => path.includes('raw')),
    [],
  )
  t.match(await indexer.register('obs/raw/onsa0010.26d.gz'), { reason: 'excluded' })
  t.match(await indexer.register('obs/2026/001/zimm0010.26d.gz'), { reason: 'excluded' })
  indexer.watch()
  put('obs/2026/001/raw/a/onsa0010.26d.gz')
  put('obs/2026/001/wtzr0010.26d.gz')
  await until('another one is listed', async () => (await paths()).length === 2)
  t.notOk((await paths()).some((path) => path.includes('raw')))
})

t.test('from two areas to the whole archive, and back: ids stay', async (t) => {
  const seed = ['obs/2026/001/graz0010.26d.gz', 'nrt/2026/001/05/graz001f.26d.gz']
  const before = await start(t, {}, [...seed, 'more/zimm0010.26d.gz'])
  await before.catchUp()
  const ids = await before.records()
  t.equal(ids.length, 2)
  await before.end()
  // A process that ends before it has looked.
  const ended = await start(t, { areas: ['.'] }, before.folder)
  t.equal(ended.indexer.isNewLayout, true)
  await ended.end()
  const whole = await start(t, { areas: ['.'] }, before.folder)
  t.equal(whole.indexer.isNewLayout, false)
  t.match(await whole.catchUp(), { now: true, scan: { added: 1, removed: 0 } })
  t.same(await whole.paths(['archive']), [...seed, 'more/zimm0010.26d.gz'].toSorted())
  const all = await whole.records()
  for (const each of ids)
    t.match(
      all.find(({ path }) => path === each.path),
      each,
    )
  t.match((await whole.reader.summary()).areas, { archive: { files: 3 } })
  await whole.end()
  const back = await start(t, {}, before.folder)
  await back.catchUp()
  t.same(await back.records(), ids)
  t.same(await back.paths(['nrt']), ['nrt/2026/001/05/graz001f.26d.gz'])
  const { areas } = await back.reader.summary()
  t.match(areas, { obs: { files: 1 }, nrt: { files: 1 } })
  t.equal(areas['archive'], undefined, 'no record of the former area is left')
})

t.test('areas of which none is there remove nothing', async (t) => {
  const before = await start(t, {}, ['obs/2026/001/graz0010.26d.gz'])
  await before.catchUp()
  const ids = await before.records()
  await before.end()
  const wrong = await start(t, { areas: ['pub/obs', 'data'] }, before.folder)
  await t.rejects(wrong.catchUp(), {
    code: 'INCOMPLETE_SCAN',
    message: /no readable pub\/obs\/ or/,
  })
  t.same(await wrong.records(), ids)
  await wrong.end()
  const right = await start(t, { areas: ['obs'] }, before.folder)
  t.match(await right.catchUp(), { scan: { added: 0, removed: 0 } })
  t.same(await right.records(), ids)
})

t.test('many records of an area that goes are withheld until they are confirmed', async (t) => {
  const names = manyNames(1100)
  const before = await start(t, {}, [
    'obs/2026/001/graz0010.26d.gz',
    ...names.map((name) => `nrt/2026/001/${name}`),
  ])
  await before.catchUp()
  await before.end()
  const after = await start(t, { areas: ['obs'] }, before.folder)
  const { indexer, catchUp, paths } = after
  await catchUp()
  t.equal((await paths()).length, 1101)
  t.match(indexer.status(), {
    withheldRemovals: 1100,
    problems: exact([{ text: /^1100 removals outside the areas withheld/ }]),
  })
  t.equal(after.tree.waitingMs(), 0)
  indexer.watch()
  await indexer.rescan({ path: undefined, acceptRemovals: true })
  await until('they are confirmed', async () => (await paths()).length === 1)
  t.match(indexer.status(), { withheldRemovals: 0, problems: exact([]) })
})

t.test('a rescan above areas reads those below it', async (t) => {
  const areas = ['pub/daily', 'pub/hourly', 'old']
  const found = areas.map((area) => `${area}/graz0010.26d.gz`)
  const { indexer, archive, catchUp, paths } = await start(t, { areas }, found)
  await catchUp()
  indexer.watch()
  for (const area of areas) putOld(join(archive, area, '2020/zimm0010.26d.gz'), gzipSync('x'))
  t.match(await indexer.rescan({ path: 'pub', acceptRemovals: false }), { place: 'running' })
  await until('it has ended', () => indexer.rescanOutcome(1) !== undefined)
  const [ended] = indexer.status().endedRescans
  t.match(ended, { paths: exact(['pub/daily', 'pub/hourly']), problem: null })
  for (const area of ['pub/daily', 'pub/hourly'])
    t.ok((await paths([area])).includes(`${area}/2020/zimm0010.26d.gz`), area)
})
