/** Trees in which something is wrong: it is named in status, and never ends the indexer. */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { startTreeReader } from '../../src/indexer/read/tree-reader.ts'
import { createLayout, defaultLists } from '../../src/parse/layout.ts'
import t, { exact } from '../tap.ts'
import { until } from '../until.ts'
import { openParts, startOn } from './parts.ts'

const files = ['obs/2024/101/graz1010.24d.gz', 'flat/graz1010.24d.gz', 'flat/zimm1010.24d.gz']

/** An indexer that watches an archive with these files. */
async function watch(t: Test, prepare: (archive: string) => void = () => undefined) {
  const parts = await openParts(t)
  const layout = createLayout({ ...defaultLists, areas: ['obs', 'flat'] })
  const { archive } = parts
  const tree = startTreeReader({ archive, linkedDirectories: [] }, layout.lists)
  t.teardown(() => tree.close())
  for (const path of files) parts.put(path)
  prepare(archive)
  const failures: unknown[] = []
  const onFailure = (error: unknown) => failures.push(error)
  const { indexer, reader } = await startOn(t, parts, { layout, tree, onFailure })
  await indexer.catchUp({ scan: true, patient: false })
  while ((await parts.writer.buildIndexes()).left > 0);
  indexer.watch()
  const paths = async () => {
    const { records } = await reader.page({ limit: 100, offset: 0, filter: {} })
    return records.map(({ directory, name }) => `${directory}/${name}`).sort()
  }
  return { ...parts, indexer, reader, paths, failures }
}

/** Puts something else in the place of an area, and leaves the area beside it. */
const replacements: Record<string, [area: string, replace: (path: string) => void]> = {
  'an area that was renamed': ['obs', () => undefined],
  'an area that is a link to its old place': ['obs', (path) => symlinkSync(`${path}-aside`, path)],
  'an area that is a link to itself': ['obs', (path) => symlinkSync(path, path)],
  'an area that is a link to the archive': ['obs', (path) => symlinkSync('.', path)],
  'an area that is a file': ['obs', (path) => writeFileSync(path, '')],
  'an area without its directories': ['obs', (path) => mkdirSync(path)],
  'an area of files alone that was renamed': ['flat', () => undefined],
  'an area without its files': ['flat', (path) => mkdirSync(path)],
}

for (const [what, [area, replace]] of Object.entries(replacements))
  t.test(`${what} is lost until it is back, and nothing is removed`, async (t) => {
    const { indexer, archive, paths, failures } = await watch(t)
    const path = join(archive, area)
    renameSync(path, `${path}-aside`)
    replace(path)
    const words = new RegExp(`^${area}/ .*is lost`)
    await until('it is lost', () => indexer.status().problems.some(({ text }) => words.test(text)))
    t.same(await paths(), files.toSorted())
    rmSync(path, { recursive: true, force: true })
    renameSync(`${path}-aside`, path)
    await until('it is back', () => indexer.status().state === 'watching')
    t.same(await paths(), files.toSorted())
    t.same(failures, [])
  })

/** What is in a directory that holds files too, and the reason with which it is not listed. */
const oddities: Record<string, [reason: string, make: (directory: string) => void]> = {
  'a link to the directory itself': ['symlink', (at) => symlinkSync('.', join(at, 'loop'))],
  'a link to the archive': ['symlink', (at) => symlinkSync('../../..', join(at, 'up'))],
  'a link to nothing': ['symlink', (at) => symlinkSync('nowhere', join(at, 'lost'))],
  'a directory whose name is no text': [
    'bad-directory-name',
    (at) => mkdirSync(Buffer.concat([Buffer.from(`${at}/`), Buffer.from([0xff, 0xfe])])),
  ],
  'a directory with a name of 200 characters': [
    'bad-directory-name',
    (at) => mkdirSync(join(at, 'a'.repeat(200))),
  ],
  'a directory with a line break in its name': [
    'bad-directory-name',
    (at) => mkdirSync(join(at, 'a\nb')),
  ],
  'directories deeper than may be': [
    'too-deep',
    (at) => mkdirSync(join(at, ...Array<string>(40).fill('a')), { recursive: true }),
  ],
}

for (const [what, [reason, make]] of Object.entries(oddities))
  t.test(`${what} is counted, and the files beside it are listed`, async (t) => {
    const { indexer, reader, paths, failures } = await watch(t, (archive) => {
      make(join(archive, 'obs/2024/101'))
    })
    t.same(await paths(), files.toSorted())
    const { rejected } = await reader.summary()
    t.match(rejected, exact([{ reason, count: 1 }]))
    t.equal(indexer.status().state, 'watching')
    t.same(failures, [])
  })
