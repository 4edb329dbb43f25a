/**
 * The SQL of conditions on facts. `fact_count` counts the files of each equipment, observables and
 * flags; its rows find their files by an index of the same columns.
 */
import type { Dialect } from '../dialect.ts'
import { ppmPerPercent } from '../facts/fact-counts.ts'
import type { Question, Values } from '../question.ts'
import { value } from '../question.ts'
import { sumOfColumn } from '../tables/count-tables.ts'
import type { Selection } from './selection.ts'

/** SQL, with its named parameters. */
interface Condition {
  readonly sql: string
  readonly values: Values
}

/** The conditions on columns that `fact_count` has. */
export const countedKeys = ['equipment', 'observables', 'flags'] as const

/** All conditions on facts. */
export const factKeys = [...countedKeys, 'shareBelow'] as const

/** The indexes by which files are found in `fact`. */
export const factIndexes: readonly string[] = ['fact_counted', 'fact_share']

export function has(selection: Selection, keys: readonly (keyof Selection)[]): boolean {
  return keys.some((key) => selection[key] !== undefined)
}

/** A condition that the facts of `f` are selected; files are to be found by `index`. */
export function factsCondition(selection: Selection, index: string, dialect: Dialect): Condition {
  const { sql, values } = factsBy(index, selection, dialect)
  return factIndexes.includes(index)
    ? { sql: `f.id IN (SELECT x.id FROM ${sql})`, values }
    : { sql: `EXISTS (SELECT 1 FROM ${sql} AND x.id = f.id)`, values }
}

/** SQL after FROM for the selected rows of `fact` as `x`. */
export function factsBy(index: string, selection: Selection, dialect: Dialect): Condition {
  const ofShare = shareCondition(selection)
  if (index !== 'fact_counted') {
    const using = index === 'fact_share' ? dialect.using(index) : ''
    const { sql, values } = countedCondition(selection, 'x', dialect)
    return {
      sql: `fact x ${using} WHERE ${sql} AND ${ofShare.sql}`,
      values: { ...values, ...ofShare.values },
    }
  }
  const { sql, values } = countedCondition(selection, 'n', dialect)
  return {
    // CROSS JOIN keeps the order of the tables; with the affinity of a column, which + takes away,
    // SQLite would not use the index of an expression.
    sql: `fact_count n CROSS JOIN fact x ${dialect.using(index)}
      WHERE ${sql} AND coalesce(x.equipment, 0) = +n.equipment
        AND coalesce(x.observables, 0) = +n.observables AND x.flags = n.flags
        AND ${dialect.inTime('x.id')} AND ${ofShare.sql}`,
    values: { ...values, ...ofShare.values },
  }
}

function shareCondition({ shareBelow }: Selection): Condition {
  if (shareBelow === undefined) return { sql: 'TRUE', values: {} }
  return { sql: 'x.share_ppm < @shareBelow', values: { shareBelow } }
}

/** @param table `fact` or `fact_count`, by its alias */
export function countedCondition(
  { equipment, observables, flags }: Selection,
  table: string,
  dialect: Dialect,
): Condition {
  const parts = [
    equipment && dialect.isIn(`${table}.equipment`, 'equipment'),
    observables && dialect.isIn(`${table}.observables`, 'observables'),
    flags !== undefined && `(${table}.flags & CAST(@flags AS bigint)) <> 0`,
  ].filter((part) => typeof part === 'string')
  return {
    sql: parts.length === 0 ? 'TRUE' : parts.join(' AND '),
    values: {
      ...(equipment && { equipment }),
      ...(observables && { observables }),
      ...(flags !== undefined && { flags }),
    },
  }
}

/**
 * The number of files with a lower share and selected flags. Whole percents are counted, the rest
 * of one is in the index.
 */
export function* filesBelow(
  { shareBelow = 0, flags }: Pick<Selection, 'shareBelow' | 'flags'>,
  dialect: Dialect,
): Question<number> {
  const selection = { ...(flags !== undefined && { flags }) }
  const percent = Math.floor(shareBelow / ppmPerPercent)
  const { sql, values } = countedCondition(selection, 'n', dialect)
  const counted = yield* value<number>(
    `SELECT ${sumOfColumn('files')} FROM share_count n WHERE n.share < @percent AND ${sql}`,
    { ...values, percent },
  )
  const from = percent * ppmPerPercent
  if (from === shareBelow) return counted ?? 0
  const rest = factsBy('fact_share', { ...selection, shareBelow }, dialect)
  const inRest = `SELECT count(*) FROM ${rest.sql} AND x.share_ppm >= @from`
  return (counted ?? 0) + ((yield* value<number>(inRest, { ...rest.values, from })) ?? 0)
}

/** The number of files with selected facts, whatever their share. */
export function* countedFiles(selection: Selection, dialect: Dialect): Question<number> {
  const { sql, values } = countedCondition(selection, 'n', dialect)
  const counts = `SELECT ${sumOfColumn('files')} FROM fact_count n WHERE ${sql}`
  return (yield* value<number>(counts, values)) ?? 0
}
