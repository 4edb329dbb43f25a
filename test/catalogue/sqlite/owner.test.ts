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
import t from 'tap'
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

/** A database whose owner's row says this; the process that runs the tests is one that lives. */
function makeOwned(t: Test, owner: Partial<Row> = {}): string {
  const database = join(testFolder(t), 'catalogue.db')
  openWriter({ database, nowUs: () => 1 }).close()
  const pid = process.ppid
  const living = {
    boot_id: bootId,
    pid,
    start_time: startTimeOf(pid),
    inode: statSync(database).ino,
  }
  const db = new Sqlite(database)
  db.prepare(
    'UPDATE owner SET boot_id = @boot_id, pid = @pid, start_time = @start_time, inode = @inode',
  ).run({ ...living, ...owner })
  db.close()
  return database
}

function open(t: Test, database: string): void {
  const writer = openWriter({ database, nowUs: () => 1 })
  t.teardown(() => {
    writer.close()
  })
}

const us = { boot_id: bootId, pid: process.pid, start_time: startTimeOf(process.pid) }

t.test('a database that a living process writes is refused', async (t) => {
  const database = makeOwned(t)
  const before = rowOf(database)
  t.throws(() => openWriter({ database, nowUs: () => 1 }), {
    code: 'ALREADY_RUNNING',
    message: `already running: process ${process.ppid} is the indexer of ${database}`,
  })
  t.same(rowOf(database), before, 'and left as it is')
})

t.test('an owner that lives no more is replaced', async (t) => {
  const cases: [string, Partial<Row>][] = [
    ['it has ended', { pid: 2 ** 22 + 1 }],
    ['another process has its number now', { start_time: startTimeOf(process.ppid) - 1 }],
    ['the machine was started again', { boot_id: 'another' }],
    ['the file is a copy of the one it writes', { inode: 1 }],
  ]
  for (const [what, owner] of cases) {
    const database = makeOwned(t, owner)
    open(t, database)
    t.same(rowOf(database), { ...us, inode: statSync(database).ino }, what)
  }
})

t.test('the row is in the file itself from the start, where another name finds it', async (t) => {
  const database = join(testFolder(t), 'catalogue.db')
  open(t, database)
  const copy = `${database}.copy`
  // Without the write-ahead log, which lies beside the name.
  copyFileSync(database, copy)
  t.same(rowOf(copy), { ...us, inode: statSync(database).ino })
})

t.test('a database whose last changes lie beside another name is refused', async (t) => {
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
  t.pass('when there is none left it may be opened by any name')
})

t.test('a lock file that was removed or replaced is made and locked again', async (t) => {
  const database = join(testFolder(t), 'catalogue.db')
  const path = `${database}-lock`
  const lock = lockWriter(database, 5)
  t.teardown(() => {
    lock.release()
  })
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
  const isThere = (): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined
  await until(t, 'a removed one is there again', isThere)
  await until(t, 'and locked', isLocked)
  writeFileSync(`${path}.other`, '')
  const { ino } = statSync(`${path}.other`)
  renameSync(`${path}.other`, path)
  await until(t, 'a replaced one is locked', isLocked)
  t.equal(statSync(path).ino, ino)
})
