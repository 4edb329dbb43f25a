/** Which index has the fewest entries to read for a selection. */
import type { Dialect } from '../dialect.ts'
import type { OrderKey } from '../filter.ts'
import type { Question } from '../question.ts'
import { value } from '../question.ts'
import { conditionsOf, orders, problemIds } from './conditions.ts'
import type { Counts } from './counts.ts'
import { boundsOf } from './date-ranges.ts'
import { countedFiles, countedKeys, filesBelow, has } from './fact-conditions.ts'
import type { Selection } from './selection.ts'
import { hasOnly } from './selection.ts'

/** An index (`''`: the table itself), and how many of its entries match its conditions. */
export interface IndexChoice {
  readonly index: string
  readonly entries: number
  /** What reading them costs, in entries of an index that are read in its order. */
  readonly cost: number
}

/** The columns of an index that conditions use or an answer has; `size` is in no index. */
type Reads = readonly (keyof Selection | 'size')[]

/**
 * Reading a row of the table in its order takes as long as two entries of an index; looking up the
 * row of an entry takes as long as ten.
 */
const [rowEntries, lookupEntries] = [2, 10]

/** Entries of an index without a table of counts are counted up to this number. */
const mostCounted = 50_000

type IndexEntries = Omit<IndexChoice, 'cost'>

/** Chooses the index of a selection, because the planners do not know how many files it has. */
export class Narrowest {
  readonly #dialect: Dialect
  readonly #counts: Counts

  constructor(dialect: Dialect, counts: Counts) {
    this.#dialect = dialect
    this.#counts = counts
  }

  /** @param reads what the answer has of each file besides its id */
  *of(selection: Selection, reads: Reads = []): Question<IndexChoice> {
    const { stations, dates, kinds, ids, created, modified, problems, names } = selection
    const total = yield* this.#counts.ofIds(undefined)
    const inIds = ids === undefined ? total : yield* this.#counts.ofIds(undefined, ids)
    let best: IndexChoice = { index: '', entries: inIds, cost: inIds * rowEntries }
    /** @param contained the conditions whose columns the index contains */
    const consider = (choice: IndexEntries, contained: readonly (keyof Selection)[]): void => {
      const isCovered =
        hasOnly(selection, [...contained, 'ids', 'after']) &&
        reads.every((each) => contained.some((column) => column === each))
      const cost = choice.entries * (isCovered ? 1 : lookupEntries)
      if (cost < best.cost) best = { ...choice, cost }
    }
    if (dates !== undefined) {
      const entries = yield* this.#counts.ofDates([boundsOf(dates)], undefined)
      consider({ index: 'file_date', entries }, ['dates', 'kinds'])
      if (stations !== undefined) {
        // A station may have more of its files in the range than other stations have.
        const share = Math.min(1, (2 * entries) / Math.max(1, total))
        const files = yield* this.#counts.ofStations(stations, undefined)
        const some = { index: 'file_station', entries: share * files + 10 * stations.length }
        consider(some, ['stations', 'dates', 'kinds'])
      }
    } else if (stations !== undefined) {
      const entries = yield* this.#counts.ofStations(stations, undefined)
      consider({ index: 'file_station', entries }, ['stations', 'kinds'])
    }
    if (kinds !== undefined)
      consider({ index: 'file_kind', entries: yield* this.#counts.ofIds(kinds, ids) }, ['kinds'])
    if (problems !== undefined) {
      const entries = yield* this.#upTo(problemIds(problems, this.#dialect), {}, total)
      consider({ index: '', entries }, ['problems'])
    }
    if (has(selection, countedKeys)) {
      const entries = yield* countedFiles(selection, this.#dialect)
      consider({ index: 'fact_counted', entries }, [])
    }
    if (selection.shareBelow !== undefined) {
      const { shareBelow } = selection
      const entries = yield* filesBelow({ shareBelow }, this.#dialect)
      consider({ index: 'fact_share', entries }, [])
    }
    // A part of a name is searched in the table, which takes less time than in the index.
    const begins = names?.filter(({ how }) => how !== 'contains') ?? []
    const orderings: [OrderKey, Selection | undefined][] = [
      ['created', created && { created }],
      ['modified', modified && { modified }],
      ['filename', begins.length > 0 ? { names: begins } : undefined],
    ]
    for (const [key, condition] of orderings)
      if (condition !== undefined)
        consider(yield* this.#inOrder(key, condition, total), [
          ...(Object.keys(condition) as (keyof Selection)[]),
          'nameRange',
        ])
    return best
  }

  *#inOrder(key: OrderKey, condition: Selection, total: number): Question<IndexEntries> {
    const { index } = orders[key]
    const { sql, values } = conditionsOf(condition, this.#dialect)
    const found = `SELECT 1 FROM file f ${this.#dialect.using(index)} WHERE ${sql}`
    return { index, entries: yield* this.#upTo(found, values, total) }
  }

  *#upTo(found: string, values: Parameters<typeof value>[1], total: number): Question<number> {
    const sql = `SELECT count(*) FROM (${found} LIMIT ${mostCounted}) AS part`
    const entries = (yield* value<number>(sql, values)) ?? 0
    return entries < mostCounted ? entries : total
  }
}
