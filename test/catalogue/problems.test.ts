/** Pages of very many rejected names. */
import Sqlite from 'better-sqlite3'
import type { Test } from 'tap'
import { problems } from '../../src/catalogue/questions/problems.ts'
import { dialect } from '../../src/catalogue/sqlite/dialect.ts'
import { Driver } from '../../src/catalogue/sqlite/driver.ts'
import t from '../tap.ts'
import { openCatalogue } from './catalogue.ts'
import { change } from './change.ts'
import { aboutSqlite } from './engines.ts'

const kinds = ['incomplete', 'rejected'] as const

/** 8,000 directories with a hundred rejected names each, of two reasons. */
async function openRejected(t: Test) {
  const opened = await openCatalogue(t)
  const changes = Array.from({ length: 8000 }, (_, index) => {
    const id = index + 1
    const [year, day, hour] = [
      2000 + Math.floor(id / 8784),
      1 + (Math.floor(id / 24) % 366),
      id % 24,
    ]
    const path = `nrt/${year}/${String(day).padStart(3, '0')}/${String(hour).padStart(2, '0')}`
    const names = Array.from({ length: 100 }, (_, n) => `${id}-${n}.txt`)
    const reason = id % 10 === 0 ? 'symlink' : 'not-gz'
    return change(path, { rejections: [{ reason, count: 100, names }] })
  })
  await opened.writer.apply(changes)
  return opened
}

/** The name at a place of the list: by reason, then newest directory first. */
function nameAt(place: number): string {
  const row = Math.floor(place / 100)
  const name = place % 100
  if (row >= 7200) return `${8000 - 10 * (row - 7200)}-${name}.txt`
  // Nine of ten directories, from 7999 down.
  return `${7999 - 10 * Math.floor(row / 9) - (row % 9)}-${name}.txt`
}

t.test('any page of 800,000 rejected names is read', async (t) => {
  const { reader } = await openRejected(t)
  for (const [offset, limit] of [
    [0, 3],
    [99, 2],
    [450, 300],
    [719_950, 100],
    [799_999, 20],
    [800_000, 20],
    [12, 0],
  ] as const) {
    const { count, entries } = await reader.problems({ kinds, limit, offset })
    t.equal(count, 800_000)
    const places = Array.from({ length: Math.min(limit, 800_000 - offset) }, (_, n) => offset + n)
    t.strictSame(
      entries.map(({ path }) => path.slice(path.lastIndexOf('/') + 1)),
      places.map(nameAt),
      `${limit} from ${offset}`,
    )
  }
  const { rejected } = await reader.summary()
  t.strictSame(
    rejected.map(({ reason, count, examples }) => [reason, count, examples.length]),
    [
      ['not-gz', 720_000, 5],
      ['symlink', 80_000, 5],
    ],
  )
})

t.test('a question about problems ends at its deadline', { skip: aboutSqlite }, async (t) => {
  const { database } = await openRejected(t)
  const db = new Sqlite(database)
  t.teardown(() => db.close())
  const driver = new Driver(db)
  const ask = () => problems({ kinds: ['rejected'], limit: 1, offset: 0 }, { dialect })
  t.throws(
    () =>
      driver.read(ask(), () => {
        throw new Error('too late')
      }),
    { message: 'too late' },
    'within its first statement',
  )
  t.equal(driver.read(ask()).count, 800_000)
})
