/** Directory listings of the catalogue. */
import type { Test } from 'tap'
import type { Entries, EntriesQuery } from '../../src/catalogue/questions/directories.ts'
import type { CatalogueReader } from '../../src/catalogue/questions/reader.ts'
import { testFolder } from '../folder.ts'
import t from '../tap.ts'
import { openCatalogue } from './catalogue.ts'
import { newFile } from './change.ts'

const name = 'graz0010.26d.gz'
const startUs = 1_769_058_367_000_000

async function open(t: Test, folder = testFolder(t)) {
  const opened = await openCatalogue(t, { folder })
  const { apply, clock, reader } = opened
  clock.us = startUs
  return {
    ...opened,
    setClock: (to: number) => (clock.us = to),
    add: (directory: string, ...names: string[]) =>
      apply({ added: names.map((each) => newFile(each)) }, directory),
    remove: async (directory: string, file: string) => {
      const record = await reader.file({ directory, name: file })
      await apply({ removed: [record?.id ?? 0] }, directory)
    },
  }
}

/** Reads all entries of a listing, page by page. */
async function readAll<T>(
  read: (query: EntriesQuery) => Promise<Entries<T>>,
  path: string,
  limit: number,
): Promise<T[]> {
  const all: T[] = []
  for (let after: string | undefined = ''; after !== undefined;) {
    const { entries, next }: Entries<T> = await read({ path, after, limit })
    all.push(...entries)
    after = next
  }
  return all
}

async function namesBelow(reader: CatalogueReader, path: string, limit = 100): Promise<string[]> {
  const all = await readAll((query) => reader.subdirectories(query), path, limit)
  return all.map((each) => each.name).sort()
}

t.test(
  'direct subdirectories are listed, also when only deeper directories have files',
  async (t) => {
    const { reader, add } = await open(t)
    const directories = [
      ...['obs/a', 'obs/a-b', 'obs/a.b', 'obs/a/b', 'obs/a/b/c', 'obs/a0', 'obs/a_', 'obs/aa/b'],
      ...['obs/b-c/d', 'obs/b/c', 'obs/b/d', 'obs/b.c', 'obs/Z/z', 'nrt/x'],
    ]
    for (const directory of directories) await add(directory, name)
    const below = ['Z', 'a', 'a-b', 'a.b', 'a0', 'a_', 'aa', 'b', 'b-c', 'b.c']
    for (const limit of [1, 2, 3, 100]) {
      t.same(await namesBelow(reader, 'obs', limit), below, `${limit} at a time`)
      t.same(await namesBelow(reader, '', limit), ['nrt', 'obs'])
      t.same(await namesBelow(reader, 'obs/a', limit), ['b'])
      t.same(await namesBelow(reader, 'obs/b', limit), ['c', 'd'])
      t.same(await namesBelow(reader, 'obs/a0', limit), [])
      t.same(await namesBelow(reader, 'obs/none', limit), [])
    }
  },
)

t.test(
  'the files of a directory are listed by name, without those of other directories',
  async (t) => {
    const { reader, add } = await open(t)
    const names = ['wtzr0010.26d.gz', name]
    await add('obs/2026/001', ...names)
    await add('obs/2026/001/deeper', 'zimm0010.26d.gz')
    for (const limit of [1, 2, 3]) {
      const files = await readAll((query) => reader.filesIn(query), 'obs/2026/001', limit)
      t.same(
        files.map((file) => file.name),
        names.toSorted(),
        `${limit} at a time`,
      )
    }
    t.same(await readAll((query) => reader.filesIn(query), 'obs/2026', 10), [])
    t.same(await readAll((query) => reader.filesIn(query), 'obs/2027', 10), [])
  },
)

t.test('a directory exists as long as it is on disk or has files', async (t) => {
  const { reader, apply, add, remove } = await open(t)
  const exists = async (path: string) => (await reader.directory(path)) !== undefined
  t.ok(await exists(''))
  t.notOk(await exists('obs'))
  await add('obs/2026/001', name)
  for (const path of ['obs', 'obs/2026', 'obs/2026/001']) t.ok(await exists(path), path)
  for (const path of ['obs/202', 'obs/2026/00', 'nrt', 'o']) t.notOk(await exists(path), path)
  await remove('obs/2026/001', name)
  t.ok(await exists('obs/2026/001'), 'empty')
  t.same(await namesBelow(reader, 'obs'), [])
  await apply({ gone: true }, 'obs/2026/001')
  t.notOk(await exists('obs/2026/001'), 'gone')
})

t.test('a change sets changedUs of all parent directories, which only grows', async (t) => {
  const { reader, apply, setClock, add, remove } = await open(t)
  const directories = ['obs', 'obs/2026', 'obs/2026/001', 'obs/2026/002']
  for (const path of directories) await apply({}, path)
  const times = async () =>
    Promise.all(directories.map(async (path) => (await reader.directory(path))?.changedUs))
  t.same(await times(), [undefined, undefined, undefined, undefined])
  await add('obs/2026/001', name)
  t.same(await times(), [startUs, startUs, startUs, undefined])
  setClock(startUs + 10)
  await add('obs/2026/002', name)
  t.same(await times(), [startUs + 10, startUs + 10, startUs, startUs + 10])
  setClock(startUs - 1_000_000)
  await remove('obs/2026/001', name)
  // Clients may already have a Last-Modified of the repeated second.
  const past = startUs + 1_000_000
  t.same(await times(), [past, past, past, startUs + 10])
  const [below] = await readAll((query) => reader.subdirectories(query), 'obs', 10)
  t.same(below, { name: '2026', changedUs: past })
  t.match(await reader.directory(''), { changedUs: past })

  setClock(startUs - 500_000)
  await add('obs/2026/001', name)
  t.same(
    await times(),
    [past + 1, past + 1, past + 1, startUs + 10],
    'later changes add one microsecond',
  )
  setClock(past + 7)
  await add('obs/2026/002', 'zimm0020.26d.gz')
  t.same(
    await times(),
    [past + 7, past + 7, past + 1, past + 7],
    'until the clock has passed that time',
  )
})

t.test(
  'after a future clock was corrected, only the directories that it changed and their parents keep future times',
  async (t) => {
    const { folder, close, apply, setClock, add: addFirst } = await open(t)
    for (const path of ['obs', 'obs/2026', 'obs/2026/001', 'obs/2026/002']) await apply({}, path)
    const aheadUs = startUs + 10 * 365 * 86_400_000_000
    setClock(aheadUs)
    await addFirst('obs/2026/001', name)
    await close()
    const { reader, add } = await open(t, folder)
    await add('obs/2026/002', 'zimm0020.26d.gz')
    t.match(await reader.directory('obs/2026'), { changedUs: aheadUs + 1_000_000 })
    t.match(await reader.directory('obs/2026/001'), { changedUs: aheadUs })
    t.match(await reader.directory('obs/2026/002'), { changedUs: startUs })
  },
)

t.test(
  'the version of the root changes with each area, even after the clock was set back',
  async (t) => {
    const { reader, setClock, add } = await open(t)
    for (const area of ['obs', 'nrt']) await add(area, name)
    const before = await reader.directory('')
    setClock(startUs - 1_000_000)
    await add('nrt', 'wtzr0010.26d.gz')
    const after = await reader.directory('')
    t.not(after?.version, before?.version)
  },
)
