/**
 * The tables of counts, each declared once. From this follow their columns, the differences that a
 * transaction writes (`updates/count-differences.ts`), the SQL that counts again
 * (`updates/recount.ts`) and the comparison of `check`.
 */

/**
 * How a value follows from the files of its row. A `bound` is at least the highest: it is only
 * raised while the row exists. All others are exact.
 */
type Fold = 'sum' | 'min' | 'max' | 'bound'

interface CountValue {
  readonly fold: Fold
  /** SQL of the value for some files. */
  readonly sql: string
  /** The column of which this is the least or the highest. */
  readonly of?: string
}

const countValues = {
  files: { fold: 'sum', sql: 'count(*)' },
  bytes: { fold: 'sum', sql: 'CAST(sum(size) AS bigint)' },
  last_id: { fold: 'bound', sql: 'max(id)', of: 'id' },
  first_date: { fold: 'min', sql: 'min(data_date)', of: 'data_date' },
  last_date: { fold: 'max', sql: 'max(data_date)', of: 'data_date' },
} as const satisfies Readonly<Record<string, CountValue>>

interface CountTable {
  readonly keys: readonly string[]
  /** The values, in the order of their columns. */
  readonly values: readonly (keyof typeof countValues)[]
}

export type CountTableName =
  'id_count' | 'day_count' | 'station_count' | 'fact_count' | 'share_count'

export const countTables: Readonly<Record<CountTableName, CountTable>> = {
  id_count: { keys: ['level', 'kind', 'bucket'], values: ['files', 'bytes'] },
  day_count: { keys: ['day', 'kind'], values: ['files', 'last_id', 'bytes'] },
  station_count: {
    keys: ['station', 'kind'],
    values: ['files', 'first_date', 'last_date', 'bytes'],
  },
  // Of the files with facts; facts/fact-counts.ts writes them.
  fact_count: { keys: ['equipment', 'observables', 'flags'], values: ['files', 'last_id'] },
  share_count: { keys: ['share', 'flags'], values: ['files'] },
}

export const countTableNames = Object.keys(countTables) as CountTableName[]

/** The tables of counts that a first scan leaves out; they are built like its indexes. */
export const deferredCounts = ['day_count', 'station_count'] as const

/** The levels of `id_count`. A bucket of a level has the ids with the same `id >> level`. */
export const idCountLevels = [18, 12, 6] as const

/** SQL for the rows of `id_count` that count all files of a kind, with the kind. */
export const kindCounts = `FROM id_count c JOIN kind k ON k.id = c.kind
  WHERE c.level = ${idCountLevels[0]}`

/** SQL for the sum of a column of counts. */
export function sumOfColumn(column: string): string {
  return `CAST(sum(${column}) AS bigint)`
}

/** SQL for the number of all live files. */
export const allFiles = `(SELECT coalesce(${sumOfColumn('files')}, 0) FROM id_count
  WHERE level = ${idCountLevels[0]} AND kind = 0)`

/** The value of a table with its declaration. */
export function valuesOfTable(
  table: CountTableName,
): (readonly [name: string, value: CountValue])[] {
  return countTables[table].values.map((name) => [name, countValues[name]])
}
