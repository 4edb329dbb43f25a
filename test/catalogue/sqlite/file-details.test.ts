/** What is known of files besides their records, and the number that tells when it changes. */
import { join } from 'node:path'
import t from 'tap'
import type { Test } from 'tap'
import type { CatalogueReader } from '../../../src/catalogue/reader.ts'
import { openReader } from '../../../src/catalogue/sqlite/reader.ts'
import { openWriter } from '../../../src/catalogue/sqlite/writer.ts'
import { change, newFile } from '../change.ts'
import { testFolder } from '../../folder.ts'

const day = 'obs/2026/001'
const graz = 'graz0010.26d.gz'
const zimm = 'zimm0010.26d.gz'
const facts = { size: 10, mtimeUs: 1000 }
const identity = { inode: 7, ctimeUs: 2000, links: 1, mode: 0o100644, uid: 1, gid: 1 }

function openCatalogue(t: Test) {
  const database = join(testFolder(t), 'catalogue.db')
  const writer = openWriter({ database, nowUs: () => 1e15 })
  const reader = openReader({ database })
  t.teardown(() => {
    reader.close()
    writer.close()
  })
  return { writer, reader }
}

t.test('a file that is still without its end when it becomes known is incomplete', async (t) => {
  const { writer, reader } = openCatalogue(t)
  await writer.apply([change(day, { added: [newFile(graz)] })])
  const filled = [{ id: 1, name: graz, size: 10, mtimeUs: 1000, incomplete: true }]
  await writer.apply([change(day, { filled })])
  t.match(await reader.record(1, true), { details: { problem: 'incomplete' } })
  t.match(await reader.summary(), { incomplete: { count: 1, examples: [`${day}/${graz}`] } })
})

/** The numbers of the catalogue once something was done. */
const numbersOf = async ({ head }: Pick<CatalogueReader, 'head'>) => {
  const { seq, detailsSeq } = await head()
  return { seq, detailsSeq }
}

t.test('details change their own number, changes of records the other', async (t) => {
  const { writer, reader } = openCatalogue(t)
  const checksum = { id: 1, ...facts, ...identity, sha256: Buffer.alloc(32, 1), problem: undefined }
  const other = { ...facts, ...identity, ctimeUs: 3000 }
  const steps: [string, () => Promise<unknown>, { seq: number; detailsSeq: number }][] = [
    ['arrives', () => apply({ added: [newFile(graz)] }), { seq: 1, detailsSeq: 0 }],
    [
      'has a size',
      () => apply({ filled: [{ id: 1, name: graz, ...facts }] }),
      { seq: 1, detailsSeq: 1 },
    ],
    [
      'is hashed',
      () => writer.keepChecksums([{ ...checksum, rested: true }], 1),
      { seq: 1, detailsSeq: 2 },
    ],
    [
      'has other attributes',
      () =>
        apply({ attributes: [{ id: 1, identity: { ...other, links: 2 }, boundCtimeUs: 2000 }] }),
      { seq: 1, detailsSeq: 2 },
    ],
    ['has other bytes', () => apply({ rehash: [1] }), { seq: 1, detailsSeq: 3 }],
    ['waits to be hashed', () => writer.hashAgain([1], 5), { seq: 1, detailsSeq: 3 }],
    [
      'is hashed again',
      () => writer.keepChecksums([{ ...checksum, rested: true }], 1),
      { seq: 1, detailsSeq: 4 },
    ],
    ['is to be hashed', () => writer.hashAgain([1], 5), { seq: 1, detailsSeq: 5 }],
    [
      'changes',
      () => apply({ modified: [{ id: 1, name: graz, size: 11, mtimeUs: 2000 }] }),
      { seq: 2, detailsSeq: 5 },
    ],
    ['goes', () => apply({ removed: [1] }), { seq: 3, detailsSeq: 5 }],
    ['was only looked at', () => apply({}), { seq: 3, detailsSeq: 5 }],
  ]
  const apply = (parts: Parameters<typeof change>[1]) => writer.apply([change(day, parts)])
  for (const [what, run, expected] of steps) {
    await run()
    t.same(await numbersOf(reader), expected, what)
  }
})

t.test(
  'pages, pieces of the list and changes come with details where they are asked for',
  async (t) => {
    const { writer, reader } = openCatalogue(t)
    const sha256 = Buffer.alloc(32, 1)
    const added = [newFile(graz, facts), { ...newFile(zimm, facts), incomplete: true }]
    await writer.apply([change('obs/2026/002', { added: [...added, newFile('onsa0010.26d.gz')] })])
    const checksum = {
      id: 1,
      ...facts,
      ...identity,
      sha256,
      problem: 'broken' as const,
      rested: true,
    }
    await writer.keepChecksums([checksum], 3)
    const expected = [
      { size: undefined, mtimeUs: undefined, sha256: undefined, problem: 'misplaced' },
      { ...facts, sha256: undefined, problem: 'incomplete' },
      { ...facts, sha256, problem: 'broken' },
    ]
    const query = { limit: 20, details: true }
    const ids = [3, 2, 1]
    const one = await Promise.all(ids.map(async (id) => (await reader.record(id, true))?.details))
    const { records: page } = await reader.page({ ...query, offset: 0 })
    const { records: filtered } = await reader.page({
      ...query,
      offset: 0,
      filter: { versions: ['r2'] },
    })
    const { records: chunk } = await reader.records(query)
    const { records: some } = await reader.records({
      ...query,
      filter: { stations: ['GRAZ', 'ZIMM', 'ONSA'] },
    })
    const { changes } = await reader.changes({ ...query, since: 0, filters: {} })
    const fed = changes.map(({ record }) => record).sort((a, b) => b.id - a.id)
    t.same(one, expected)
    for (const found of [page, filtered, chunk, some, fed])
      t.same(
        found.map(({ details }) => details),
        [...found].map(({ id }) => expected[3 - id]),
      )
    const { records: bare } = await reader.page({ limit: 20, offset: 0 })
    t.notOk(bare.some((record) => 'details' in record))
    await writer.apply([change('obs/2026/002', { removed: [1] })])
    const removed = await reader.changes({ ...query, since: 3, filters: {} })
    const gone = { ...facts, sha256: undefined, problem: undefined }
    t.match(removed.changes, [{ change: 'removed', record: { details: gone } }])
  },
)
