/** Writes the facts of files, and the rows that many of them share. */
import type { Facts } from '../../rinex/facts.ts'
import type { Columns, Dialect } from '../dialect.ts'
import type { Question, Values } from '../question.ts'
import { execute, rows, value } from '../question.ts'
import type { CountedFact } from './fact-counts.ts'
import { FactCounts } from './fact-counts.ts'
import type { SharedRow } from './values.ts'
import { toStored } from './values.ts'

const equipmentColumns: Columns = {
  hash: 'text',
  json: 'text',
  receiver: 'text',
  firmware: 'text',
  antenna: 'text',
  radome: 'text',
  latitude: 'int',
  longitude: 'int',
}

const observablesColumns: Columns = { hash: 'text', json: 'text', rinex_version: 'text' }

const factColumns: Columns = {
  id: 'bigint',
  equipment: 'int',
  observables: 'int',
  first_us: 'bigint',
  last_us: 'bigint',
  epochs: 'bigint',
  expected: 'bigint',
  share_ppm: 'int',
  flags: 'int',
  says: 'text',
  run_s: 'bigint',
  run_date: 'text',
}

/** The rows of `fact`, each with its checksum: see `ChecksumRows`. */
export class FactRows {
  readonly #equipment: SharedRows
  readonly #observables: SharedRows
  readonly #counts: FactCounts
  readonly #insert: string
  readonly #remove: string

  constructor(dialect: Dialect) {
    this.#equipment = new SharedRows(dialect, 'equipment', equipmentColumns)
    this.#observables = new SharedRows(dialect, 'observables', observablesColumns)
    this.#counts = new FactCounts(dialect)
    this.#insert = dialect.insert('fact', factColumns)
    this.#remove = `DELETE FROM fact WHERE ${dialect.isIn('id', 'ids')}
      RETURNING id, equipment, observables, flags, share_ppm`
  }

  /** @returns the number of these files that had facts */
  *remove(ids: readonly number[]): Question<number> {
    const removed = yield* rows<[...CountedFact]>(this.#remove, { ids })
    yield* this.#counts.count(removed, -1)
    return removed.length
  }

  /** Adds the facts of files that have none. */
  *insert(files: readonly { readonly id: number; readonly facts: Facts }[]): Question<void> {
    const stored = files.map(({ id, facts }) => ({ id, ...toStored(facts) }))
    const equipmentId = yield* this.#equipment.ids(stored.map(({ equipment }) => equipment))
    const observablesId = yield* this.#observables.ids(stored.map((file) => file.observables))
    const many = stored.map(({ id, equipment, observables, own }) => ({
      id,
      equipment: equipmentId(equipment),
      observables: observablesId(observables),
      ...own,
    }))
    yield* execute({ sql: this.#insert, many })
    yield* this.#counts.count(
      many.map((row) => [row.id, row.equipment, row.observables, row.flags, row.share_ppm]),
      1,
    )
  }
}

/** A table of distinct rows, which are found by their hash and never removed. */
class SharedRows {
  readonly #select: string
  readonly #last: string
  readonly #insert: string

  constructor(dialect: Dialect, table: string, columns: Columns) {
    this.#select = `SELECT hash, id FROM ${table} WHERE ${dialect.isIn('hash', 'hashes', 'text')}`
    this.#last = `SELECT max(id) FROM ${table}`
    this.#insert = dialect.insert(table, { id: 'bigint', ...columns })
  }

  /** Adds rows that are not in the table. @returns what tells their ids; `null` without a row */
  *ids(
    given: readonly (SharedRow | undefined)[],
  ): Question<(row: SharedRow | undefined) => number | null> {
    const wanted = new Map(given.flatMap((row) => (row === undefined ? [] : [[row.hash, row]])))
    const known = new Map(
      yield* rows<[hash: string, id: number]>(this.#select, { hashes: [...wanted.keys()] }),
    )
    const many: Values[] = []
    let last = (yield* value<number>(this.#last)) ?? 0
    for (const [hash, row] of wanted) {
      if (known.has(hash)) continue
      known.set(hash, ++last)
      many.push({ id: last, ...row })
    }
    yield* execute({ sql: this.#insert, many })
    return (row) => (row === undefined ? null : (known.get(row.hash) ?? null))
  }
}
