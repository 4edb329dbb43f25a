/**
 * Details of files (size, mtime, checksum, problem, arrival), and `detailsSeq`, which grows when
 * they change.
 */
import type { CatalogueReader } from '../../src/catalogue/questions/reader.ts'
import t, { exact } from '../tap.ts'
import { checksumOf, day, facts, identity, md5, openCatalogue, sha256 } from './catalogue.ts'
import { newFile } from './change.ts'

const graz = 'graz0010.26d.gz'
const zimm = 'zimm0010.26d.gz'

t.test('a file that is incomplete is reported as incomplete', async (t) => {
  const { reader, apply } = await openCatalogue(t)
  await apply({ added: [{ ...newFile(graz), incomplete: true }] })
  t.match(await reader.record({ id: 1, details: true }), { details: { problem: 'incomplete' } })
  t.match(await reader.summary(), {
    incomplete: { count: 1, examples: exact([`${day}/${graz}`]) },
  })
})

/** `seq` and `detailsSeq` of the catalogue. */
const sequencesOf = async ({ head }: Pick<CatalogueReader, 'head'>) => {
  const { seq, detailsSeq } = await head()
  return { seq, detailsSeq }
}

t.test('changes of details raise detailsSeq, changes of records raise seq', async (t) => {
  const { writer, reader, apply } = await openCatalogue(t)
  const other = { ...identity, ctimeUs: 3000 }
  const steps: [string, () => Promise<unknown>, { seq: number; detailsSeq: number }][] = [
    ['new file', () => apply({ added: [newFile(graz)] }), { seq: 1, detailsSeq: 0 }],
    ['file hashed', () => writer.keepChecksums([checksumOf(1)], 1), { seq: 1, detailsSeq: 1 }],
    [
      'attributes changed, checksum kept',
      () =>
        apply({ attributes: [{ id: 1, identity: { ...other, links: 2 }, boundCtimeUs: 2000 }] }),
      { seq: 1, detailsSeq: 1 },
    ],
    ['checksum becomes stale', () => apply({ rehash: [1] }), { seq: 1, detailsSeq: 2 }],
    ['hashing postponed', () => writer.hashAgain([1], 5), { seq: 1, detailsSeq: 2 }],
    [
      'file hashed again',
      () => writer.keepChecksums([checksumOf(1)], 1),
      { seq: 1, detailsSeq: 3 },
    ],
    ['hashing requested', () => writer.hashAgain([1], 5), { seq: 1, detailsSeq: 4 }],
    [
      'file modified',
      () => apply({ modified: [{ id: 1, name: graz, size: 11, mtimeUs: 2000 }] }),
      { seq: 2, detailsSeq: 4 },
    ],
    ['file removed', () => apply({ removed: [1] }), { seq: 3, detailsSeq: 4 }],
    ['no change', () => apply({}), { seq: 3, detailsSeq: 4 }],
  ]
  for (const [name, run, expected] of steps) {
    await run()
    t.same(await sequencesOf(reader), expected, name)
  }
})

const noSums = { sha256: undefined, md5: undefined }

t.test('pages, chunks and changes include details only if they are requested', async (t) => {
  const { writer, reader, apply } = await openCatalogue(t)
  const arrivalUs = 1_769_058_300_000_000
  const added = [
    { ...newFile(graz, facts), arrivalUs },
    { ...newFile(zimm, facts), incomplete: true },
  ]
  await apply({ added: [...added, newFile('onsa0010.26d.gz')] }, 'obs/2026/002')
  await writer.keepChecksums([checksumOf(1, { problem: 'broken' })], 3)
  const expected = [
    { ...facts, ...noSums, problem: 'misplaced', arrivalUs: undefined },
    { ...facts, ...noSums, problem: 'incomplete', arrivalUs: undefined },
    { ...facts, sha256, md5, problem: 'broken', arrivalUs },
  ]
  const query = { limit: 20, details: true }
  const ids = [3, 2, 1]
  const one = await Promise.all(
    ids.map(async (id) => (await reader.record({ id, details: true }))?.details),
  )
  const { records: page } = await reader.page({ ...query, offset: 0 })
  const { records: filtered } = await reader.page({
    ...query,
    offset: 0,
    filter: { versions: ['r2'] },
  })
  const { records: chunk } = await reader.records(query)
  const { records: ofStations } = await reader.records({
    ...query,
    filter: { stations: ['GRAZ', 'ZIMM', 'ONSA'] },
  })
  const { changes } = await reader.changes({ ...query, since: 0, filters: {} })
  const fed = changes.map(({ record }) => record).sort((a, b) => b.id - a.id)
  t.same(one, expected)
  for (const found of [page, filtered, chunk, ofStations, fed])
    t.same(
      found.map(({ details }) => details),
      [...found].map(({ id }) => expected[3 - id]),
    )
  const { records: withoutDetails } = await reader.page({ limit: 20, offset: 0 })
  t.notOk(withoutDetails.some((record) => 'details' in record))
  await apply({ removed: [1] }, 'obs/2026/002')
  const removed = await reader.changes({ ...query, since: 3, filters: {} })
  const gone = { ...facts, ...noSums, problem: undefined, arrivalUs: undefined }
  t.match(removed.changes, exact([{ change: 'removed', record: { details: gone } }]))
})
