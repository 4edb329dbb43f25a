import {
  copyFileSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from '../../tap.ts'
import type { Test } from 'tap'
import { lockWriter } from '../../../src/catalogue/sqlite/lock.ts'
import { openWriter } from '../../../src/catalogue/sqlite/writer.ts'
import { testFolder } from '../../folder.ts'
import { until } from '../../indexer/until.ts'

const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()

function startTimeOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ')[19])
}

interface Row {
  boot_id: string
  pid: number
  start_time: number
  inode: number
}

function rowOf(database: string): Row {
  const db = new Sqlite(database, { readonly: true })
  const row = db.prepare('SELECT boot_id, pid, start_time, inode FROM owner').get() as Row
  db.close()
  return row
}

/** A database with this row of the owner; by default the owner is the parent process, which is alive. */
function makeOwned(t: Test, owner: Partial<Row> = {}): string {
  const database = join(testFolder(t), 'catalogue.db')
  openWriter({ database, nowUs: () => 1 }).close()
  const pid = process.ppid
  const alive = {
    boot_id: bootId,
    pid,
    start_time: startTimeOf(pid),
    inode: statSync(database).ino,
  }
  const db = new Sqlite(database)
  db.prepare(
    'UPDATE owner SET boot_id = @boot_id, pid = @pid, start_time = @start_time, inode = @inode',
  ).run({ ...alive, ...owner })
  db.close()
  return database
}

function open(t: Test, database: string): void {
  const writer = openWriter({ database, nowUs: () => 1 })
  t.teardown(() => writer.close())
}

const ownProcess = { boot_id: bootId, pid: process.pid, start_time: startTimeOf(process.pid) }

t.test('a database that a running process writes is rejected', async (t) => {
  const database = makeOwned(t)
  const before = rowOf(database)
  t.throws(() => openWriter({ database, nowUs: () => 1 }), {
    code: 'ALREADY_RUNNING',
    message: `already running: process ${process.ppid} is the indexer of ${database}`,
  })
  t.same(rowOf(database), before, 'the row is unchanged')
})

t.test('an owner that no longer runs is replaced', async (t) => {
  const cases: [string, Partial<Row>][] = [
    ['the process has ended', { pid: 2 ** 22 + 1 }],
    ['another process has the same process id', { start_time: startTimeOf(process.ppid) - 1 }],
    ['the machine was rebooted', { boot_id: 'another' }],
    ['the file is a copy of the database of the owner', { inode: 1 }],
  ]
  for (const [name, owner] of cases) {
    const database = makeOwned(t, owner)
    open(t, database)
    t.same(rowOf(database), { ...ownProcess, inode: statSync(database).ino }, name)
  }
})

t.test('the owner is in the database file itself at once, not only in the WAL', async (t) => {
  const database = join(testFolder(t), 'catalogue.db')
  open(t, database)
  const copy = `${database}.copy`
  // Without the WAL, which is found by the name of the database.
  copyFileSync(database, copy)
  t.same(rowOf(copy), { ...ownProcess, inode: statSync(database).ino })
})

t.test('a database whose WAL has another name is rejected', async (t) => {
  const database = makeOwned(t, { pid: 2 ** 22 + 1 })
  const other = `${database}.link`
  linkSync(database, other)
  writeFileSync(`${database}-wal`, 'changes')
  t.throws(() => openWriter({ database: other, nowUs: () => 1 }), {
    code: 'UNUSABLE_DATABASE',
    message: /is a hard link to .*catalogue\.db, beside which lies its write-ahead log/,
  })
  rmSync(`${database}-wal`)
  open(t, other)
  t.pass('without a WAL it may be opened by any name')
})

t.test('a removed or replaced lock file is created and locked again', async (t) => {
  const database = join(testFolder(t), 'catalogue.db')
  const path = `${database}-lock`
  const lock = lockWriter(database, 5)
  t.teardown(() => lock.release())
  const isLocked = (): boolean => {
    try {
      lockWriter(database).release()
      return false
    } catch {
      return true
    }
  }
  t.ok(isLocked())
  rmSync(path)
  const exists = (): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined
  await until(t, 'a removed lock file exists again', exists)
  await until(t, 'and is locked', isLocked)
  writeFileSync(`${path}.other`, '')
  const { ino } = statSync(`${path}.other`)
  renameSync(`${path}.other`, path)
  await until(t, 'a replaced lock file is locked', isLocked)
  t.equal(statSync(path).ino, ino)
})
