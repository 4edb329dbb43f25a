import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { OpenedWriter } from '../../../src/catalogue/sqlite/writer.ts'
import { openWriter } from '../../../src/catalogue/sqlite/writer.ts'
import type { CatalogueWriter } from '../../../src/catalogue/updates/writer.ts'
import { testFolder } from '../../folder.ts'
import t, { exact } from '../../tap.ts'
import { day, openCatalogue, stamp } from '../catalogue.ts'
import { newFile } from '../change.ts'

const graz = 'GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz'
const zimm = 'zimm0010.26d.gz'

const recoveryOf = (writer: CatalogueWriter) => (writer as OpenedWriter).recovery

t.test(
  'no id and no seq is issued twice, even after the database was deleted or restored',
  async (t) => {
    const folder = testFolder(t)
    const database = join(folder, 'catalogue.db')
    const fill = async (name: string) => {
      const { writer, add, close } = await openCatalogue(t, { folder })
      const { head } = await add(name)
      const ids = [...((await writer.directory(day))?.files.values() ?? [])].map(({ id }) => id)
      await close()
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
  const first = await openCatalogue(t, { folder })
  const early = await first.apply({ stamp, added: [newFile(graz)] })
  await first.close()
  copyFileSync(database, join(folder, 'copy'))
  const second = await openCatalogue(t, { folder })
  t.equal(recoveryOf(second.writer).isOlderCopy, false)
  const late = await second.apply({ stamp, added: [newFile(zimm)] })
  t.equal(late.head.epoch, early.head.epoch)
  await second.close()

  copyFileSync(join(folder, 'copy'), database)
  const { writer, add, close } = await openCatalogue(t, { folder })
  t.equal(recoveryOf(writer).isOlderCopy, true)
  t.same([...((await writer.directory(day))?.files.keys() ?? [])], [graz], 'its records stay')
  t.match(
    await writer.directories(),
    exact([{ path: day, stamp: undefined }]),
    'its directories will be read again',
  )
  const other = 'gope0010.26d.gz'
  const { head } = await add(other)
  t.not(head.epoch, late.head.epoch)
  t.ok(head.seq > late.head.seq)
  const known = await writer.directory(day)
  t.equal(known?.files.get(graz)?.id, 1)
  t.ok((known?.files.get(other)?.id ?? 0) > 2)
  await close()
  const last = await openCatalogue(t, { folder })
  t.equal(recoveryOf(last.writer).isOlderCopy, false, 'it is no older copy after that')
})

t.test('a file that is not a database is quarantined', async (t) => {
  const folder = testFolder(t, {
    'catalogue.db': 'no database at all, but long enough to be read as one',
  })
  const { writer, add } = await openCatalogue(t, { folder })
  t.ok(recoveryOf(writer).quarantined?.startsWith(join(folder, 'catalogue.db.corrupt-')))
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
  const { writer } = await openCatalogue(t, { folder })
  t.equal(recoveryOf(writer).quarantined, undefined)
})

t.test('the file of numbers has the issued ones after each commit', async (t) => {
  const { database, apply, add } = await openCatalogue(t)
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
    'a damaged file': ['{"id":5,', 0],
  }
  for (const [name, [text, seq]] of Object.entries(contents)) {
    rmSync(database, { force: true })
    writeFileSync(`${database}-numbers`, text)
    const { add, close } = await openCatalogue(t, { folder })
    const { head } = await add(graz)
    t.equal(head.seq, seq + 1, name)
    await close()
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
  const { writer, add } = await openCatalogue(t, { folder })
  t.ok(recoveryOf(writer).isOlderCopy)
  const { head } = await add(graz)
  t.equal(head.seq, 1_000_051)
  const known = await writer.directory(day)
  t.equal(known?.files.get(graz)?.id, 1_000_051)
})

t.test('nothing is written to a database that was moved away', async (t) => {
  const { database, writer, add } = await openCatalogue(t)
  await add(graz)
  renameSync(database, `${database}-away`)
  const counts = { directories: 1, files: 1, added: 1, modified: 0, removed: 0 }
  const writes: Record<string, () => Promise<unknown>> = {
    apply: () => add(zimm),
    purgeRemovals: () => writer.purgeRemovals(1),
    keepChecksums: () => writer.keepChecksums([], 1),
    hashAgain: () => writer.hashAgain([1], 1),
    asOf: () => writer.setAsOf({ atUs: 1, limitSeconds: 1 }),
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
