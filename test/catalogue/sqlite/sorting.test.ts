/** Lists sorted by other keys than the id, where many records were modified long after they were created. */
import t from 'tap'
import type { Test } from 'tap'
import { openColumns } from '../../../src/catalogue/sqlite/questions/columns.ts'
import { openDateOrder } from '../../../src/catalogue/sqlite/questions/date-order.ts'
import { openMatching } from '../../../src/catalogue/sqlite/questions/matching.ts'
import { openModified } from '../../../src/catalogue/sqlite/questions/modified.ts'
import { openNameOrder } from '../../../src/catalogue/sqlite/questions/name-order.ts'
import { openSorting } from '../../../src/catalogue/sqlite/questions/sorting.ts'
import { openTallies } from '../../../src/catalogue/sqlite/questions/tallies.ts'
import { orderByCreation } from '../../../src/catalogue/sqlite/questions/time-order.ts'
import { orderByModification } from '../../../src/catalogue/sqlite/questions/time-order.ts'
import { openVocabulary } from '../../../src/catalogue/sqlite/questions/vocabulary.ts'
import { openValueCounts } from '../../../src/catalogue/sqlite/questions/value-counts.ts'
import { fc } from '../../random.ts'
import { change, newFile } from '../change.ts'
import { openWide } from './wide.ts'

const days = 60
const sites = 100
const daily = (day: number): string[] =>
  Array.from({ length: sites }, (_, index) => {
    const site = `${'abcde'.charAt(index % 5)}${String(index).padStart(3, '0')}`
    const ddd = String(day).padStart(3, '0')
    return index % 2 === 0
      ? `${site}${ddd}0.24d.gz`
      : `${site.toUpperCase()}00AUT_R_2024${ddd}0000_01D_30S_MO.crx.gz`
  })

/** Days of all sites, of which then most files were replaced in an order of their own, each at a time of its own. */
async function fill(t: Test) {
  const wide = openWide(t)
  const { writer, db } = wide
  const paths = Array.from({ length: days }, (_, day) => `obs/2024/${String(1 + day)}`)
  for (const [day, path] of paths.entries())
    await writer.apply([change(path, { added: daily(1 + day).map((name) => newFile(name)) })])
  for (let round = 0; round < sites; round++)
    for (let from = 0; from < days; from += 6) {
      const some = paths.slice(from, from + 6).filter((_, index) => (index + round) % 4 !== 0)
      const changes = some.map(async (path, index) => {
        const files = [...((await writer.directory(path))?.files ?? [])]
        const [name, { id }] = files[(round * 37 + index) % sites] ?? ['', { id: 0 }]
        return change(path, { modified: [{ id, name, size: round, mtimeUs: round }] })
      })
      await writer.apply(await Promise.all(changes))
    }
  const columns = openColumns(db)
  const vocabulary = openVocabulary(db)
  columns.follow(1)
  vocabulary.follow()
  const { segments } = columns
  const tally = openTallies({ matching: openMatching(db), vocabulary }).of({})
  tally.follow(segments, () => false)
  return { db, segments, vocabulary, tally, count: days * sites }
}

const expressions = {
  data_date: 'data_date',
  created: 'created_us',
  modified: 'coalesce(modified_us, created_us)',
  filename: 'lower(name)',
}

t.test('any stretch of any order is the one that sorting all finds', async (t) => {
  const { db, segments, vocabulary, tally, count } = await fill(t)
  const isModified = db.prepare('SELECT count(*) FROM file WHERE modified_us IS NOT NULL').pluck()
  t.ok((isModified.get() as number) > 4000, 'more are modified than have parts of their own')
  const sort = openSorting(db, vocabulary)
  const question = fc.record({
    key: fc.constantFrom(...(Object.keys(expressions) as (keyof typeof expressions)[])),
    descending: fc.boolean(),
    offset: fc.nat(count - 1),
    limit: fc.integer({ min: 1, max: 300 }),
  })
  fc.assert(
    fc.property(question, ({ key, descending, offset, limit }) => {
      const stretch = { key, descending, offset, limit, count }
      const found = sort(segments, tally, stretch, () => false)
      const way = descending ? 'DESC' : 'ASC'
      const plain = db.prepare(
        `SELECT id FROM file ORDER BY ${expressions[key]} ${way}, id ${way} LIMIT ? OFFSET ?`,
      )
      return found?.join() === plain.pluck().all(limit, offset).join()
    }),
    { numRuns: 400 },
  )
})

t.test('few records are read for a stretch, wherever it is', async (t) => {
  const { db, segments, vocabulary, tally, count } = await fill(t)
  const orders = {
    data_date: openDateOrder(),
    created: orderByCreation,
    modified: orderByModification(openModified(db)),
    filename: openNameOrder(vocabulary),
  }
  for (const [name, order] of Object.entries(orders))
    for (const first of [0, 20, count / 2, count - 20]) {
      const { ids } = order(segments, tally, { first, end: first + 20 }, () => false) ?? {}
      // Of 6,000: some blocks, some days, or what lies between the parts that are known in full.
      t.ok(ids && ids.length >= 20 && ids.length <= 800, `${name} from ${String(first)}`)
    }
})

t.test('counts by value stop when their time is up, and go on from there', async (t) => {
  const { segments, tally } = await fill(t)
  const countsOf = openValueCounts()
  t.equal(
    countsOf(segments, tally, 'days', () => true),
    undefined,
  )
  const counted = countsOf(segments, tally, 'days', () => false)
  t.equal(counted?.size, segments.length)
  t.equal(
    countsOf(segments, tally, 'days', () => true),
    counted,
    'nothing is left to count',
  )
})
