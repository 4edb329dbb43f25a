/** No main query reads the whole table of files. */
import Sqlite from 'better-sqlite3'
import type { Test } from 'tap'
import type { FileFilter, Ordering } from '../../../src/catalogue/filter.ts'
import type { Question } from '../../../src/catalogue/question.ts'
import { deliveries } from '../../../src/catalogue/questions/network-deliveries.ts'
import { page } from '../../../src/catalogue/questions/pages.ts'
import type { QuestionContext } from '../../../src/catalogue/selection/context.ts'
import { contextOf } from '../../../src/catalogue/selection/context.ts'
import { dialect } from '../../../src/catalogue/sqlite/dialect.ts'
import { Driver } from '../../../src/catalogue/sqlite/driver.ts'
import type { Counting } from '../../../src/catalogue/sums.ts'
import { HashingQueue } from '../../../src/catalogue/updates/checksum-queue.ts'
import t from '../../tap.ts'
import { checksumOf, manyNames, openCatalogue } from '../catalogue.ts'
import { newFile } from '../change.ts'
import { allFacts, flagged } from '../some-facts.ts'

const day = 86_400
const us = (seconds: number): number => seconds * 1e6
const start = Date.UTC(2026, 0, 1) / 1000
const by = (key: Ordering['key']): Ordering => ({ key, descending: true })

const queries: readonly (readonly [name: string, filter: FileFilter, ordering?: Ordering])[] = [
  ['the plain list', {}],
  ['a type', { types: ['n'] }],
  ['a duration', { durations: ['h'] }],
  ['a station', { stations: ['000S'] }],
  ['a country', { countries: ['AUT'] }],
  ['a day', { days: [start / day + 3] }],
  ['a range of days', { start: { fromUs: us(start), toUs: us(start + 9 * day) } }],
  [
    'data that overlap a range',
    { overlaps: { fromUs: us(start + day), toUs: us(start + 2 * day) } },
  ],
  ['a station in a range of days', { stations: ['000S'], start: { fromUs: us(start + day) } }],
  ['a name', { names: [{ how: 'is', text: '000s0010.26d.gz' }] }],
  ['the start of a name', { names: [{ how: 'starts', text: '000s' }] }],
  ['created since', { created: { fromUs: 1_700_000_000_000_012 } }],
  ['modified since', { modified: { fromUs: 1_700_000_000_000_012 } }],
  ['a cursor', { idAbove: 5000 }],
  ['by date', {}, by('data_date')],
  ['by name', {}, by('filename')],
  ['by creation', {}, by('created')],
  ['by modification', {}, by('modified')],
]

/** What gives the steps of the query plans of all statements about files of a question. */
async function openPlans(t: Test) {
  const { database, apply, writer } = await openCatalogue(t, { stepUs: 1 })
  for (let dayOfYear = 1; dayOfYear <= 30; dayOfYear++) {
    const ddd = String(dayOfYear).padStart(3, '0')
    const names = manyNames(200, `${ddd}0.26d.gz`)
    const long = `GRAZ00AUT_R_2026${ddd}0000_01D_30S_MO.crx.gz`
    const added = [...names, `graz${ddd}0.26n.gz`, `graz${ddd}b.26o.gz`, long].map((name) =>
      newFile(name),
    )
    await apply({ added }, `obs/2026/${ddd}`)
  }
  const other = { ...allFacts, receiver: { type: 'LEICA GR50' }, ...flagged('torn') }
  const checksums = Array.from({ length: 3000 }, (_, index) => {
    const whole = { ...allFacts, signals: { G: ['C1C'] }, epochs: 120, share: 1, flags: [] }
    return checksumOf(index + 1, { facts: index % 100 === 0 ? other : whole })
  })
  await writer.keepChecksums(checksums, 30)
  const run: string[] = []
  const db = new Sqlite(database, { readonly: true, verbose: (sql) => void run.push(String(sql)) })
  t.teardown(() => db.close())
  const context = contextOf(dialect)
  const driver = new Driver(db)
  const stepsOf = <T>(question: (context: QuestionContext) => Question<T>) => {
    run.length = 0
    const answer = driver.read(question(context))
    const statements = run.filter((sql) => /\b(file|fact)\b/.test(sql))
    const steps = statements.flatMap(
      (sql) => db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[],
    )
    return { answer, steps: steps.map(({ detail }) => detail) }
  }
  const plansOf = (filter: FileFilter, ordering: Ordering, sums?: Counting): string[] => {
    const query = { limit: 20, offset: 0, filter, ordering, sums }
    const { answer, steps } = stepsOf((known) => page(query, known))
    if (answer.records.length === 0) throw new Error('the query finds nothing')
    return steps
  }
  return { stepsOf, plansOf }
}

t.test('main queries search an index, or search the table between two ids', async (t) => {
  const { plansOf } = await openPlans(t)
  for (const [name, filter, ordering = by('id')] of queries) {
    const scans = plansOf(filter, ordering).filter(
      (detail) => /^SCAN f\b/.test(detail) && !/USING (COVERING )?INDEX file_/.test(detail),
    )
    t.strictSame(scans, [], name)
  }
})

t.test('files are found by what is inside them in the indexes of facts', async (t) => {
  const { plansOf } = await openPlans(t)
  const cases: readonly (readonly [FileFilter, string])[] = [
    [{ flags: ['torn'] }, 'fact_counted'],
    [{ receiver: ['leica gr50'] }, 'fact_counted'],
    [{ signals: ['C1X'] }, 'fact_counted'],
    [{ shareBelow: 950_000 }, 'fact_share'],
  ]
  for (const [filter, index] of cases) {
    const steps = plansOf(filter, by('id'))
    const name = JSON.stringify(filter)
    t.ok(
      steps.some((detail) => detail.startsWith('SEARCH x ') && detail.includes(` ${index} `)),
      name,
    )
    t.strictSame(
      steps.filter((detail) => /^SCAN (f|x)\b/.test(detail)),
      [],
      name,
    )
  }
})

t.test('what changed is found by its change, however many files are older', async (t) => {
  const { stepsOf } = await openPlans(t)
  const days = { fromDay: start / day, toDay: start / day + 60 }
  const { answer } = stepsOf((context) => deliveries(days, context))
  const since = { ...answer.head, seq: answer.head.seq - 1 }
  const { steps } = stepsOf((context) => deliveries({ ...days, since }, context))
  const searches = steps.filter((detail) => /(SEARCH|SCAN) file\b/.test(detail))
  t.ok(searches.length > 0)
  t.strictSame(
    searches.filter((detail) => !/INDEX file_(seq|damaged)\b/.test(detail)),
    [],
  )
})

t.test('files to be read are found by ids and changes, however many were read', async (t) => {
  const { stepsOf } = await openPlans(t)
  const queue = new HashingQueue(dialect)
  const found = [
    stepsOf(() => queue.below(5000, true)),
    stepsOf(() => queue.below(5000, false)),
    stepsOf(() => queue.arrived(100)),
    stepsOf(() => queue.stale(us(start))),
  ]
  for (const { steps } of found) {
    t.ok(steps.length > 0)
    // A scan of a subquery is one of its rows, at most 2,000.
    const scans = steps.filter((detail) => /^SCAN (?!f$|c$|part$|\(subquery)/.test(detail))
    t.strictSame(scans, [])
    t.ok(steps.some((detail) => /^SEARCH (file|checksum) USING/.test(detail)))
  }
})

t.test('files with a problem are counted without a list of all of them', async (t) => {
  const { plansOf } = await openPlans(t)
  for (const [name, filter] of queries) {
    const plans = plansOf(filter, by('id'), { facets: true, most: Infinity })
    const steps = plans.join('\n')
    t.match(steps, /file_(misplaced|incomplete)|f USING INDEX/, name)
    t.notMatch(steps, /LIST SUBQUERY.*\n.*USING.*file_(misplaced|incomplete)/, name)
  }
})
