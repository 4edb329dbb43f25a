/** The command `copy`, as its users start it. */
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import type { Test } from 'tap'
import { openReader } from '../../src/catalogue/engines/engine.ts'
import type { ChunkCursor } from '../../src/catalogue/filter.ts'
import { openWriter } from '../../src/catalogue/sqlite/writer.ts'
import { copyingSchema } from '../../src/catalogue/tables/migrations.ts'
import { tables } from '../../src/catalogue/updates/copy.ts'
import { put } from '../acceptance/tree.ts'
import {
  checksumOf,
  day,
  identity,
  manyNames,
  openCatalogue,
  stamp,
} from '../catalogue/catalogue.ts'
import { arriving, change, newFile } from '../catalogue/change.ts'
import { applySteps, steps } from '../catalogue/random-steps.ts'
import { someFacts } from '../catalogue/some-facts.ts'
import { testFolder } from '../folder.ts'
import { lacksPostgres, openSchema, psql } from '../postgres.ts'
import { programLine } from '../program.ts'
import { fc } from '../random.ts'
import t from '../tap.ts'

const skip = lacksPostgres()

function start(...args: readonly string[]): ChildProcess {
  return spawn(...programLine(args), { stdio: ['ignore', 'pipe', 'pipe'] })
}

async function ended(child: ChildProcess) {
  let [stdout, stderr] = ['', '']
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}

const copying = (from: string, to: string) => start('copy', '--from', from, '--to', to)
const copy = (from: string, to: string) => ended(copying(from, to))

/** All rows of a file by table, as lines: the comparison of 24,000 objects takes seconds. */
function rowsOf(database: string): Record<string, string> {
  const db = new Sqlite(database, { readonly: true })
  const all = tables.map(({ name, key }) => {
    const sql = `SELECT * FROM ${name} ORDER BY ${key.join(', ')}`
    const lines = db
      .prepare(sql)
      .all()
      .map((row) => JSON.stringify(row))
    return [name, lines.join('\n')]
  })
  db.close()
  return Object.fromEntries(all) as Record<string, string>
}

/** The whole list and the feed, as a client reads them. */
async function answersOf(t: Test, database: string, since: number) {
  const reader = await openReader({ database })
  t.teardown(() => reader.close())
  const records: unknown[] = []
  for (let after: ChunkCursor | undefined, left = true; left; left = after !== undefined) {
    const chunk = await reader.records({ limit: 50, ...(after && { after }) })
    records.push(...chunk.records)
    after = chunk.next
  }
  return {
    lines: records.map((each) => JSON.stringify(each)).join('\n'),
    feed: await reader.changes({ since, limit: 1000, filters: {} }),
    summary: await reader.summary(),
    page: await reader.page({ limit: 20, offset: 3 }),
  }
}

/** A catalogue with rows in all tables, closed; and a seq that a client has. */
async function fill(t: Test) {
  const { database, writer, apply, clock, close } = await openCatalogue(t, { stepUs: 1_000_000 })
  for (const each of fc.sample(steps, 20)) await applySteps(writer, each)
  const rejections = [{ reason: 'unknown', count: 2, names: ['a"\u{1F6F0}', 'ä\t'] }]
  const added = manyNames(60, '0020.26o.gz').map((name) => newFile(name, identity))
  await apply({ added: arriving(added, clock.us), directories: ['obs/2026/003'] })
  const since = (await apply({}, 'obs/2025/001')).head.seq
  const known = await writer.directory(day)
  const ids = Array.from(known?.files.values() ?? [], ({ id }) => id)
  await writer.keepChecksums(
    ids.map((id) => checksumOf(id, { ...identity, facts: someFacts(id) })),
    since,
  )
  await writer.hashAgain(ids.slice(-3), 5)
  await apply({ removed: ids.slice(-9, -2), stamp, rejections })
  const scan = { startedUs: 1, endedUs: 2, directories: 3, files: 4 }
  await writer.scanned({ ...scan, added: 1, modified: 0, removed: 0 })
  await writer.setAsOf({ atUs: clock.us, limitSeconds: 60 })
  await close()
  return { database, since }
}

t.test('the tables and keys are those of the schema', async (t) => {
  const { database } = await openCatalogue(t)
  const db = new Sqlite(database)
  t.teardown(() => db.close())
  const names = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'`
  t.strictSame(tables.map(({ name }) => name).sort(), db.prepare(names).pluck().all().sort())
  for (const { name, columns, key } of tables) {
    const found = db.pragma(`table_info(${name})`) as { name: string; pk: number }[]
    t.strictSame(
      found.map((each) => each.name),
      Object.keys(columns),
    )
    const keys = found.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
    t.strictSame(
      keys.map((each) => each.name),
      key,
      name,
    )
  }
})

t.test('a catalogue goes to a server and back', { skip }, async (t) => {
  const { database, since } = await fill(t)
  const [url, other] = [await openSchema(t), await openSchema(t)]
  const back = join(testFolder(t), 'back.db')
  for (const [from, to] of [
    [database, url],
    [url, other],
    [other, back],
  ] as const) {
    const { code, stdout, stderr } = await copy(from, to)
    t.same({ code, stderr }, { code: 0, stderr: '' })
    t.match(stdout, /^file: [1-9]\d* rows, sha256 [0-9a-f]{64}$/m)
    t.notMatch(stdout, url)
  }
  const rows = rowsOf(database)
  for (const { name } of tables) t.not(rows[name], '', name)
  t.strictSame(rowsOf(back), rows)
  const expected = await answersOf(t, database, since)
  t.not(expected.feed.changes.length, 0)
  for (const each of [url, other, back]) t.strictSame(await answersOf(t, each, since), expected)
  for (const each of [url, back]) {
    t.match(await ended(start('check', '--database', each)), { code: 0 })
    t.match(await copy(database, each), {
      code: 0,
      stdout: /^comparing catalogue\n[^]*\ncatalogue: 1 rows/,
    })
  }
})

/** Copies, and kills the copy again and again, each time a little later. */
async function copyWithKills(from: string, to: string, onKilled: () => Promise<void>) {
  for (let kills = 0; ; kills++) {
    const child = copying(from, to)
    const end = ended(child)
    await new Promise((resolve) => child.stdout?.once('data', resolve))
    const isOver = await Promise.race([end.then(() => true), delay(30 * 2 ** kills, false)])
    if (isOver) return { kills, ...(await end) }
    child.kill('SIGKILL')
    await end
    await onKilled()
  }
}

async function fillLarge(t: Test) {
  const { database, apply, writer, close } = await openCatalogue(t)
  // As in a first scan that was interrupted.
  await writer.deferIndexes()
  for (let first = 0; first < 24_000; first += 6000)
    await apply({ added: manyNames(6000, '0010.26d.gz', first).map((name) => newFile(name)) })
  await close()
  return database
}

t.test('a killed copy is refused until it was continued', { skip }, async (t) => {
  const database = await fillLarge(t)
  const url = await openSchema(t)
  const back = join(testFolder(t), 'back.db')
  let refused = 0
  const refuses = async (to: string): Promise<void> => {
    const schema = to === url ? await psql(url, 'SELECT schema FROM server') : userVersion(to)
    if (Number(schema) !== copyingSchema) return
    const reader = await openReader({ database: to })
    await t.rejects(reader.head(), { code: 'CATALOGUE_UNAVAILABLE' })
    await reader.close()
    if (refused++ > 0) return
    const index = await ended(start('index', '--once', '--archive', '/', '--database', to))
    t.match(index, { code: 78, stderr: /is an unfinished copy: repeat/ })
  }
  for (const [from, to] of [
    [database, url],
    [url, back],
  ] as const) {
    refused = 0
    const { code, kills } = await copyWithKills(from, to, () => refuses(to))
    t.equal(code, 0)
    t.ok(refused > 1, `${refused} of ${kills} killed copies were unfinished`)
  }
  t.strictSame(rowsOf(back), rowsOf(database))
})

const userVersion = (database: string): unknown => {
  const db = new Sqlite(database)
  const version = db.pragma('user_version', { simple: true })
  db.close()
  return version
}

/** Kills a copy when it begins with this table, long before its end. */
async function copyUntil(table: string, from: string, to: string): Promise<void> {
  const child = copying(from, to)
  child.stdout?.on('data', (chunk: Buffer) => {
    if (chunk.includes(`copying ${table}`)) child.kill('SIGKILL')
  })
  t.match(await ended(child), { code: null })
}

t.test('a reader that was there before sees no unfinished copy', { skip }, async (t) => {
  const { database } = await fill(t)
  const head = await (await openReader({ database })).head()
  for (const to of [await openSchema(t), join(testFolder(t), 'back.db')]) {
    await ended(start('index', '--once', '--archive', testFolder(t), '--database', to))
    const reader = await openReader({ database: to })
    t.teardown(() => reader.close())
    t.match(await reader.head(), { seq: 0 })
    await copyUntil('directory', database, to)
    await t.rejects(reader.head(), { code: 'CATALOGUE_UNAVAILABLE' })
    await t.rejects(reader.page({ limit: 9, offset: 0 }), { code: 'CATALOGUE_UNAVAILABLE' })
    t.match(await copy(database, to), { code: 0 })
    t.strictSame(await reader.head(), head)
    t.strictSame((await reader.page({ limit: 9, offset: 0 })).head, head)
  }
})

t.test('a copy begins again if the source was written meanwhile', async (t) => {
  const database = await fillLarge(t)
  const back = join(testFolder(t), 'back.db')
  await copyUntil('id_count', database, back)
  t.equal(userVersion(back), copyingSchema)
  const writer = openWriter({ database, nowUs: () => 1 })
  await writer.apply([change(day, { removed: [7] })])
  writer.close()
  t.match(await copy(database, back), { code: 0, stderr: '' })
  t.strictSame(rowsOf(back), rowsOf(database))
})

t.test('the indexer goes on with the copy', { skip }, async (t) => {
  const archive = testFolder(t)
  for (const name of manyNames(30)) put(archive, join(day, name))
  const [database, back] = [join(testFolder(t), 'a.db'), join(testFolder(t), 'b.db')]
  const url = await openSchema(t)
  const index = async (to: string) => {
    const { code } = await ended(start('index', '--once', '--archive', archive, '--database', to))
    t.equal(code, 0)
    const reader = await openReader({ database: to })
    const { epoch, seq } = await reader.head()
    const ids = (await reader.page({ limit: 100, offset: 0 })).records.map(({ id }) => id)
    await reader.close()
    return { epoch, seq, highest: Math.max(...ids) }
  }
  const first = await index(database)
  t.match(await copy(database, url), { code: 0 })
  t.strictSame(await index(url), first)
  put(archive, join(day, 'zimm0010.26d.gz'))
  const second = { ...first, seq: first.seq + 1, highest: first.highest + 1 }
  t.strictSame(await index(url), second)
  t.match(await copy(url, back), { code: 0 })
  t.strictSame(await index(back), second)
  put(archive, join(day, 'wtzr0010.26d.gz'))
  t.match(await index(back), { ...second, seq: second.seq + 1, highest: second.highest + 1 })
})

t.test('a copy is refused, or differs', { skip }, async (t) => {
  const { database } = await fill(t)
  const { database: other, writer, add } = await openCatalogue(t)
  const [url, folder] = [await openSchema(t), testFolder(t)]
  await add('graz0010.26d.gz')
  const refusal = (reason: RegExp, code = 1) => ({ code, stdout: '', stderr: reason })
  const stop = /another indexer holds .*-lock; stop it first: systemctl stop/
  t.match(await copy(other, url), refusal(stop))
  t.match(await copy(database, other), refusal(stop))
  writer.close()
  t.match(await copy(database, other), refusal(/the target has another catalogue: remove it/))
  t.match(await copy(database, database), refusal(/is also the target/))
  t.match(await copy(join(folder, 'no.db'), url), refusal(/no\.db does not exist/))
  t.match(
    await copy(database, 'postgresql://a:secret@b/c'),
    refusal(/--to: the database must be a URL w/, 78),
  )
  t.match(await ended(start('copy', '--to', url)), refusal(/--from/, 2))
  writeFileSync(join(folder, 'text'), 'x'.repeat(5000))
  t.match(
    await copy(database, join(folder, 'text')),
    refusal(/text cannot be opened: file is not a database/),
  )

  t.match(await copy(database, url), { code: 0 })
  t.match(await copy(other, url), refusal(/the target has another catalogue: remove it/))
  await psql(url, 'UPDATE directory SET files = files + 1; DELETE FROM checksum')
  const { code, stderr } = await copy(database, url)
  t.equal(code, 1)
  t.match(stderr, /^rinex-catalogue: the target differs in directory, checksum: remove it and/)
})
