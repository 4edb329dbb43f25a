/**
 * What a copy of the catalogue asks of source and target. Until all rows are there, the target has
 * another number of the schema, which everything else refuses, and no row in `catalogue`.
 */
import type { Columns, ColumnType, Dialect } from '../dialect.ts'
import { UnusableDatabase } from '../errors.ts'
import type { Question, Row, Statement, Value, Values } from '../question.ts'
import { execute, row, rows, value } from '../question.ts'
import { deferredCounts } from '../tables/count-tables.ts'
import { copyingSchema, schemaVersion } from '../tables/migrations.ts'
import { createTables } from '../tables/schema.ts'
import { deferIndexes } from './indexes.ts'

/** Rows of one read, and of one transaction. */
const chunkRows = 5000

export interface CopiedTable {
  readonly name: string
  readonly columns: Columns
  readonly key: readonly string[]
}

const types = { INT8: 'bigint', INT4: 'int', TEXT: 'text', BYTES: 'bytea' }
const form = { ROWID: 'bigint PRIMARY KEY', STRICT: '', KEYED: '', references: false }
const sql = createTables({ ...types, ...form })

/** The tables, read from the SQL that creates them. The first says which catalogue it is. */
export const tables = Array.from(
  sql.matchAll(/CREATE TABLE (\w+) \((.*?)\n {2}\)/gs),
  ([, name = '', body = '']): CopiedTable => {
    const found = body.matchAll(/^ +(\w+) +(bigint|int|text|bytea)\b/gm)
    const columns = Array.from(found, ([, column = '', type]) => [column, type as ColumnType])
    const key = /PRIMARY KEY \((.+)\)/.exec(body) ?? /(\w+) .*PRIMARY KEY/.exec(body)
    return {
      name,
      columns: Object.fromEntries(columns) as Columns,
      key: key?.[1]?.split(', ') ?? [],
    }
  },
)
export const [catalogue, ...others] = tables as [CopiedTable, ...CopiedTable[]]
/** `built` is the target's own until all indexes are built. */
export const copied = others.filter(({ name }) => name !== 'built')

const valuesOf = (names: readonly string[], from: Row): Values =>
  Object.fromEntries(names.map((name, index) => [name, from[index] as Value]))

export function* rowsAfter({ name, columns, key }: CopiedTable, after?: Row): Question<Row[]> {
  const past = `WHERE (${key.join(', ')}) > (${key.map((column) => `@${column}`).join(', ')})`
  return yield* rows(
    `SELECT ${Object.keys(columns).join(', ')} FROM ${name} ${after === undefined ? '' : past}
     ORDER BY ${key.join(', ')} LIMIT ${chunkRows}`,
    after === undefined ? {} : valuesOf(key, after),
  )
}

export function* highestKey({ name, key }: CopiedTable): Question<Row | undefined> {
  const order = key.map((column) => `${column} DESC`).join(', ')
  return yield* row(`SELECT ${key.join(', ')} FROM ${name} ORDER BY ${order} LIMIT 1`)
}

export function insertion(
  dialect: Dialect,
  { name, columns }: CopiedTable,
  part: readonly Row[],
): Statement {
  // After a commit of unknown outcome, they may be there already.
  const sql = dialect.insert(name, columns, 'ON CONFLICT DO NOTHING')
  return { sql, many: part.map((each) => valuesOf(Object.keys(columns), each)) }
}

/** The row of the catalogue as JSON: it changes whenever an indexer writes. */
export function* identityOfCatalogue(): Question<string> {
  return JSON.stringify(yield* rowsAfter(catalogue))
}

export const epochOf = (identity: string): unknown => (JSON.parse(identity) as Row[])[0]?.[1]

/** The identity of the target, or that of the source of an unfinished copy. */
export function* identityOfTarget(dialect: Dialect) {
  const schema = yield* value<number>(dialect.schema)
  if (schema === copyingSchema) {
    const [source = ''] = (yield* row<[string]>('SELECT source FROM copying')) ?? []
    return { identity: source, isUnfinished: true, isEmpty: false }
  }
  if (schema !== schemaVersion)
    throw new UnusableDatabase(`the target has schema ${schema}: start its indexer once`)
  const file = yield* value('SELECT id FROM file UNION ALL SELECT id FROM tombstone LIMIT 1')
  return {
    identity: yield* identityOfCatalogue(),
    isUnfinished: false,
    isEmpty: file === undefined,
  }
}

export function* countRows(): Question<number> {
  const counts = copied.map(({ name }) => `(SELECT count(*) FROM ${name})`)
  return (yield* value<number>(`SELECT ${counts.join(' + ')}`)) ?? 0
}

/** Empties the target, and makes it an unfinished copy of this source. */
export function* begin(dialect: Dialect, source: string): Question<void> {
  yield* execute({ sql: 'CREATE TABLE IF NOT EXISTS copying (source TEXT NOT NULL)' })
  const names = ['copying', ...tables.map(({ name }) => name)]
  yield* execute(...names.map((name) => ({ sql: `DELETE FROM ${name}` })))
  yield* execute({ sql: 'INSERT INTO copying (source) VALUES (@source)', values: { source } })
  yield* deferIndexes()
  // They are copied, not counted again.
  const many = deferredCounts.map((name) => ({ name }))
  yield* execute({ sql: dialect.insert('built', { name: 'text' }), many })
  yield* execute({ sql: dialect.setSchema(copyingSchema) })
}

export function* finish(dialect: Dialect, source: string): Question<void> {
  yield* execute(
    insertion(dialect, catalogue, JSON.parse(source) as Row[]),
    { sql: 'DROP TABLE IF EXISTS copying' },
    { sql: dialect.setSchema(schemaVersion) },
  )
}
