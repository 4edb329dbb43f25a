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
import type { Turn } from '../../../src/catalogue/sqlite/questions/places.ts'
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

/** A look that is the only one at its question. */
function aTurn(isTimeUp = () => false): Turn {
  return { question: {}, isTimeUp }
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
      const found = sort({ segments, matches: tally, turn: aTurn() }, stretch)
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
      const listed = { segments, matches: tally, turn: aTurn() }
      const { ids } = order(listed, { first, end: first + 20 }) ?? {}
      // Of 6,000: some blocks, some days, or what lies between the parts that are known in full.
      t.ok(ids && ids.length >= 20 && ids.length <= 800, `${name} from ${String(first)}`)
    }
})

/** Six segments of a few records each, half of them modified. */
async function fillWide(t: Test) {
  const { writer, setNextId, db } = openWide(t)
  for (let segment = 0; segment < 6; segment++) {
    setNextId(1 + segment * 65_536)
    const path = `obs/2024/${String(101 + segment)}`
    await writer.apply([change(path, { added: daily(101 + segment).map((name) => newFile(name)) })])
    const files = [...((await writer.directory(path))?.files ?? [])].slice(0, sites / 2)
    const modified = files.map(([name, { id }]) => ({ id, name, size: 1, mtimeUs: 1 }))
    await writer.apply([change(path, { modified })])
  }
  const columns = openColumns(db)
  const vocabulary = openVocabulary(db)
  columns.follow(1)
  vocabulary.follow()
  const { segments } = columns
  t.equal(segments.length, 6)
  const tallies = openTallies({ matching: openMatching(db), vocabulary })
  const tallyOf = (idAbove: number) => {
    const tally = tallies.of({ idAbove })
    tally.follow(segments, () => false)
    return tally
  }
  return { db, segments, vocabulary, tallyOf }
}

/** A look so short that it finds something of two segments. */
function ofTwoSegments(question: object): Turn {
  let asked = 0
  return { question, isTimeUp: () => asked++ >= 2 }
}

t.test('what is found by segment goes on where its time was up', async (t) => {
  const { segments, tallyOf } = await fillWide(t)
  const matches = tallyOf(0)
  const countsOf = openValueCounts('days')
  const question = {}
  for (let look = 1; look < segments.length / 2; look++)
    t.equal(countsOf({ segments, matches, turn: ofTwoSegments(question) }), undefined)
  const counted = countsOf({ segments, matches, turn: ofTwoSegments(question) })
  t.equal(counted?.size, segments.length)
  const again = countsOf({ segments, matches, turn: aTurn(() => true) })
  t.equal(again, counted, 'nothing is left to count, for another question either')
})

t.test('all of many sorted lists that are asked for in turns come to an end', async (t) => {
  const { db, segments, vocabulary, tallyOf } = await fillWide(t)
  const sort = openSorting(db, vocabulary)
  for (const key of Object.keys(expressions) as (keyof typeof expressions)[]) {
    const questions = Array.from({ length: 12 }, (_, idAbove) => ({ idAbove }))
    const lists = questions.map((question) => ({ question, matches: tallyOf(question.idAbove) }))
    let left = lists
    // Each order goes through the segments at most three times.
    for (let look = 0; look < 4 * segments.length && left.length > 0; look++)
      left = left.filter(({ question, matches }) => {
        const turn = ofTwoSegments(question)
        const stretch = { key, count: 600 - question.idAbove, offset: 290, limit: 20 }
        return sort({ segments, matches, turn }, { ...stretch, descending: false }) === undefined
      })
    t.equal(left.length, 0, key)
  }
})
