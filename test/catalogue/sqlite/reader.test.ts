import { execFile } from 'node:child_process'
import { chmodSync, chownSync, readdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Sqlite from 'better-sqlite3'
import { listedProblems } from '../../../src/catalogue/filter.ts'
import { openReader } from '../../../src/catalogue/sqlite/reader.ts'
import { openWriter } from '../../../src/catalogue/sqlite/writer.ts'
import { commonFolder, testFolder } from '../../folder.ts'
import t from '../../tap.ts'

const nowUs = () => 1

t.test(
  'without a database the reader is unavailable, and it opens the database once it exists',
  async (t) => {
    const database = join(testFolder(t), 'catalogue.db')
    const reader = openReader({ database })
    t.teardown(() => reader.close())
    await t.rejects(reader.head(), { code: 'CATALOGUE_UNAVAILABLE' })
    t.same(readdirSync(t.testdirName), [], 'no file is created')
    const writer = openWriter({ database, nowUs })
    t.teardown(() => writer.close())
    t.match(await reader.head(), { seq: 0 })
  },
)

t.test('a replaced database is detected', async (t) => {
  const folder = testFolder(t)
  const database = join(folder, 'catalogue.db')
  const first = openWriter({ database, nowUs })
  const reader = openReader({ database })
  const { epoch } = await reader.head()
  t.equal((await reader.summary()).head.epoch, epoch)
  first.close()
  for (const suffix of ['', '-wal', '-shm'])
    if (statSync(database + suffix, { throwIfNoEntry: false }))
      renameSync(database + suffix, join(folder, `replaced${suffix}`))
  const second = openWriter({ database, nowUs })
  t.teardown(() => {
    reader.close()
    second.close()
  })
  let head = await reader.head()
  for (const end = Date.now() + 60_000; head.epoch === epoch && Date.now() < end;)
    head = await new Promise((resolve) => setImmediate(resolve)).then(() => reader.head())
  t.not(head.epoch, epoch)
  t.equal((await reader.summary()).head.epoch, head.epoch, 'the summary too')
})

/** Runs a script in Node as another user. @param user arguments of `setpriv` */
async function runAs(user: string[], script: string, args: string[]): Promise<string> {
  const node = ['--', process.execPath, '--input-type=module', '-e', script, '--', ...args]
  const { stdout } = await promisify(execFile)('setpriv', [...user, '--clear-groups', ...node])
  return stdout.trim()
}

const isRoot = process.getuid?.() === 0

t.test(
  'a reader of another user reads while the writer runs, after it stopped, and after it was killed',
  { skip: isRoot ? false : 'needs root to run as two users' },
  async (t) => {
    const group = 65_534
    const writerUser = ['--reuid=64001', `--regid=${group}`]
    const readerUser = ['--reuid=64002', `--regid=${group}`]
    const state = join(commonFolder(t, { state: {} }), 'state')
    chownSync(state, 64_001, group)
    chmodSync(state, 0o2750)
    const database = join(state, 'catalogue.db')
    const modules = join(process.cwd(), 'src')
    const canRunAsReader = await runAs(readerUser, '', []).then(
      () => true,
      () => false,
    )
    const write = (end: string) =>
      runAs(
        writerUser,
        `process.umask(0o027)
         const { openWriter } = await import(process.argv[1] + '/catalogue/sqlite/writer.ts')
         const writer = openWriter({ database: process.argv[2], nowUs: () => Date.now() * 1000 })
         await writer.apply([{ path: 'obs/2026/001', gone: false, directories: [], added: [], modified: [],
           attributes: [], rehash: [], removed: [], rejections: [{ reason: 'not-gz', count: 1, names: [String(Date.now())] }],
           misplaced: 0 }])
         ${end}`,
        [modules, database],
      )
    const read = () =>
      runAs(
        readerUser,
        `const { openReader } = await import(process.argv[1] + '/catalogue/sqlite/reader.ts')
         const reader = openReader({ database: process.argv[2] })
         console.log((await reader.head()).epoch === '' ? '0' : '1')
         const { writeFileSync } = await import('node:fs')
         try { writeFileSync(process.argv[2] + '-mine', ''); console.log('wrote') } catch {}`,
        [modules, database],
      )
    if (!canRunAsReader) {
      await t.test(
        'the program runs as another user',
        { skip: 'other users have no access to this checkout' },
        async () => undefined,
      )
      return
    }
    for (const [name, end] of [
      ['stopped', 'await writer.checkpoint(); process.exit(0)'],
      ['killed', `process.kill(process.pid, 'SIGKILL')`],
      ['stopped again', 'await writer.checkpoint(); process.exit(0)'],
    ] as const) {
      await write(end).catch(() => undefined)
      t.equal(await read(), '1', name)
    }
  },
)

t.test('a database with tables but without the row of the catalogue is unavailable', async (t) => {
  const database = join(testFolder(t), 'catalogue.db')
  openWriter({ database, nowUs }).close()
  const db = new Sqlite(database)
  const row = db.prepare('SELECT * FROM catalogue').get() as { epoch: string }
  db.exec('DELETE FROM catalogue')
  const reader = openReader({ database })
  t.teardown(() => reader.close())
  await t.rejects(reader.head(), { message: /is just being made$/ })
  await t.rejects(reader.summary(), { message: /is just being made$/ })
  db.prepare('INSERT INTO catalogue (one, epoch, seq) VALUES (1, ?, 0)').run(row.epoch)
  db.close()
  t.equal((await reader.head()).epoch, row.epoch)
})

t.test('an error of SQL names its question, in this thread and in a worker', async (t) => {
  const database = join(testFolder(t), 'catalogue.db')
  openWriter({ database, nowUs }).close()
  const db = new Sqlite(database)
  db.exec('ALTER TABLE station RENAME COLUMN code TO name; DROP TABLE rejection')
  db.close()
  const reader = openReader({ database })
  t.teardown(() => reader.close())
  await t.rejects(reader.station('GRAZ'), { message: /^station: no such column: code/ })
  const all = { kinds: listedProblems, limit: 1, offset: 0 }
  await t.rejects(reader.problems(all), { message: /^problems: no such table: rejection/ })
})
