/** One process writes a database, by whatever name it and others know the file. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  linkSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import type { Test } from 'tap'
import { isLiving, readOwner } from '../../../src/catalogue/sqlite/owner.ts'
import type { Owner } from '../../../src/catalogue/sqlite/owner.ts'
import { openWriter } from '../../../src/catalogue/sqlite/writer.ts'
import { until } from '../../indexer/until.ts'
import { makeEarlier } from '../earlier.ts'
import { testFolder } from '../../folder.ts'

/** A process that opens a database, then writes as many thousand records as each line tells it, and says what came of it. */
const program = `
  import { createInterface } from 'node:readline'
  const [modules, database] = process.argv.slice(1)
  const { openWriter } = await import(modules + '/catalogue/sqlite/writer.js')
  const { parseFilename } = await import(modules + '/parse/filename.js')
  try {
    const writer = openWriter({ database, nowUs: () => Date.now() * 1000 })
    console.log('open')
    let days = 0
    const none = { gone: false, arrived: false, directories: [], modified: [], filled: [], removed: [], rejections: [], misplaced: 0 }
    for await (const line of createInterface({ input: process.stdin })) {
      if (line === 'end') { await writer.checkpoint(); process.exit(0) }
      for (let n = 0; n < Number(line); n++) {
        const names = Array.from({ length: 1000 }, (_, at) => 'a' + String(at).padStart(3, '0') + '0010.26d.gz')
        const added = names.map((name) => ({ name, parsed: parseFilename(name) }))
        await writer.apply([{ ...none, path: 'obs/2026/d' + days++, added }])
      }
      console.log('written')
    }
  } catch (error) {
    console.log(error.code + ' ' + error.message)
    process.exit(1)
  }`

interface Writing {
  readonly process: ChildProcess
  /** What it says next. */
  readonly said: () => Promise<string>
  readonly tell: (line: string) => void
  readonly kill: () => Promise<unknown>
}

function startWriting(t: Test, database: string): Writing {
  const args = ['--input-type=module', '-e', program, join(process.cwd(), 'dist'), database]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  t.teardown(kill)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    process: child,
    said: async () => String((await lines.next()).value),
    tell: (line) => child.stdin.write(`${line}\n`),
    kill,
  }
}

/** A database with two names in two folders, made by a process that has ended. */
function makeLinked(t: Test) {
  const folder = testFolder(t, { x: {}, y: {} })
  const [name, other] = [join(folder, 'x/c.db'), join(folder, 'y/h.db')]
  openWriter({ database: name, nowUs: () => 0 }).close()
  linkSync(name, other)
  return { folder, name, other }
}

const open = (database: string) => openWriter({ database, nowUs: () => 0 })

t.test('a database is not opened by another of its names while it is written', async (t) => {
  const { folder, name, other } = makeLinked(t)
  const first = startWriting(t, name)
  t.equal(await first.said(), 'open')
  const refused = {
    code: 'ALREADY_RUNNING',
    message: `already running: process ${first.process.pid} indexes into ${other}, which it has opened as ${name}`,
  }
  t.throws(() => open(other), refused, 'right after its start')
  first.tell('1')
  t.equal(await first.said(), 'written')
  t.throws(() => open(other), refused, 'with much in its log')
  // The file grows by what is copied from the log, and looks damaged meanwhile.
  first.tell('60')
  let ended: string | undefined
  const writing = first.said().then((line) => (ended = line))
  let tries = 0
  while (ended === undefined) {
    tries++
    t.throws(() => open(other), refused, 'while it writes')
    await new Promise((resolve) => setImmediate(resolve))
  }
  t.equal(await writing, 'written', `${tries} times`)
  t.same(
    readdirSync(join(folder, 'y')).filter((file) => file.includes('corrupt')),
    [],
  )
  first.tell('end')
  await once(first.process, 'exit')
  const second = open(other)
  t.same(await second.count('obs'), 61_000, 'all that it wrote is there')
  second.close()
  const db = new Sqlite(name)
  t.equal(db.pragma('integrity_check', { simple: true }), 'ok')
  db.close()
})

t.test('a database is not opened by the same name without its lock file either', async (t) => {
  const { name } = makeLinked(t)
  const first = startWriting(t, name)
  t.equal(await first.said(), 'open')
  const message = `already running: process ${first.process.pid} indexes into ${name}`
  t.throws(() => open(name), { code: 'ALREADY_RUNNING', message }, 'by its lock file')
  writeFileSync(`${name}-lock.new`, '')
  copyFileSync(`${name}-lock.new`, `${name}-backup-new`)
  renameSync(`${name}-lock.new`, `${name}-lock`)
  t.throws(() => open(name), { code: 'ALREADY_RUNNING', message }, 'by its row')
  t.ok(statSync(`${name}-backup-new`), 'and nothing beside it is touched')
})

const simultaneous: Record<string, (name: string) => void> = {
  'a database': () => undefined,
  'a database of an earlier release': makeEarlier,
  'an empty file': (name) => {
    writeFileSync(name, '')
  },
}

for (const [what, prepare] of Object.entries(simultaneous))
  t.test(`of two that start at once on two names of ${what} one wins`, async (t) => {
    for (let round = 0; round < 3; round++) {
      const { name, other } = makeLinked(t)
      prepare(name)
      const both = [name, other].map((path) => startWriting(t, path))
      const said = await Promise.all(both.map((each) => each.said()))
      const winners = both.filter((_, index) => said[index] === 'open')
      t.equal(winners.length, 1, said.join())
      t.match(said.toSorted()[0], /^ALREADY_RUNNING already running: /)
      t.match(readOwner(name), { pid: winners[0]?.process.pid }, 'and it is the owner')
      await Promise.all(both.map((each) => each.kill()))
    }
  })

t.test(
  'what a process that was killed left in its log keeps others from another name',
  async (t) => {
    const { name, other } = makeLinked(t)
    const first = startWriting(t, name)
    t.equal(await first.said(), 'open')
    first.tell('1')
    t.equal(await first.said(), 'written')
    await first.kill()
    t.throws(() => open(other), {
      code: 'UNUSABLE_DATABASE',
      message: `${other} was last written as ${name}, whose log was not written back: start once with that name`,
    })
    const again = open(name)
    t.equal(await again.count('obs'), 1000)
    await again.checkpoint()
    again.close()
    const by = open(other)
    t.equal(await by.count('obs'), 1000)
    by.close()
  },
)

t.test('a damaged database with several names is not set aside', async (t) => {
  const { folder, name, other } = makeLinked(t)
  const { size } = statSync(name)
  writeFileSync(name, Buffer.alloc(size, 'x'))
  t.throws(() => open(other), {
    code: 'UNUSABLE_DATABASE',
    message: 'is damaged and has hard links',
  })
  t.same(readdirSync(join(folder, 'y')).toSorted(), ['h.db', 'h.db-lock'])
})

t.test('the owner is in the file before a migration begins', async (t) => {
  const database = join(testFolder(t), 'c.db')
  open(database).close()
  makeEarlier(database)
  t.equal(readOwner(database), undefined)
  const owners: (Owner | undefined)[] = []
  const onMigrating = () => {
    // Without the log, as another name of the file has it.
    copyFileSync(database, `${database}-copy`)
    owners.push(readOwner(`${database}-copy`))
  }
  openWriter({ database, nowUs: () => 0, onMigrating }).close()
  t.match(owners, [{ pid: process.pid, path: database }])
})

/** Writes an owner into a database as another process would, by this name. */
function setOwner(database: string, owner: Partial<Owner>): void {
  const db = new Sqlite(database)
  const { dev, ino } = statSync(database, { bigint: true })
  const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  const row = { bootId, file: `${dev}:${ino}`, path: database, ...owner }
  db.prepare(
    'INSERT OR REPLACE INTO owner VALUES (1, @bootId, @pid, @startTime, @file, @path)',
  ).run(row)
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
}

function startTime(pid: number): number {
  return Number(/\) \S+ (?:\S+ ){18}(\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1])
}

/** A process, and what is left of one that has ended and that its parent does not ask for. */
async function makeProcesses(t: Test) {
  const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep infinity'])
  t.teardown(() => parent.kill())
  const [line] = (await once(parent.stdout, 'data')) as [Buffer]
  const [pid, left] = [parent.pid ?? 0, Number(line.toString())]
  await until(t, 'one has ended', () => / Z /.test(readFileSync(`/proc/${left}/stat`, 'utf8')))
  return {
    living: { pid, startTime: startTime(pid) },
    left: { pid: left, startTime: startTime(left) },
  }
}

t.test(
  'the row of a process that is not there is taken over, that of another is not',
  async (t) => {
    const { living, left } = await makeProcesses(t)
    const database = join(testFolder(t), 'c.db')
    const cases: { title: string; owner: Partial<Owner>; isRefused: boolean }[] = [
      { title: 'a process that runs', owner: living, isRefused: true },
      { title: 'one of an earlier boot', owner: { ...living, bootId: 'other' }, isRefused: false },
      {
        title: 'one whose number another process has now',
        owner: { ...living, startTime: living.startTime - 1 },
        isRefused: false,
      },
      { title: 'one that has ended', owner: { pid: 2 ** 30, startTime: 1 }, isRefused: false },
      { title: 'one that has ended and whose parent does not ask', owner: left, isRefused: false },
      {
        title: 'one that writes the original of this copy',
        owner: { ...living, file: '1:1' },
        isRefused: false,
      },
    ]
    open(database).close()
    for (const { title, owner, isRefused } of cases) {
      setOwner(database, owner)
      if (isRefused) {
        const message = `already running: process ${living.pid} indexes into ${database}`
        t.throws(() => open(database), { code: 'ALREADY_RUNNING', message }, title)
        t.match(readOwner(database), owner, 'and stays')
      } else {
        const writer = open(database)
        const now = readOwner(database)
        t.match(now, { pid: process.pid, path: database }, title)
        t.ok(now !== undefined && isLiving(now))
        writer.close()
        t.equal(readOwner(database), undefined, 'and it is given up in the end')
      }
    }
  },
)

t.test('the last of two rows that were written at once decides', async (t) => {
  const { name, other } = makeLinked(t)
  const { living } = await makeProcesses(t)
  const first = startWriting(t, name)
  // It has written its row into the file, and is about to read it again.
  await until(t, 'it has', () => readOwner(other)?.pid === first.process.pid)
  setOwner(other, living)
  const message = `already running: process ${living.pid} indexes into ${name}, which it has opened as ${other}`
  t.equal(await first.said(), `ALREADY_RUNNING ${message}`)
  t.match(readOwner(other), living)
})

t.test('a copy of a database that is written is a database of its own', async (t) => {
  const { name } = makeLinked(t)
  const first = startWriting(t, name)
  t.equal(await first.said(), 'open')
  const copy = `${name}-copy`
  copyFileSync(name, copy)
  t.equal(readOwner(copy)?.pid, first.process.pid)
  const writer = open(copy)
  t.match(readOwner(copy), { pid: process.pid, path: copy })
  writer.close()
  t.match(readOwner(name), { pid: first.process.pid, path: name })
})

t.test('a backup that takes the place of a database has a new owner', async (t) => {
  const database = join(testFolder(t), 'c.db')
  const { living } = await makeProcesses(t)
  const writer = open(database)
  t.match(await writer.backup({ ifOlderThanMs: 0 }), { outcome: 'kept' })
  writer.close()
  setOwner(`${database}-backup-1`, living)
  writeFileSync(database, 'no database at all, but long enough to be read as one')
  const restored = open(database)
  t.ok(restored.recovery.restored)
  const { dev, ino } = statSync(database)
  t.match(readOwner(database), { pid: process.pid, path: database, file: `${dev}:${ino}` })
  restored.close()
})
