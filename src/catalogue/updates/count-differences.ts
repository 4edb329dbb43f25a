/**
 * Keeps the tables of counts consistent with the rows. The changes of a transaction are summed in
 * memory, and written once at its end.
 */
import { secondsPerDay } from '../../parse/calendar.ts'
import type { Columns, Dialect } from '../dialect.ts'
import type { Question, Statement, Values } from '../question.ts'
import { execute } from '../question.ts'
import type { CountTableName } from '../tables/count-tables.ts'
import {
  countTableNames,
  countTables,
  idCountLevels,
  valuesOfTable,
} from '../tables/count-tables.ts'
import { keptCounts, withLiveSeq } from './recount.ts'

/** The columns of a live record on which the counts depend. */
export interface CountedFile {
  readonly id: number
  readonly station: number
  readonly kind: number
  /** Start of the data: seconds since 1970. */
  readonly data_date: number
  readonly size: number
}

/** The changes of one row of counts. Its fields are named as the columns. */
class Difference {
  files = 0
  bytes = 0
  /** Of added files; without any, the first date is after the last one. */
  last_id = 0
  first_date = Infinity
  last_date = -Infinity
  /** Of removed files. */
  gone_first_date = Infinity
  gone_last_date = -Infinity

  add({ id, data_date, size }: CountedFile): void {
    this.files++
    this.bytes += size
    if (id > this.last_id) this.last_id = id
    if (data_date < this.first_date) this.first_date = data_date
    if (data_date > this.last_date) this.last_date = data_date
  }

  remove({ data_date, size }: CountedFile): void {
    this.files--
    this.bytes -= size
    if (data_date < this.gone_first_date) this.gone_first_date = data_date
    if (data_date > this.gone_last_date) this.gone_last_date = data_date
  }

  /** Adds the difference of other files; not their ids. */
  addSums(other: Difference): void {
    this.files += other.files
    this.bytes += other.bytes
    this.first_date = Math.min(this.first_date, other.first_date)
    this.last_date = Math.max(this.last_date, other.last_date)
    this.gone_first_date = Math.min(this.gone_first_date, other.gone_first_date)
    this.gone_last_date = Math.max(this.gone_last_date, other.gone_last_date)
  }

  get hasAdded(): boolean {
    return this.first_date <= this.last_date
  }

  get hasRemoved(): boolean {
    return this.gone_first_date <= this.gone_last_date
  }
}

/** Differences by two keys. */
class Differences {
  readonly #rows = new Map<number, Map<number, Difference>>()
  #first = NaN
  #second = NaN
  #last = new Difference()

  /** The difference at two keys; a missing one is created. */
  at(first: number, second: number): Difference {
    // Consecutive files are often in the same row.
    if (first === this.#first && second === this.#second) return this.#last
    let row = this.#rows.get(first)
    if (row === undefined) this.#rows.set(first, (row = new Map<number, Difference>()))
    let difference = row.get(second)
    if (difference === undefined) row.set(second, (difference = new Difference()))
    this.#first = first
    this.#second = second
    return (this.#last = difference)
  }

  *all(): Iterable<readonly [first: number, second: number, difference: Difference]> {
    for (const [first, row] of this.#rows)
      for (const [second, difference] of row) yield [first, second, difference]
  }

  get firsts(): number[] {
    return [...this.#rows.keys()]
  }
}

/** The keys of a row of counts, and its difference. */
type ChangedRow = readonly [keys: Values, difference: Difference]

function rowsBy(
  differences: Differences,
  keysOf: (first: number, second: number) => Values,
): ChangedRow[] {
  return Array.from(differences.all(), ([first, second, each]) => [keysOf(first, second), each])
}

const lowest = Math.min(...idCountLevels)
const lowestSize = 2 ** lowest

/** The differences of one transaction. */
export class CountDifferences {
  readonly #dialect: Dialect
  readonly #sql: ReadonlyMap<CountTableName, CountSql>
  readonly #kept: ReadonlySet<CountTableName>
  /** By kind and by bucket of the lowest level. */
  readonly #ids = new Differences()
  /** By kind and by day. */
  readonly #days = new Differences()
  /** By station and by kind. */
  readonly #stations = new Differences()
  readonly #rows: Difference[] = []

  constructor(
    dialect: Dialect,
    sql: ReadonlyMap<CountTableName, CountSql>,
    kept: ReadonlySet<CountTableName>,
  ) {
    this.#dialect = dialect
    this.#sql = sql
    this.#kept = kept
  }

  add(file: CountedFile): void {
    for (const row of this.#rowsOf(file)) row.add(file)
  }

  remove(file: CountedFile): void {
    for (const row of this.#rowsOf(file)) row.remove(file)
  }

  /** @param file as it was before its size changed */
  resize(file: CountedFile, size: number): void {
    if (file.size === size) return
    for (const row of this.#rowsOf(file)) row.bytes += size - file.size
  }

  /** The rows of a file, as an array that the next call uses again. */
  #rowsOf({ id, station, kind, data_date }: CountedFile): readonly Difference[] {
    const rows = this.#rows
    rows.length = 0
    rows.push(this.#ids.at(kind, Math.floor(id / lowestSize)))
    if (this.#kept.has('day_count'))
      rows.push(this.#days.at(kind, Math.floor(data_date / secondsPerDay)))
    if (this.#kept.has('station_count')) rows.push(this.#stations.at(station, kind))
    return rows
  }

  /** Writes the differences; to be used after all changes of rows and of `catalogue.seq`. */
  *write(): Question<void> {
    const days = rowsBy(this.#days, (kind, day) => ({ kind, day }))
    yield* execute(
      ...this.#statements('id_count', this.#levels()),
      ...this.#statements('day_count', days),
    )
    const stations = rowsBy(this.#stations, (station, kind) => ({ station, kind }))
    if (stations.length === 0) return
    const change = execute(...this.#statements('station_count', stations))
    yield* withLiveSeq(this.#dialect, this.#stations.firsts, change)
  }

  #statements(table: CountTableName, rows: readonly ChangedRow[]): Statement[] {
    const sql = this.#sql.get(table)
    return sql === undefined ? [] : statementsOf(sql, rows)
  }

  /** The rows of `id_count`: of all levels, and for each kind and all kinds. */
  #levels(): ChangedRow[] {
    return idCountLevels.flatMap((level) => {
      const sums = new Differences()
      for (const [kind, lowestBucket, difference] of this.#ids.all()) {
        const bucket = Math.floor(lowestBucket / 2 ** (level - lowest))
        sums.at(kind, bucket).addSums(difference)
        sums.at(0, bucket).addSums(difference)
      }
      return rowsBy(sums, (kind, bucket) => ({ level, kind, bucket }))
    })
  }
}

/** Prepares the differences of transactions: each call begins those of one. */
export function prepareCounts(dialect: Dialect): () => Question<CountDifferences> {
  const sql = new Map(countTableNames.map((table) => [table, sqlOf(dialect, table)]))
  return function* () {
    return new CountDifferences(dialect, sql, yield* keptCounts())
  }
}

type CountSql = ReturnType<typeof sqlOf>

function sqlOf(dialect: Dialect, table: CountTableName) {
  const { keys, values } = countTables[table]
  const sums = valuesOfTable(table).flatMap(([name, { fold }]) => (fold === 'sum' ? name : []))
  const raised = Object.fromEntries(sums.map((name) => [name, `${table}.${name} + @${name}`]))
  return {
    upsert: dialect.insert(table, numbers([...keys, ...values]), conflictOf(table)),
    update: dialect.update(table, numbers(keys), numbers(sums), raised),
    drop: dialect.delete(table, numbers(keys), 'files = 0'),
    exactDates: exactDatesOf(dialect, table),
  }
}

/** The statements that write changes of rows to a table of counts. */
function statementsOf(
  { upsert, update, drop, exactDates }: CountSql,
  changed: readonly ChangedRow[],
): Statement[] {
  const [added, others, removed]: [Values[], Values[], Values[]] = [[], [], []]
  for (const [keys, difference] of changed) {
    const values: Values = Object.assign({ ...keys }, difference)
    if (difference.hasAdded) added.push(values)
    else others.push(values)
    if (difference.hasRemoved) removed.push(values)
  }
  const emptied = removed.filter(({ files }) => Number(files) <= 0)
  return [
    { sql: upsert, many: added },
    { sql: update, many: others },
    { sql: drop, many: emptied },
    ...exactDates.map((sql) => ({ sql, many: removed })),
  ].filter(({ many }) => many.length > 0)
}

/** The end of an INSERT that adds a difference to an existing row. */
function conflictOf(table: CountTableName): string {
  const set = valuesOfTable(table).map(([name, { fold }]) => {
    const [old, added] = [`${table}.${name}`, `excluded.${name}`]
    if (fold === 'sum') return `${name} = ${old} + ${added}`
    const isNew = `${added} ${fold === 'min' ? '<' : '>'} ${old}`
    return `${name} = CASE WHEN ${isNew} THEN ${added} ELSE ${old} END`
  })
  return `ON CONFLICT (${countTables[table].keys.join(', ')}) DO UPDATE SET ${set.join(', ')}`
}

/**
 * SQL that finds the next least or highest value of a row if the file with the present one was
 * removed; an index must have the keys and that column.
 */
function exactDatesOf(dialect: Dialect, table: CountTableName): string[] {
  const { keys } = countTables[table]
  return valuesOfTable(table).flatMap(([name, { fold, of = '' }]) => {
    if (fold !== 'min' && fold !== 'max') return []
    const [comparison, order] = fold === 'min' ? ['>=', 'ASC'] : ['<=', 'DESC']
    const files = keys.map((key) => `f.${key} = @${key}`).join(' AND ')
    const gone = `gone_${name}`
    const next = `CASE WHEN ${table}.${name} = @${gone} THEN (SELECT f.${of} FROM file f
        WHERE ${files} AND f.${of} ${comparison} ${table}.${name} ORDER BY f.${of} ${order} LIMIT 1)
      ELSE ${table}.${name} END`
    return dialect.update(table, numbers(keys), numbers([gone]), { [name]: next })
  })
}

function numbers(names: readonly string[]): Columns {
  return Object.fromEntries(names.map((name) => [name, 'bigint']))
}
