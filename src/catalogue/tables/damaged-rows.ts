/** The damaged live files of series, by `file_damaged`. */
import type { Dialect } from '../dialect.ts'
import type { Statement } from '../question.ts'

export type DamagedRow = readonly [station: number, kind: number, start: number, foundUs: number]

/** All rows, or those of a station. @param kinds ids of the kinds of a series */
export function damagedRows(
  dialect: Dialect,
  of?: { readonly station: number; readonly kinds: readonly number[] },
): Statement {
  const own = `AND station = @station AND ${dialect.isIn('+kind', 'kinds')}`
  return {
    sql: `SELECT station, kind, data_date, damaged_us FROM file ${dialect.using('file_damaged')}
      WHERE damaged_us IS NOT NULL ${of === undefined ? '' : own}
      ORDER BY station, data_date, kind, id`,
    values: { ...of },
  }
}
