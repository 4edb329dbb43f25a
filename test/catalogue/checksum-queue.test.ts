import { createHash } from 'node:crypto'
import type { Test } from 'tap'
import type { Checksum } from '../../src/catalogue/updates/checksum-rows.ts'
import t, { exact } from '../tap.ts'
import { checksumOf, day, facts, manyNames, openCatalogue, sha256 } from './catalogue.ts'
import { change, newFile } from './change.ts'

const [graz, zimm] = ['graz0010.26d.gz', 'zimm0010.26d.gz']
/** A catalogue, and the checksums and ids of its files by their names. */
async function open(t: Test) {
  const opened = await openCatalogue(t, { stepUs: 1 })
  const { reader } = opened
  const sumOf = async (name: string) => (await reader.file({ directory: day, name }))?.sha256
  const idOf = async (name: string) => (await reader.file({ directory: day, name }))?.id ?? 0
  const files = async () => (await reader.summary()).checksums.files
  return { ...opened, sumOf, idOf, files }
}

t.test(
  'a checksum is valid for the version that was read, and raises only detailsSeq',
  async (t) => {
    const { writer, reader, apply, sumOf, idOf, files } = await open(t)
    await apply({ added: [newFile(graz, facts), newFile(zimm, facts)] })
    const [head, id] = [await reader.head(), await idOf(graz)]
    await writer.keepChecksums([checksumOf(id)], 0)
    t.same(await sumOf(graz), sha256)
    t.equal(await sumOf(zimm), undefined)
    t.same(await reader.head(), { ...head, detailsSeq: head.detailsSeq + 1 })

    const others = [{ size: 11 }, { mtimeUs: 1001 }]
    for (const other of others) {
      await writer.keepChecksums([checksumOf(await idOf(zimm), other)], 0)
      t.equal(await sumOf(zimm), undefined, 'a checksum of another version is not stored')
    }
    await writer.keepChecksums([checksumOf(99)], 0)
    t.equal(await files(), 1, 'the checksum of a removed file is not stored')
    await writer.keepChecksums([checksumOf(id)], 0)
    t.equal(await files(), 1, 'a checksum that is stored again counts once')
  },
)

t.test('a checksum does not change the version of a listing', async (t) => {
  const { writer, reader, apply, idOf } = await open(t)
  await apply({ added: [newFile(zimm, facts)] })
  const version = async () => (await reader.directory(day))?.version
  const before = await version()
  t.ok(before)
  await writer.keepChecksums([checksumOf(await idOf(zimm))], 0)
  t.equal(await version(), before)
})

t.test(
  'the checksums version of a directory changes when any of its checksums changes',
  async (t) => {
    const { writer, reader, apply, idOf } = await open(t)
    await apply({ added: [newFile(graz, facts), newFile(zimm)] })
    const [id, other] = [await idOf(graz), await idOf(zimm)]
    const seen: unknown[] = [await reader.checksumsVersion(day)]
    const changesVersion = async (name: string, action: () => Promise<unknown>) => {
      await action()
      const version = await reader.checksumsVersion(day)
      t.notOk(seen.includes(version), name)
      seen.push(version)
    }
    await changesVersion('file hashed', () => writer.keepChecksums([checksumOf(id)], 0))
    const again = createHash('sha256').update('y').digest()
    await changesVersion('file hashed again', () =>
      writer.keepChecksums([checksumOf(id, { sha256: again })], 0),
    )
    await changesVersion('hashed, size becomes known', () =>
      writer.keepChecksums([checksumOf(other)], 0),
    )
    await changesVersion('file modified', () =>
      apply({ modified: [{ ...facts, size: 12, id, name: graz }] }),
    )
    await changesVersion('file removed', () => apply({ removed: [other] }))
    await changesVersion('file restored', () => apply({ added: [newFile(zimm, facts)] }))

    await apply({ added: [newFile('graz0020.26d.gz', facts)] }, 'obs/2026/002')
    await writer.keepChecksums([], 7)
    t.equal(await reader.checksumsVersion(day), seen.at(-1), 'other directories do not matter')
    t.equal(await reader.checksumsVersion('obs/2026/003'), undefined)
    await apply({ removed: [id, other], gone: true })
    t.equal(await reader.checksumsVersion(day), undefined)
  },
)

t.test('a new, changed or stale file awaits its checksum, an older file does not', async (t) => {
  const { writer, reader, apply, idOf } = await open(t)
  await apply({ added: [newFile(graz, facts)] })
  const id = await idOf(graz)
  t.equal(await reader.awaitsChecksum(id), false, 'before hashing begins')
  await writer.keepChecksums([], 1)
  t.equal(await reader.awaitsChecksum(id), false, 'older than the beginning')
  await apply({ added: [newFile(zimm, facts)] })
  const other = await idOf(zimm)
  t.equal(await reader.awaitsChecksum(other), true, 'new')
  await writer.keepChecksums([checksumOf(other)], 1)
  t.equal(await reader.awaitsChecksum(other), false, 'hashed before the others')
  await writer.hashAgain([other], 0)
  t.equal(await reader.awaitsChecksum(other), true, 'stale')
  await apply({ modified: [{ ...facts, size: 12, id, name: graz }] })
  t.equal(await reader.awaitsChecksum(id), true, 'modified')
  t.equal(await reader.awaitsChecksum(99), false, 'unknown')
})

t.test('a checksum is deleted when its file is modified or removed', async (t) => {
  const { writer, reader, apply, sumOf, idOf, files } = await open(t)
  const added = [newFile(graz, facts), newFile(zimm, facts)]
  await apply({ added })
  const [id, other] = [await idOf(graz), await idOf(zimm)]
  await writer.keepChecksums(
    [checksumOf(id, { problem: 'broken' }), checksumOf(other, { problem: 'broken' })],
    0,
  )
  t.match(await reader.summary(), { checksums: { broken: { count: 2 } } })
  await apply({ modified: [{ ...facts, size: 12, id, name: graz }] })
  t.equal(await sumOf(graz), undefined)
  t.equal(await files(), 1)
  await apply({ removed: [other] })
  t.equal(await files(), 0)
  t.match(await reader.summary(), { checksums: { broken: { count: 0, examples: exact([]) } } })
  await apply({ added: [newFile(zimm, facts)] })
  t.equal(await idOf(zimm), other)
  t.equal(await sumOf(zimm), undefined, 'a restored file must be hashed again')
})

t.test('hashing sets size and mtime of a file if they were unknown', async (t) => {
  const { writer, reader, add, sumOf, idOf } = await open(t)
  await add(graz)
  const head = await reader.head()
  await writer.keepChecksums([checksumOf(await idOf(graz))], 0)
  t.same(await sumOf(graz), sha256)
  t.match(await reader.file({ directory: day, name: graz }), { ...facts, seq: head.seq })
  t.same(await reader.head(), { ...head, detailsSeq: head.detailsSeq + 1 })
})

t.test('new and modified files are found by their change number', async (t) => {
  const { writer, apply, idOf } = await open(t)
  const add = (...names: readonly string[]) =>
    apply({ added: names.map((name) => newFile(name, facts)) })
  const found = async (since?: number) => {
    const { files, ...rest } = await writer.arrivedUnhashed(since)
    return { paths: files.map(({ path }) => path), ...rest }
  }
  await add(zimm)
  t.same(await found(), { paths: [], throughSeq: 1, behind: 0 }, 'none of a new catalogue')
  await writer.keepChecksums([], 1)
  await add(graz)
  t.match(await found(), {
    paths: exact([`${day}/${graz}`]),
    throughSeq: 2,
    behind: 0,
  })
  t.match(await found(2), { paths: exact([]), throughSeq: 2, behind: 0 })
  const id = await idOf(zimm)
  await apply({ modified: [{ ...facts, id, name: zimm }] })
  t.match(await found(2), { paths: exact([`${day}/${zimm}`]), throughSeq: 3 })
  await writer.keepChecksums([checksumOf(id)], 1)
  t.match(await found(0), { paths: exact([`${day}/${graz}`]) }, 'hashed files are left out')
  await writer.keepChecksums([], 3)
  await writer.keepChecksums([], 2)
  t.match(await found(), { paths: exact([]) }, 'the stored position never goes back')

  await t.test('a large number of new files is found in chunks', async (t) => {
    const names = manyNames(250)
    await add(...names)
    const seen: string[] = []
    for (let since = 3; ;) {
      const { paths, throughSeq, behind } = await found(since)
      seen.push(...paths)
      since = throughSeq
      if (behind === 0) break
    }
    t.same(
      seen,
      names.map((name) => `${day}/${name}`),
    )
  })
  await t.test('the search continues past many hashed files and past removals', async (t) => {
    const names = manyNames(1500, '0010.26o.gz')
    await add(...names)
    const checksums: Checksum[] = []
    for (const name of names) checksums.push(checksumOf(await idOf(name)))
    await writer.keepChecksums(checksums, 3)
    const { head } = await apply({ removed: [id] })
    const first = await found(253)
    t.match(first, { paths: exact([]), throughSeq: 1253, behind: 501 })
    t.match(await found(first.throughSeq), { paths: exact([]), throughSeq: head.seq, behind: 0 })
  })
})

t.test('all files without a checksum are found, highest id first', async (t) => {
  const { writer, apply, sql } = await open(t)
  const names = manyNames(4500)
  await apply({ added: names.map((name) => newFile(name, facts)) })
  const walk = async (withFacts = false): Promise<number[]> => {
    const ids: number[] = []
    for (let below: number | undefined = Infinity; below !== undefined;) {
      const from: number = Math.min(below, Number.MAX_SAFE_INTEGER)
      const { files, next } = await writer.unhashedBelow(from, withFacts)
      ids.push(...files.map(({ id }) => id))
      below = next
    }
    return ids
  }
  t.same(
    await walk(),
    names.map((_, index) => names.length - index),
  )
  const most = names.map((_, index) => index + 1).filter((id) => id !== 7 && id !== 4000)
  await writer.keepChecksums(
    most.map((id) => checksumOf(id)),
    0,
  )
  t.same(await walk(), [4000, 7])

  await t.test('and if it is wanted, those without facts, or hashed before MD5', async (t) => {
    const inside = { facts: { flags: [] } }
    await writer.keepChecksums(
      names.map((_, index) => checksumOf(index + 1, inside)),
      0,
    )
    t.same(await walk(true), [])
    await writer.keepChecksums([checksumOf(8), checksumOf(4100)], 0)
    t.same(await walk(true), [4100, 8])
    t.same(await walk(), [])
    await sql('UPDATE checksum SET md5 = NULL WHERE id IN (9, 4200)')
    t.same(await walk(), [4200, 9])
    t.same(await walk(true), [4200, 4100, 9, 8])
    await writer.hashAgain([9, 4100], 0)
    t.same(await walk(true), [4200, 8], 'stale ones have a queue of their own')
    await writer.keepChecksums([checksumOf(8, inside), checksumOf(4200, inside)], 0)
    t.same(await walk(true), [])
  })
})

t.test('the checksums of a directory are read in chunks, in the order of names', async (t) => {
  const { writer, reader, apply } = await open(t)
  const names = manyNames(1200)
  await writer.apply([
    change(day, { added: names.toReversed().map((name) => newFile(name, facts)) }),
    change('obs/2026/002', { added: [newFile('graz0020.26d.gz', facts)] }),
    change('obs/2026/003', {}),
  ])
  const seen: string[] = []
  for (let after: string | undefined = ''; after !== undefined;) {
    const chunk = await reader.checksums({ directory: day, after })
    seen.push(...(chunk?.files.map(({ name }) => name) ?? []))
    after = chunk?.next
  }
  t.same(seen, names)
  t.same(await reader.checksums({ directory: 'obs/2026/003', after: '' }), {
    files: [],
    next: undefined,
  })
  t.equal(await reader.checksums({ directory: 'obs/2026/004', after: '' }), undefined)
  await apply({ gone: true }, 'obs/2026/003')
  t.equal(await reader.checksums({ directory: 'obs/2026/003', after: '' }), undefined)
})
