/** A statement that takes too long ends, whatever it searches, and leaves the connection usable. */
import Sqlite from 'better-sqlite3'
import type { Test } from 'tap'
import type { FileFilter, NameCondition } from '../../../src/catalogue/filter.ts'
import { orderKeys } from '../../../src/catalogue/filter.ts'
import { records as recordsOf } from '../../../src/catalogue/questions/chunks.ts'
import { page } from '../../../src/catalogue/questions/pages.ts'
import { contextOf } from '../../../src/catalogue/selection/context.ts'
import { dialect } from '../../../src/catalogue/sqlite/dialect.ts'
import { Driver } from '../../../src/catalogue/sqlite/driver.ts'
import t from '../../tap.ts'
import { manyNames, openCatalogue } from '../catalogue.ts'
import { newFile } from '../change.ts'

const days = 60
const stations = 1000
const start = Date.UTC(2026, 0, 1) * 1000

/** Makes a database of 60,000 files of two types and 1,000 stations; half of them were replaced. */
async function makeLarge(): Promise<string> {
  const { database, writer, apply } = await openCatalogue(t, { stepUs: 1 })
  for (let day = 1; day <= days; day++) {
    const ddd = String(day).padStart(3, '0')
    const path = `obs/2026/${ddd}`
    const stems = manyNames(stations, `${ddd}0.26`)
    const names = stems.map((stem, n) => `${stem}${n % 2 === 0 ? 'd' : 'n'}.gz`)
    const added = names.map((name) => newFile(name, { size: 1, mtimeUs: 1 }))
    await apply({ added }, path)
    const files = [...((await writer.directory(path))?.files ?? [])].slice(0, stations / 2)
    const modified = files.map(([name, { id }]) => ({ id, name, size: 2, mtimeUs: 2 }))
    await apply({ modified }, path)
  }
  return database
}

const database = await makeLarge()

/** Opens a connection whose statements may be ended. */
function open(t: Test) {
  const db = new Sqlite(database, { readonly: true })
  t.teardown(() => db.close())
  return { db, driver: new Driver(db) }
}

const nothing: NameCondition = { how: 'contains', text: 'zz.' }

/** Filters that find nothing, but only after they have examined many files. */
const filters: Readonly<Record<string, FileFilter>> = {
  'a part of a name': { names: [nothing] },
  'the start of a name': { names: [nothing, { how: 'starts', text: '0' }] },
  'a type': { types: ['o'], names: [nothing] },
  'a country': { stations: codes(stations / 2), names: [nothing] },
  'a range of days': { start: { fromUs: start }, names: [nothing] },
  'a station in a range of days': {
    stations: codes(stations),
    start: { fromUs: start },
    names: [nothing],
  },
  'days with an overlap': {
    overlaps: { fromUs: start, toUs: start + days * 86_400e6 },
    names: [nothing],
  },
  'created since': { created: { fromUs: 0 }, names: [nothing] },
  'modified since': { modified: { fromUs: 0 }, names: [nothing] },
  'a range of ids': { idAbove: 10, names: [nothing] },
}

function codes(count: number): string[] {
  return manyNames(count, '').map((code) => code.toUpperCase())
}

t.test('each kind of search calls in_time in each order', async (t) => {
  const { db, driver } = open(t)
  let calls = 0
  db.function('in_time', () => {
    calls++
    return 1
  })
  for (const [name, filter] of Object.entries(filters))
    for (const key of orderKeys) {
      const ordering = { key, descending: true }
      calls = 0
      t.equal(driver.answer('page', { limit: 1, offset: 0, filter, ordering }).count, 0, name)
      t.ok(calls >= 4, `${name}, by ${key}: ${calls} calls`)
      if (key === 'modified') continue
      calls = 0
      driver.answer('records', { limit: 1, filter, ordering: { key, descending: true } })
      t.ok(calls >= 4, `${name}, a chunk by ${key}: ${calls} calls`)
    }
})

t.test('a statement that was ended leaves no transaction and no broken statement', async (t) => {
  const { db, driver } = open(t)
  const query = { limit: 1, offset: 0, filter: { names: [nothing] } }
  for (let round = 0; round < 3; round++) {
    let calls = 0
    const end = () => {
      if (++calls > 8) throw new Error('too late')
    }
    t.throws(() => driver.answer('page', query, end), { message: 'too late' })
    t.equal(db.inTransaction, false)
    t.equal(driver.answer('page', query).count, 0, 'the same statement')
  }
})

t.test('a walk begins where the first file can be', async (t) => {
  const { db, driver } = open(t)
  let calls = 0
  db.function('in_time', () => {
    calls++
    return 1
  })
  const context = contextOf(dialect, { ofPage: 0, ofChunk: 0 })
  const filter = { stations: codes(stations).slice(-200) }
  const ordering = { key: 'filename', descending: false } as const
  const { count, records } = driver.read(page({ limit: 20, offset: 0, filter, ordering }, context))
  t.equal(count, 200 * days)
  t.match(records[0]?.name, /^00m8/, 'the first of the last stations')
  driver.read(recordsOf({ limit: 20, filter, ordering }, context))
  t.ok(calls <= 4, `48,000 names before the first one were not read: ${calls} calls`)
})
