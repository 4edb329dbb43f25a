import { openWriter } from '../../src/catalogue/engines/engine.ts'
import { defaultLayout } from '../../src/parse/layout.ts'
import t, { exact } from '../tap.ts'
import { checksumOf, day, facts, openCatalogue, stamp } from './catalogue.ts'
import { arriving, change, newFile } from './change.ts'

const graz = 'GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz'
const zimm = 'zimm0010.26d.gz'

/** Stands for a missing record. */
const noRecord = { id: 0, seq: 0, name: '', directory: '' }

t.test('each new file gets the next id and the next seq', async (t) => {
  const { reader, add } = await openCatalogue(t)
  const applied = await add(graz, zimm)
  t.match(applied, { added: 2, modified: 0, removed: 0, head: { seq: 2 } })
  const { records: listed, count, head } = await reader.page({ limit: 20, offset: 0 })
  const records = await Promise.all(
    listed.map(async ({ id }) => (await reader.record({ id })) ?? noRecord),
  )
  t.equal(count, 2)
  t.same(head, applied.head)
  t.same(
    records.map(({ id, seq, name }) => ({ id, seq, name })),
    [
      { id: 2, seq: 2, name: zimm },
      { id: 1, seq: 1, name: graz },
    ],
  )
})

t.test('ids of the files of a directory are in the order of their start times', async (t) => {
  const { reader, apply } = await openCatalogue(t)
  const starts = ['1045', '1000', '1030', '1015']
  const added = starts.map((start) => newFile(`GRAZ00AUT_R_2026001${start}_15M_01S_MO.crx.gz`))
  await apply({ added }, 'nrt/2026/001/10')
  const { records } = await reader.page({ limit: 20, offset: 0 })
  t.same(
    records.map(({ name }) => name.slice(19, 23)),
    ['1045', '1030', '1015', '1000'],
  )
})

t.test('the letter case of names is kept', async (t) => {
  const { reader, apply } = await openCatalogue(t)
  const names = ['GRAZ0010.26d.gz', 'graz0010.26d.gz', 'grAz0010.26d.gz', 'Graz0010.26d.gz']
  const others = ['12340010.26d.gz', '12ab0010.26d.gz', '12AB0010.26d.gz', zimm, graz]
  const all = [...names, ...others].sort()
  const { added } = await apply({ added: all.map((name) => newFile(name)) })
  t.equal(added, all.length)
  const files = await Promise.all(all.map((name) => reader.file({ directory: day, name })))
  for (const [at, name] of all.entries())
    t.match(await reader.record({ id: files[at]?.id ?? 0 }), { name }, name)
  const ids = files.filter((file) => file?.name.endsWith('0010.26d.gz')).map((file) => file?.id)
  t.same(
    ids,
    ids.toSorted((a = 0, b = 0) => a - b),
    'ids are in the order of the names',
  )
  const { records } = await reader.page({ limit: 20, offset: 0 })
  t.same(records.map(({ name }) => name).sort(), all, 'the list has the same names')
  const { count } = await reader.page({ limit: 20, offset: 0, filter: { stations: ['GRAZ'] } })
  t.equal(count, [...names, graz].length, 'all case variants belong to the station')
})

t.test('a modified file keeps id and created, and gets a new modified', async (t) => {
  const { clock, reader, apply } = await openCatalogue(t)
  await apply({ added: [newFile(graz, facts)] })
  const before = await reader.record({ id: 1 })
  clock.us += 7
  await apply({ modified: [{ id: 1, name: graz, size: 11, mtimeUs: 2000 }] })
  t.same(await reader.record({ id: 1 }), {
    ...before,
    size: 11,
    mtimeUs: 2000,
    modifiedUs: clock.us,
    seq: 2,
  })
})

t.test('each change raises the time `modified`, even after the clock was set back', async (t) => {
  const { clock, reader, apply } = await openCatalogue(t)
  await apply({ added: [newFile(graz, facts)] })
  const versions = [await reader.record({ id: 1 })]
  clock.us -= 3_600_000_000
  for (const size of [11, 12]) {
    await apply({ modified: [{ id: 1, name: graz, size, mtimeUs: 2000 }] })
    versions.push(await reader.record({ id: 1 }))
  }
  await apply({ removed: [1] })
  await apply({ added: [newFile(graz, { size: 13, mtimeUs: 2000 })] })
  versions.push(await reader.record({ id: 1 }))
  versions.reduce((before, after) => {
    t.ok(after && after.modifiedUs > after.createdUs, 'later than created')
    t.not(after?.modifiedUs, before?.modifiedUs, 'differs from its earlier value')
    return after
  })
})

t.test('a removed file leaves the list, and a restored file has its earlier id', async (t) => {
  const { clock, reader, apply, add } = await openCatalogue(t)
  await apply({ added: [newFile(graz, facts)] })
  const before = await reader.record({ id: 1 })
  t.match(await apply({ removed: [1] }), { removed: 1, head: { seq: 2 } })
  t.equal(await reader.record({ id: 1 }), undefined)
  t.match(await reader.page({ limit: 20, offset: 0 }), { count: 0, records: exact([]) })

  await t.test('a file that is restored unchanged has its earlier record', async (t) => {
    await add(zimm)
    await apply({ added: [newFile(graz, facts)] })
    t.same(await reader.record({ id: 1 }), { ...before, seq: 4 })
  })
  await t.test('a file that is restored as another version is modified', async (t) => {
    await apply({ removed: [1] })
    clock.us += 9
    await apply({ added: [newFile(graz, { size: 99, mtimeUs: 3000 })] })
    t.same(await reader.record({ id: 1 }), {
      ...before,
      seq: 6,
      size: 99,
      mtimeUs: 3000,
      modifiedUs: clock.us,
    })
  })
  await t.test('a new file never gets an id that was issued before', async (t) => {
    await apply({ removed: [1, 2] })
    await apply({ added: [newFile('zimm0020.26d.gz')] }, 'obs/2026/002')
    t.match(await reader.page({ limit: 20, offset: 0 }), { count: 1, records: exact([{ id: 3 }]) })
  })
})

t.test('removals since a time are counted', async (t) => {
  const { clock, writer, apply, add } = await openCatalogue(t)
  const hour = 'nrt/2026/001/05'
  await add(graz, zimm)
  await apply({ added: [newFile(graz), newFile(zimm)] }, hour)
  const startUs = clock.us
  for (const removed of [[1], [2]]) {
    clock.us += 10
    await apply({ removed })
  }
  clock.us += 10
  await apply({ removed: [3, 4] }, hour)
  const endSeconds = Date.UTC(2026, 0, 2) / 1000
  const since = (us: number) => writer.removalsAfter({ seq: 0, us })
  const latest = { directory: hour, area: 'nrt', atUs: startUs + 30, endSeconds, count: 1 }
  const both = [
    { ...latest, seq: 8 },
    { ...latest, seq: 7 },
  ]
  t.same(await since(startUs + 30), both, 'of each kind')
  const before = { directory: day, area: 'obs', atUs: startUs + 20, endSeconds, seq: 6, count: 1 }
  t.same(await since(startUs + 11), [...both, before])
  t.same(await writer.removalsAfter({ seq: 5 }), [...both, before], 'by their numbers')
  t.same(await writer.removalsAfter({ seq: 8 }), [])
  t.equal((await since(0)).length, 4)
  t.same(await since(clock.us + 1), [])
  await apply({ added: [newFile(graz), newFile(zimm)] }, hour)
  t.same(await since(startUs + 30), [], 'restored files are not counted')
})

t.test('the same name in two directories has two records', async (t) => {
  const { writer, reader } = await openCatalogue(t)
  await writer.apply([
    change(day, { added: [newFile(graz)] }),
    change('nrt/2026/001/00', { added: [newFile(graz)] }),
  ])
  t.match(await reader.file({ directory: day, name: graz }), { id: 1, directory: day })
  t.match(await reader.file({ directory: 'nrt/2026/001/00', name: graz }), {
    id: 2,
    directory: 'nrt/2026/001/00',
  })
  t.equal(await reader.file({ directory: 'obs/2026/002', name: graz }), undefined)
})

t.test('an invalid change is rejected, and all other changes are applied', async (t) => {
  const { writer, reader, add } = await openCatalogue(t)
  const [before, after] = ['obs/2025/365', 'obs/2026/002']
  const applied = await writer.apply([
    change(before, { added: [newFile('zimm3650.25d.gz')] }),
    change(day, { added: [newFile(zimm), newFile(graz), newFile(graz)], removed: [1] }),
    // Its station was added by the rejected change.
    change(after, { added: [newFile('GRAZ00AUT_R_20260020000_01D_30S_MO.crx.gz')] }),
  ])
  t.match(applied, { added: 2, modified: 0, removed: 0, head: { seq: 2 } })
  const refused = [{ path: day, error: { message: /unique/i } }]
  t.match(applied, { refused: exact(refused) })
  const { records: listed, count, head } = await reader.page({ limit: 20, offset: 0 })
  const records = await Promise.all(
    listed.map(async ({ id }) => (await reader.record({ id })) ?? noRecord),
  )
  t.same(head, applied.head)
  t.equal(count, 2)
  t.same(
    records.map(({ directory, seq }) => ({ directory, seq })),
    [
      { directory: after, seq: 2 },
      { directory: before, seq: 1 },
    ],
  )
  t.same(await writer.directory(day), undefined)
  const again = await add(graz)
  t.match(again, { added: 1, refused: exact([]), head: { seq: 3 } })
})

t.test('a programming error rejects the whole transaction, not only one directory', async (t) => {
  const { writer, reader } = await openCatalogue(t)
  const changes = [
    change('obs/2026/002', { added: [newFile('zimm0020.26d.gz')] }),
    change(day, { added: [newFile('no RINEX name')] }),
  ]
  await t.rejects(writer.apply(changes), /no RINEX name is not/)
  t.match(await reader.page({ limit: 20, offset: 0 }), { count: 0, head: { seq: 0 } })
})

t.test('when the database fails, nothing of the transaction is applied', async (t) => {
  const { engine, writer, reader, sql } = await openCatalogue(t)
  await sql(engine.failing('INSERT ON file'))
  const changes = [
    change('obs/2026/002', { added: [newFile('zimm0020.26d.gz')] }),
    change(day, { added: [newFile(graz)] }),
  ]
  await t.rejects(writer.apply(changes), { message: /^apply: malformed JSON/ }, 'named')
  t.match(await reader.page({ limit: 20, offset: 0 }), { count: 0, head: { seq: 0 } })
  // Rows of the lookup tables that were rolled back are added again.
  await sql(engine.repaired('failing'))
  t.match(await writer.apply(changes), { added: 2, head: { seq: 2 } })
})

t.test('the summary counts files, directories, misplaced files and rejections', async (t) => {
  const { writer, reader, apply } = await openCatalogue(t)
  const rejections = [{ reason: 'not-gz', count: 3, names: ['a.Z'] }]
  await writer.apply([
    change('obs', {}),
    change(day, { added: [newFile(graz), newFile(zimm)], rejections }),
    change('obs/2026/002', { rejections: [{ reason: 'not-gz', count: 1, names: ['b.Z'] }] }),
  ])
  await apply({ removed: [1], added: [newFile('graz0020.26d.gz')], rejections })
  const expected = {
    areas: { obs: { files: 2, directories: 3 }, nrt: { files: 0, directories: 0 } },
    misplaced: 1,
    unclearPaths: [],
    rejected: [{ reason: 'not-gz', count: 4, examples: ['obs/2026/002/b.Z', `${day}/a.Z`] }],
    lastScan: undefined,
  }
  t.match(await writer.summary(), exact(expected))
  t.same(await reader.summary(), await writer.summary())
})

t.test('other rules of names take the stamps of directories with rejected names', async (t) => {
  const { writer } = await openCatalogue(t)
  const rejections = [{ reason: 'bad-type', count: 1, names: ['graz0010.26b.gz'] }]
  const rejecting = [day, 'obs/2026/002']
  await writer.apply([
    ...rejecting.map((path) => change(path, { stamp, rejections })),
    change('obs/2026/003', { stamp, added: [newFile('graz0030.26d.gz')] }),
    change('obs/2026/004', { rejections, gone: true }),
  ])
  const withoutStamp = async () =>
    (await writer.directories())
      .filter((directory) => directory.stamp === undefined)
      .map(({ path }) => path)
      .sort()
  t.equal(await writer.adoptNameRules(1, defaultLayout), 2, 'the first version')
  t.same(await withoutStamp(), rejecting)
  await writer.apply(rejecting.map((path) => change(path, { stamp, rejections })))
  t.equal(await writer.adoptNameRules(1, defaultLayout), 0, 'the same version')
  t.same(await withoutStamp(), [])
  t.equal(await writer.adoptNameRules(2, defaultLayout), 2)
  t.same(await withoutStamp(), rejecting)
})

t.test('a removed directory leaves the catalogue, but its tombstones stay', async (t) => {
  const { writer, reader, apply } = await openCatalogue(t)
  await apply({ stamp, added: [newFile(graz)] })
  t.match(await writer.directories(), exact([{ path: day, stamp }]))
  await apply({ gone: true, removed: [1] })
  t.same(await writer.directories(), [])
  await apply({ stamp, added: [newFile(graz)] })
  t.match(await reader.record({ id: 1 }), { name: graz })
  t.match(await writer.directory(day), { stamp })
})

t.test('of which directories nothing is known', async (t) => {
  const { writer } = await openCatalogue(t)
  const rejections = [{ reason: 'unreadable-directory', count: 1, names: [''] }] as const
  await writer.apply([
    change('obs', { stamp, directories: ['obs/found'] }),
    change('obs/files', { added: [newFile(graz)] }),
    change('obs/unreadable', { rejections }),
    change('obs/gone', { gone: true }),
  ])
  const paths = ['obs', 'obs/found', 'obs/files', 'obs/unreadable', 'obs/gone', 'obs/other']
  t.same([...(await writer.emptyAmong(paths))].sort(), ['obs/found', 'obs/gone', 'obs/other'])
  t.same(await writer.emptyAmong([]), new Set())
})

t.test('a second writer is rejected', async (t) => {
  const { database, add } = await openCatalogue(t)
  await t.rejects(
    openWriter({ database }, () => 0),
    { code: 'ALREADY_RUNNING' },
  )
  await add(graz)
})

t.test('a slot is delivered by a good file that is left', async (t) => {
  const { apply, writer, sql, clock } = await openCatalogue(t)
  const names = [graz, graz.replace('_R_', '_S_')]
  await apply({ added: arriving([newFile(graz, facts)], clock.us) })
  await apply({ added: names.slice(1).map((name) => newFile(name, facts)) })
  const delivered = () => sql('SELECT good, latency_s IS NULL AS unseen FROM delivery')
  t.match(await delivered(), exact([{ good: 2 }]))
  await writer.keepChecksums([checksumOf(1, { problem: 'broken' })], 0)
  const [left] = await delivered()
  t.match(left, { good: 1 })
  t.ok(left?.['unseen'], 'the other one was not seen arriving')
  await writer.keepChecksums([checksumOf(2, { problem: 'broken' })], 0)
  t.strictSame(await delivered(), [])
})
