import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t, { exact } from '../../tap.ts'
import { openWriter } from '../../../src/catalogue/sqlite/writer.ts'
import { day, facts, openCatalogue, stamp } from '../catalogue.ts'
import { change, newFile } from '../change.ts'
import { testFolder } from '../../folder.ts'

const graz = 'GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz'
const zimm = 'zimm0010.26d.gz'

/** Stands for a missing record. */
const noRecord = { id: 0, seq: 0, name: '', directory: '' }

t.test('each new file gets the next id and the next seq', async (t) => {
  const { reader, add } = openCatalogue(t)
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
  const { reader, apply } = openCatalogue(t)
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
  const { reader, apply } = openCatalogue(t)
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

t.test('a size and an mtime that become known are not a modification', async (t) => {
  const { clock, reader, apply, add } = openCatalogue(t)
  const { head } = await add(graz)
  clock.us += 5
  const filled = [{ id: 1, name: graz, size: 10, mtimeUs: 1000 }]
  const { seq, detailsSeq } = head
  const next = { seq, detailsSeq: detailsSeq + 1 }
  t.match(await apply({ filled }), { head: next, modified: 0 })
  const record = await reader.record({ id: 1 })
  t.match(record, { size: 10, mtimeUs: 1000 })
  t.equal(record?.modifiedUs, record?.createdUs)
})

t.test('a modified file keeps id and created, and gets a new modified', async (t) => {
  const { clock, reader, apply } = openCatalogue(t)
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
  const { clock, reader, apply } = openCatalogue(t)
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
  const { clock, reader, apply, add } = openCatalogue(t)
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
  const { clock, writer, apply, add } = openCatalogue(t)
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
  const latest = { area: 'nrt', atUs: startUs + 30, count: 2 }
  t.same(await writer.removedSince(startUs + 30), [latest])
  const both = [latest, { area: 'obs', atUs: startUs + 20, count: 1 }]
  t.same(await writer.removedSince(startUs + 11), both)
  t.equal((await writer.removedSince(0)).length, 3)
  t.same(await writer.removedSince(clock.us + 1), [])
  await apply({ added: [newFile(graz), newFile(zimm)] }, hour)
  t.same(await writer.removedSince(startUs + 30), [], 'restored files are not counted')
})

t.test('the same name in two directories has two records', async (t) => {
  const { writer, reader } = openCatalogue(t)
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
  const { writer, reader, add } = openCatalogue(t)
  const [before, after] = ['obs/2025/365', 'obs/2026/002']
  const applied = await writer.apply([
    change(before, { added: [newFile('zimm3650.25d.gz')] }),
    change(day, { added: [newFile(zimm), newFile(graz), newFile(graz)], removed: [1] }),
    // Its station was added by the rejected change.
    change(after, { added: [newFile('GRAZ00AUT_R_20260020000_01D_30S_MO.crx.gz')] }),
  ])
  t.match(applied, { added: 2, modified: 0, removed: 0, head: { seq: 2 } })
  const refused = [{ path: day, error: { code: 'SQLITE_CONSTRAINT_UNIQUE' } }]
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
  const { writer, reader } = openCatalogue(t)
  const changes = [
    change('obs/2026/002', { added: [newFile('zimm0020.26d.gz')] }),
    change(day, { added: [newFile('no RINEX name')] }),
  ]
  await t.rejects(writer.apply(changes), /no RINEX name is not/)
  t.match(await reader.page({ limit: 20, offset: 0 }), { count: 0, head: { seq: 0 } })
})

t.test('when the database fails, nothing of the transaction is applied', async (t) => {
  const { writer, reader, db } = openCatalogue(t)
  db.exec(`CREATE TRIGGER failing BEFORE INSERT ON file WHEN new.name = '${graz}'
    BEGIN SELECT json('no space'); END`)
  const changes = [
    change('obs/2026/002', { added: [newFile('zimm0020.26d.gz')] }),
    change(day, { added: [newFile(graz)] }),
  ]
  await t.rejects(writer.apply(changes), { code: 'SQLITE_ERROR' })
  t.match(await reader.page({ limit: 20, offset: 0 }), { count: 0, head: { seq: 0 } })
  // Rows of the lookup tables that were rolled back are added again.
  db.exec('DROP TRIGGER failing')
  t.match(await writer.apply(changes), { added: 2, head: { seq: 2 } })
})

t.test('the summary counts files, directories, misplaced files and rejections', async (t) => {
  const { writer, reader, apply } = openCatalogue(t)
  const rejections = [{ reason: 'not-gz', count: 3, names: ['a.Z'] }]
  await writer.apply([
    change('obs', {}),
    change(day, { added: [newFile(graz), newFile(zimm)], rejections, misplaced: 1 }),
    change('obs/2026/002', { rejections: [{ reason: 'not-gz', count: 1, names: ['b.Z'] }] }),
  ])
  await apply({ removed: [1], rejections, misplaced: 1 })
  const expected = {
    areas: { obs: { files: 1, directories: 3 }, nrt: { files: 0, directories: 0 } },
    misplaced: 1,
    rejected: [{ reason: 'not-gz', count: 4, examples: ['obs/2026/002/b.Z', `${day}/a.Z`] }],
    lastScan: undefined,
  }
  t.match(await writer.summary(), exact(expected))
  t.same(await reader.summary(), await writer.summary())
})

t.test('a removed directory leaves the catalogue, but its tombstones stay', async (t) => {
  const { writer, reader, apply } = openCatalogue(t)
  await apply({ stamp, added: [newFile(graz)] })
  t.same(await writer.directories(), [{ path: day, stamp }])
  await apply({ gone: true, removed: [1] })
  t.same(await writer.directories(), [])
  await apply({ stamp, added: [newFile(graz)] })
  t.match(await reader.record({ id: 1 }), { name: graz })
  t.match(await writer.directory(day), { stamp })
})

t.test('a second writer is rejected', async (t) => {
  const { database, add } = openCatalogue(t)
  t.throws(() => openWriter({ database, nowUs: () => 0 }), { code: 'ALREADY_RUNNING' })
  await add(graz)
})

t.test(
  'no id and no seq is issued twice, even after the database was deleted or restored',
  async (t) => {
    const folder = testFolder(t)
    const database = join(folder, 'catalogue.db')
    const fill = async (name: string) => {
      const { writer, add, close } = openCatalogue(t, { folder })
      const { head } = await add(name)
      const ids = [...((await writer.directory(day))?.files.values() ?? [])].map(({ id }) => id)
      close()
      return { head, id: Math.max(...ids) }
    }
    const first = await fill(graz)
    copyFileSync(database, join(folder, 'backup'))
    const second = await fill(zimm)
    t.equal(second.head.epoch, first.head.epoch)

    await t.test(
      'a database that replaces a deleted database has higher numbers and a new epoch',
      async (t) => {
        renameSync(database, join(folder, 'deleted'))
        const rebuilt = await fill(graz)
        t.ok(rebuilt.id > second.id)
        t.ok(rebuilt.head.seq > second.head.seq)
        t.not(rebuilt.head.epoch, first.head.epoch)
      },
    )
    await t.test('a restored older copy has higher numbers and a new epoch', async (t) => {
      const rebuilt = await fill(zimm)
      copyFileSync(join(folder, 'backup'), database)
      const restored = await fill('gope0010.26d.gz')
      t.ok(restored.id > rebuilt.id)
      t.ok(restored.head.seq > rebuilt.head.seq)
      t.not(restored.head.epoch, rebuilt.head.epoch)
    })
    await t.test('a missing file of the sequences is written again', async () => {
      rmSync(`${database}-numbers`)
      await fill('onsa0010.26d.gz')
      t.ok(existsSync(`${database}-numbers`))
    })
  },
)

t.test('an older copy is detected', async (t) => {
  const folder = testFolder(t)
  const database = join(folder, 'catalogue.db')
  const first = openCatalogue(t, { folder })
  const early = await first.apply({ stamp, added: [newFile(graz)] })
  first.close()
  copyFileSync(database, join(folder, 'copy'))
  const second = openCatalogue(t, { folder })
  t.equal(second.writer.recovery.isOlderCopy, false)
  const late = await second.apply({ stamp, added: [newFile(zimm)] })
  t.equal(late.head.epoch, early.head.epoch)
  second.close()

  copyFileSync(join(folder, 'copy'), database)
  const { writer, add, close } = openCatalogue(t, { folder })
  t.equal(writer.recovery.isOlderCopy, true)
  t.same([...((await writer.directory(day))?.files.keys() ?? [])], [graz], 'its records stay')
  t.same(
    await writer.directories(),
    [{ path: day, stamp: undefined }],
    'its directories will be read again',
  )
  const other = 'gope0010.26d.gz'
  const { head } = await add(other)
  t.not(head.epoch, late.head.epoch)
  t.ok(head.seq > late.head.seq)
  const known = await writer.directory(day)
  t.equal(known?.files.get(graz)?.id, 1)
  t.ok((known?.files.get(other)?.id ?? 0) > 2)
  close()
  const { recovery } = openCatalogue(t, { folder }).writer
  t.equal(recovery.isOlderCopy, false, 'it is no older copy after that')
})

t.test('a file that is not a database is quarantined', async (t) => {
  const folder = testFolder(t, {
    'catalogue.db': 'no database at all, but long enough to be read as one',
  })
  const { writer, add } = openCatalogue(t, { folder })
  t.ok(writer.recovery.quarantined?.startsWith(join(folder, 'catalogue.db.corrupt-')))
  t.equal(readdirSync(folder).filter((name) => name.includes('.corrupt-')).length, 1)
  await add(graz)
})

t.test('a database of another program or of a newer version is rejected', async (t) => {
  const cases = {
    'of another program': 'CREATE TABLE other (a)',
    'of a newer version': 'PRAGMA user_version = 99',
  }
  for (const [name, sql] of Object.entries(cases))
    await t.test(`a database ${name} is rejected`, async (t) => {
      const database = join(testFolder(t), 'catalogue.db')
      const db = new Sqlite(database)
      db.exec(sql)
      db.close()
      t.throws(() => openWriter({ database, nowUs: () => 0 }), { code: 'UNUSABLE_DATABASE' })
      t.notOk(readdirSync(t.testdirName).some((file) => file.includes('corrupt')))
    })
})

t.test('an empty file becomes a new database', async (t) => {
  const folder = testFolder(t)
  writeFileSync(join(folder, 'catalogue.db'), '')
  const { writer } = openCatalogue(t, { folder })
  t.equal(writer.recovery.quarantined, undefined)
})

t.test('the file of numbers has the issued ones after each commit', async (t) => {
  const { database, apply, add } = openCatalogue(t)
  const path = `${database}-numbers`
  const persisted = () => JSON.parse(readFileSync(path, 'utf8')) as unknown
  t.same(persisted(), { id: 0, seq: 0 })
  await add(graz, zimm)
  t.same(persisted(), { id: 2, seq: 2 })
  await apply({ removed: [1] })
  t.same(persisted(), { id: 2, seq: 3 })
  rmSync(path)
  mkdirSync(`${path}.new`)
  await apply({ removed: [2] })
  t.notOk(existsSync(path), 'a file that cannot be written delays nothing')
  rmdirSync(`${path}.new`)
  await add(graz)
  t.same(persisted(), { id: 2, seq: 5 }, 'it is written with the next numbers')
})

t.test('a lost database is replaced by one with numbers a million higher', async (t) => {
  const folder = testFolder(t)
  const database = join(folder, 'catalogue.db')
  const contents: Readonly<Record<string, [text: string, seq: number]>> = {
    'the file after a power failure': ['{"id":5,"seq":7}', 1_000_007],
    'the file of an earlier build': [
      '{"id":1000001,"seq":1000001,"given":{"id":5,"seq":7}}',
      1_000_007,
    ],
    'a damaged file': ['{"id":5,', 0],
  }
  for (const [name, [text, seq]] of Object.entries(contents)) {
    rmSync(database, { force: true })
    writeFileSync(`${database}-numbers`, text)
    const { add, close } = openCatalogue(t, { folder })
    const { head } = await add(graz)
    t.equal(head.seq, seq + 1, name)
    close()
  }
})

t.test('a process that is killed after a commit leaves the numbers of this commit', async (t) => {
  const folder = testFolder(t)
  const database = join(folder, 'catalogue.db')
  openWriter({ database, nowUs: () => 1 }).close()
  copyFileSync(database, `${database}.copy`)
  const imported = ['src/catalogue/sqlite/writer.ts', 'test/catalogue/change.ts'].map((path) =>
    JSON.stringify(join(process.cwd(), path)),
  )
  const script = `const { openWriter } = await import(${imported[0]})
    const { change, newFile } = await import(${imported[1]})
    const writer = openWriter({ database: ${JSON.stringify(database)}, nowUs: () => 1 })
    for (let n = 100; n < 150; n++)
      await writer.apply([change('obs/2026/' + n, { added: [newFile('zimm' + n + '0.26d.gz')] })])
    process.kill(process.pid, 'SIGKILL')`
  const killed = spawnSync(process.execPath, ['--input-type=module', '-e', script])
  t.equal(killed.signal, 'SIGKILL', killed.stderr.toString())
  for (const side of ['', '-wal', '-shm']) rmSync(database + side)
  renameSync(`${database}.copy`, database)
  const { writer, add } = openCatalogue(t, { folder })
  t.ok(writer.recovery.isOlderCopy)
  const { head } = await add(graz)
  t.equal(head.seq, 1_000_051)
  const known = await writer.directory(day)
  t.equal(known?.files.get(graz)?.id, 1_000_051)
})

t.test('nothing is written to a database that was moved away', async (t) => {
  const { database, writer, add } = openCatalogue(t)
  await add(graz)
  renameSync(database, `${database}-away`)
  const counts = { directories: 1, files: 1, added: 1, modified: 0, removed: 0 }
  const writes: Record<string, () => Promise<unknown>> = {
    apply: () => add(zimm),
    purgeRemovals: () => writer.purgeRemovals(1),
    keepChecksums: () => writer.keepChecksums([], 1),
    hashAgain: () => writer.hashAgain([1], 1),
    heartbeat: () => writer.heartbeat({ atUs: 1, limitSeconds: 1 }),
    scanned: () => writer.scanned({ startedUs: 1, endedUs: 2, ...counts }),
    deferIndexes: () => writer.deferIndexes(),
    buildIndexes: () => writer.buildIndexes(),
    repairCounts: () => writer.repairCounts(),
    checkpoint: () => writer.checkpoint(),
  }
  for (const [name, write] of Object.entries(writes))
    await t.rejects(
      write().then(() => undefined),
      { code: 'CATALOGUE_CORRUPT' },
      name,
    )
  t.equal((await writer.directory(day))?.files.get(graz)?.id, 1, 'it can be read')
})
