/** Checksums that may be of another version than the file on disk. */
import { createHash } from 'node:crypto'
import type { Test } from 'tap'
import t, { exact } from '../tap.ts'
import { checksumOf, day, facts, identity, openCatalogue, sha256 } from './catalogue.ts'
import { newFile } from './change.ts'

const [graz, zimm, onsa] = ['graz0010.26d.gz', 'zimm0010.26d.gz', 'onsa0010.26d.gz']
const linked = { ...identity, ctimeUs: 3000, links: 2 }

async function open(t: Test) {
  const opened = await openCatalogue(t, { stepUs: 1 })
  const { apply, clock, writer, reader } = opened
  clock.us = 5_000_000
  return {
    ...opened,
    /** Adds three files with checksums; their ids are 1 to 3. */
    fill: async () => {
      await apply({ added: [graz, zimm, onsa].map((name) => newFile(name, facts)) })
      await writer.keepChecksums(
        [1, 2, 3].map((id) => checksumOf(id)),
        3,
      )
    },
    fileOf: (name: string) => reader.file({ directory: day, name }),
    boundOf: async (name: string) => (await writer.directory(day))?.files.get(name)?.hashed,
    /** Ids in the queue at a time; by default after all times of the queue. */
    queue: async (nowUs = 1e15) => (await writer.staleChecksums(nowUs)).files.map(({ id }) => id),
    counts: async () => {
      const [counted] = await opened.sql('SELECT files, stale FROM hashing')
      const rows =
        'SELECT count(*) - count(stale_us) AS files, count(stale_us) AS stale FROM checksum'
      t.same([counted], await opened.sql(rows), 'the counts are those of the rows')
      return counted
    },
  }
}

t.test('a checksum is bound to the file that was read', async (t) => {
  const { apply, fill, fileOf, boundOf } = await open(t)
  await fill()
  t.match(await fileOf(graz), { sha256, identity })
  t.same(await boundOf(graz), identity)
  const { head } = await apply({
    attributes: [{ id: 1, identity: linked, boundCtimeUs: identity.ctimeUs }],
  })
  t.equal(head.seq, 3, 'other attributes get no seq')
  t.match(await fileOf(graz), { sha256, identity: linked })
  t.same(await boundOf(graz), linked)
  t.same(await boundOf(zimm), identity)
})

t.test('a stale checksum is not shown, and its file is in the queue of checksums', async (t) => {
  const { writer, reader, apply, fill, fileOf, boundOf, queue, counts } = await open(t)
  await fill()
  await writer.keepChecksums([checksumOf(1, { problem: 'broken' })], 3)
  const [head, record] = [await reader.head(), await fileOf(graz)]
  const versions = [await reader.checksumsVersion(day), (await reader.directory(day))?.version]
  t.same(await queue(), [])
  await apply({ rehash: [1] })
  t.same(await reader.head(), { ...head, detailsSeq: head.detailsSeq + 1 }, 'no seq')
  t.same(await fileOf(graz), { ...record, sha256: undefined, identity: undefined })
  t.equal(await boundOf(graz), undefined)
  const [first] = (await reader.checksums({ directory: day, after: '' }))?.files ?? []
  t.match(first, { name: graz, sha256: undefined, problem: 'broken' })
  t.match(
    await reader.summary(),
    { checksums: { files: 2, broken: { count: 1 } } },
    'it is damaged until it is read again',
  )
  t.not(await reader.checksumsVersion(day), versions[0], 'the version of the checksums changes')
  t.equal(
    (await reader.directory(day))?.version,
    versions[1],
    'the version of the listing does not change',
  )
  t.match(await writer.staleChecksums(1e15), {
    files: exact([{ id: 1, path: `${day}/${graz}`, ...facts }]),
    count: 1,
  })
  t.same(await counts(), { files: 2, stale: 1 })
  t.same((await writer.arrivedUnhashed(0)).files, [], 'it is not an insert')

  const version = await reader.checksumsVersion(day)
  await apply({ rehash: [1] })
  t.equal(await reader.checksumsVersion(day), version, 'marking it a second time changes nothing')
  const other = createHash('sha256').update('y').digest()
  await writer.keepChecksums([checksumOf(1, { sha256: other, inode: 8 })], 3)
  t.match(await fileOf(graz), { sha256: other, identity: { ...identity, inode: 8 } })
  t.same(await queue(), [])
  t.same(await counts(), { files: 3, stale: 0 })
  t.not(await reader.checksumsVersion(day), version)
})

t.test('a stale checksum is deleted with its file, or when the file is modified', async (t) => {
  const { apply, fill, queue, counts } = await open(t)
  await fill()
  await apply({ rehash: [1, 2, 3] })
  t.same(await counts(), { files: 0, stale: 3 })
  await apply({ modified: [{ ...facts, size: 11, id: 1, name: graz }] })
  await apply({ removed: [2] })
  t.same(await queue(), [3])
  t.same(await counts(), { files: 0, stale: 1 })
  await apply({ rehash: [1, 2, 99] })
  t.same(await queue(), [3], 'a file without a checksum is not queued')
})

t.test('the queue of checksums is sorted by the times at which its files are due', async (t) => {
  const { writer, apply, fill, queue } = await open(t)
  await fill()
  await apply({ rehash: [3] })
  await apply({ rehash: [1] })
  t.same(await queue(), [3, 1])
  t.same(await queue(0), [], 'no file before its time')
  await writer.hashAgain([3], 9_000_000)
  t.same(await queue(8_000_000), [1], 'an unreadable file gets a later time')
  t.same(await queue(9_000_000), [1, 3])
  await writer.hashAgain([2], 1)
  t.same(await queue(), [2, 1, 3], 'a file of another version is queued')
  await writer.hashAgain([], 1)
  await writer.hashAgain([99], 1)
  await writer.hashAgain([1, 2], 90_000_000_000_000)
  t.same(
    await queue(9_000_000),
    [3, 1, 2],
    'files with a time far in the future are queued: the clock was set back',
  )
})

t.test('the checksum of a file that had changed just before is stale at once', async (t) => {
  const { writer, fill, fileOf, queue, counts } = await open(t)
  await fill()
  await writer.keepChecksums([checksumOf(1, { rested: false })], 3)
  t.match(await fileOf(graz), { sha256: undefined, identity: undefined })
  t.same(await queue(), [1])
  t.same(await counts(), { files: 2, stale: 1 })
})

t.test('a comparison of attributes that is older than the latest hashing is dropped', async (t) => {
  const { writer, apply, fill, fileOf, queue } = await open(t)
  await fill()
  const attributes = [{ id: 1, identity: linked, boundCtimeUs: identity.ctimeUs }]
  await writer.keepChecksums([checksumOf(1, { ctimeUs: 2500 })], 3)
  await apply({ attributes })
  t.match(await fileOf(graz), { sha256: undefined })
  t.same(await queue(), [1], 'it is queued')
  await apply({ attributes })
  t.same(await queue(), [1])
  t.match(await fileOf(graz), { sha256: undefined }, 'a stale checksum is not bound')
})

t.test('the list of checksums has the problems of broken and incomplete files', async (t) => {
  const { writer, reader, apply } = await open(t)
  const files = [newFile(graz, facts), { ...newFile(zimm, facts), incomplete: true }]
  await apply({ added: [...files, newFile(onsa, facts)] })
  const problems = async () => {
    const { files: entries = [] } = (await reader.checksums({ directory: day, after: '' })) ?? {}
    return Object.fromEntries(entries.map(({ name, problem }) => [name.slice(0, 4), problem]))
  }
  t.same(await problems(), { graz: undefined, onsa: undefined, zimm: 'incomplete' })
  await writer.keepChecksums(
    [checksumOf(1, { problem: 'broken' }), checksumOf(2, { problem: 'incomplete' }), checksumOf(3)],
    3,
  )
  t.same(await problems(), { graz: 'broken', onsa: undefined, zimm: 'incomplete' })
  await apply({ rehash: [1, 2] })
  t.same(await problems(), { graz: 'broken', onsa: undefined, zimm: 'incomplete' })
  await writer.keepChecksums(
    [checksumOf(1), checksumOf(2, { problem: 'broken' }), checksumOf(3, { problem: 'incomplete' })],
    3,
  )
  t.same(
    await problems(),
    { graz: undefined, onsa: 'incomplete', zimm: 'broken' },
    'as found at the last read',
  )
})
