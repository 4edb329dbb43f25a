/** The SQL that counts the files again: the rows that the tables of counts should have. */
import { countTables, dayOf, idCountLevels, valuesOf } from './count-tables.ts'
import type { CountTableName } from './count-tables.ts'

const lowest = Math.min(...idCountLevels)

/** SQL that combines the values of several groups of files. */
function combined(table: CountTableName): string {
  const sqlOf = { sum: 'sum', min: 'min', max: 'max', bound: 'max' }
  return valuesOf(table)
    .map(([name, { fold }]) => {
      const sql = `${sqlOf[fold]}(${name})`
      return `${fold === 'sum' ? `CAST(${sql} AS bigint)` : sql} AS ${name}`
    })
    .join(', ')
}

/**
 * SQL for the values of groups of files, by kind and another expression. An index has all that the
 * first part reads. The second part reads the table, but only files of known size, of which there
 * are few at the end of a first scan; `+` hides the indexes, which do not have the size.
 */
function grouped(table: CountTableName, [name, group]: [string, string]): string {
  const part = (sizes: boolean): string => {
    const values = valuesOf(table).map(([value, { fold, sql, ofSizes = false }]) =>
      ofSizes === sizes ? `${sql} AS ${value}` : `${fold === 'sum' ? 0 : 'NULL'} AS ${value}`,
    )
    const [hidden, known] = sizes ? ['+', 'WHERE size IS NOT NULL'] : ['', '']
    return `SELECT ${hidden}(${group}) AS ${name}, ${hidden}kind AS kind, ${values.join(', ')}
      FROM file ${known} GROUP BY 1, 2`
  }
  return `(${part(false)} UNION ALL ${part(true)}) AS part`
}

/** SQL for the rows of `id_count`; kind 0 is the sum of all kinds. */
function idCounts(): string {
  const values = combined('id_count')
  const level = (number: number, kind: string): string =>
    `SELECT ${number} AS level, ${kind} AS kind, bucket >> ${number - lowest} AS bucket, ${values}
     FROM lowest GROUP BY 2, 3`
  const levels = idCountLevels.flatMap((number) => [level(number, 'kind'), level(number, '0')])
  const parts = grouped('id_count', ['bucket', `id >> ${lowest}`])
  return `WITH lowest AS MATERIALIZED
      (SELECT bucket, kind, ${values} FROM ${parts} GROUP BY 1, 2)
    ${levels.join('\nUNION ALL ')}`
}

/** SQL for the expected rows of a table of counts. */
export function counted(table: CountTableName): string {
  if (table === 'id_count') return idCounts()
  // The index file_date has the order of the start of the data, so the parts group by this first.
  const [name, sql] =
    table === 'day_count' ? ['data_date', dayOf('data_date')] : ['station', 'station']
  return `SELECT ${sql} AS ${countTables[table].keys[0]}, kind, ${combined(table)}
    FROM ${grouped(table, [name, name])} GROUP BY 1, 2`
}
