/** PostgreSQL's words for what the questions need. A list parameter is an array. */
import type { Columns, Dialect } from '../dialect.ts'
import { ownParameters } from '../dialect.ts'

const names = (columns: Columns): string[] => Object.keys(columns)

/**
 * A condition that is always true. It marks statements whose plan depends on their values, so that
 * they are planned each time; `statement_timeout` ends them.
 */
export const planned = '/* planned for its values */ TRUE'

/** The rows of `many`: each parameter is the array of the values of its column. */
function given(columns: Columns): string {
  const arrays = Object.entries(columns).map(([name, type]) => `@${name}::${type}[]`)
  return `unnest(${arrays.join(', ')}) AS r (${names(columns).join(', ')})`
}

const hasKeys = (table: string, keys: Columns): string =>
  names(keys)
    .map((name) => `${table}.${name} = r.${name}`)
    .join(' AND ')

export const dialect: Dialect = {
  using: () => '',
  indexEnd: ', id',
  inTime: () => planned,
  isIn: (column, parameter, type = 'bigint') => `${column} = ANY (@${parameter}::${type}[])`,
  each: (parameter, type = 'bigint') =>
    `(SELECT value, ordinality - 1 AS key
      FROM unnest(@${parameter}::${type}[]) WITH ORDINALITY AS u (value, ordinality)) AS r`,
  ignoringCase: (text) => `lower(${text})`,
  greatest: (...terms) => `greatest(${terms.join(', ')})`,
  list: (column) => `CAST(json_agg(${column}) AS text)`,
  length: (column) => `json_array_length(CAST(${column} AS json))`,
  forUpdate: 'FOR UPDATE',
  schema: 'SELECT schema FROM server',
  setSchema: (version) => `UPDATE server SET schema = ${version}`,
  insert: (table, columns, conflict = '') =>
    `INSERT INTO ${table} (${names(columns).join(', ')})
     SELECT ${names(columns).join(', ')} FROM ${given(columns)} ${conflict}`,
  update: (table, keys, others, set = ownParameters(others)) =>
    `UPDATE ${table} SET ${Object.entries(set)
      .map(([name, sql]) => `${name} = ${sql.replace(/@(\w+)/g, 'r.$1')}`)
      .join(', ')} FROM ${given({ ...keys, ...others })} WHERE ${hasKeys(table, keys)}`,
  delete: (table, keys, condition = 'TRUE') =>
    `DELETE FROM ${table} USING ${given(keys)} WHERE ${hasKeys(table, keys)} AND ${condition}`,
}
