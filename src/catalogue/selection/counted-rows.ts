/** The SQL that counts the files again: the rows that the tables of counts should have. */
import { countedFacts } from '../facts/fact-counts.ts'
import type { CountTableName } from '../tables/count-tables.ts'
import { idCountLevels, valuesOfTable } from '../tables/count-tables.ts'
import { dayOf } from '../tables/days.ts'

const lowest = Math.min(...idCountLevels)

/** SQL that combines the values of several groups of files. */
function combined(table: CountTableName): string {
  const sqlOf = { sum: 'sum', min: 'min', max: 'max', bound: 'max' }
  return valuesOfTable(table)
    .map(([name, { fold }]) => {
      const sql = `${sqlOf[fold]}(${name})`
      return `${fold === 'sum' ? `CAST(${sql} AS bigint)` : sql} AS ${name}`
    })
    .join(', ')
}

/**
 * SQL for the values of groups of files, by kind and another expression. `+` hides the indexes,
 * which do not have the size: the table is read in its order.
 */
function grouped(table: CountTableName, [name, group]: [string, string]): string {
  const values = valuesOfTable(table).map(([value, { sql }]) => `${sql} AS ${value}`)
  return `SELECT +(${group}) AS ${name}, +kind AS kind, ${values.join(', ')}
    FROM file GROUP BY 1, 2`
}

/** SQL for the rows of `id_count`; kind 0 is the sum of all kinds. */
function idCounts(): string {
  const values = combined('id_count')
  const level = (number: number, kind: string): string =>
    `SELECT ${number} AS level, ${kind} AS kind, bucket >> ${number - lowest} AS bucket, ${values}
     FROM lowest GROUP BY 2, 3`
  const levels = idCountLevels.flatMap((number) => [level(number, 'kind'), level(number, '0')])
  return `WITH lowest AS MATERIALIZED
      (${grouped('id_count', ['bucket', `id >> ${lowest}`])})
    ${levels.join('\nUNION ALL ')}`
}

/** SQL for the expected rows of a table of counts. */
export function countedRows(table: CountTableName): string {
  if (table === 'id_count') return idCounts()
  if (table === 'fact_count' || table === 'share_count') return countedFacts[table]
  return grouped(
    table,
    table === 'day_count' ? ['day', dayOf('data_date')] : ['station', 'station'],
  )
}
