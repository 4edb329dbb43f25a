/** Builds the SQL of selections, for lists, counts, streams and the change feed. */
import { secondsPerDay } from '../../parse/calendar.ts'
import type { Dialect } from '../dialect.ts'
import type { NameCondition, Ordering, OrderKey, OrderStep, Problem, TimeRange } from '../filter.ts'
import type { Values } from '../question.ts'
import { dayOf } from '../tables/days.ts'
import { modifiedOf } from '../tables/record.ts'
import type { DateRange } from './date-ranges.ts'
import { boundsOf } from './date-ranges.ts'
import { factIndexes, factKeys, factsCondition, has } from './fact-conditions.ts'
import type { After, IdRange, NameBounds, Selection } from './selection.ts'
import { afterAll } from './selection.ts'

/** An SQL condition on `file` (or `tombstone`) as `f`, with its named parameters. */
export interface Conditions {
  /** `TRUE` matches every file. */
  readonly sql: string
  readonly values: Values
}

/**
 * The conditions of a selection, joined by AND. Ids, times and texts are parameters of the SQL, not
 * part of it, so that prepared statements can be reused for other values. The first condition
 * ends a statement that takes too long.
 * @param index by which the files are found, see `filesBy`
 */
export function conditionsOf(selection: Selection, dialect: Dialect, index = ''): Conditions {
  const { kinds, stations, dates, ids, created, modified } = selection
  const { problems, names, nameRange, after } = selection
  const parts: Conditions[] = [{ sql: dialect.inTime('f.id'), values: {} }]
  if (kinds !== undefined) parts.push(isIn('f.kind', 'kinds', kinds, dialect))
  if (stations !== undefined) parts.push(isIn('f.station', 'stations', stations, dialect))
  if (dates !== undefined) parts.push(datesCondition(dates, dialect))
  if (ids !== undefined) parts.push(between('f.id', 'id', ids))
  if (created !== undefined) parts.push(timesCondition('f.created_us', 'created', created))
  if (modified !== undefined) parts.push(timesCondition(modifiedUs, 'modified', modified))
  if (problems !== undefined)
    parts.push({ sql: `f.id IN (${problemIds(problems, dialect)})`, values: {} })
  // Before all other conditions on names, so that SQLite reads only this range of the index.
  if (nameRange !== undefined) parts.push(nameRangeCondition(nameRange, dialect))
  for (const [index, name] of (names ?? []).entries())
    parts.push(nameCondition(name, index, dialect))
  if (after !== undefined) parts.push(afterCondition(after, dialect))
  if (has(selection, factKeys)) parts.push(factsCondition(selection, index, dialect))
  return both(...parts)
}

/** SQL for `file` as `f`, whose rows are found by an index, of `file` or of `fact`. */
export function filesBy(index: string, dialect: Dialect): string {
  return `file f ${dialect.using(factIndexes.includes(index) ? '' : index)}`
}

/** SQL after FROM for the files with a problem; it names a partial index. */
export function filesWith(problem: Problem, dialect: Dialect): string {
  if (problem === 'broken')
    // Reads indexes alone, and makes no list: an incomplete file is damaged too.
    return `file f ${dialect.using('file_damaged')} WHERE f.damaged_us IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM file other ${dialect.using('file_incomplete')}
      WHERE other.incomplete = 1 AND other.id = f.id)`
  return `file f ${dialect.using(`file_${problem}`)} WHERE f.${problem} = 1`
}

/** SQL for whether the file `f` has a problem. */
export function hasProblem(problem: Problem): string {
  return problem === 'broken'
    ? '(f.damaged_us IS NOT NULL AND f.incomplete = 0)'
    : `f.${problem} = 1`
}

/** A query for the ids of all files that have any of these problems. */
export function problemIds(problems: readonly Problem[], dialect: Dialect): string {
  return problems
    .map((problem) => `SELECT f.id FROM ${filesWith(problem, dialect)}`)
    .join(' UNION ')
}

/** The expression that `file_modified` indexes. */
const modifiedUs = modifiedOf('f.')

/** For each sort key, its column, and its index; the table itself is in the order of ids. */
export const orders: Readonly<
  Record<OrderKey, { readonly column: string; readonly index: string }>
> = {
  id: { column: 'f.id', index: '' },
  data_date: { column: 'f.data_date', index: 'file_date' },
  created: { column: 'f.created_us', index: 'file_created' },
  modified: { column: modifiedUs, index: 'file_modified' },
  filename: { column: 'f.name', index: 'file_name' },
}

/**
 * The SQL expression of a sort key.
 * @param hidden true to hide the key from the indexes
 */
function keyOf(key: OrderKey, dialect: Dialect, hidden = false): string {
  const { column } = orders[key]
  if (key === 'filename') return dialect.ignoringCase(hidden ? `${column} || ''` : column)
  return hidden ? `+${column}` : column
}

/**
 * SQL after ORDER BY.
 * @param hidden true to hide the keys from the indexes, so that the found files are sorted
 */
export function orderBy(ordering: Ordering, dialect: Dialect, hidden = false): string {
  const steps = [ordering, ...(ordering.then ?? [])]
  const isById = steps.some(({ key }) => key === 'id')
  const last: OrderStep = { key: 'id', descending: steps.at(-1)?.descending ?? true }
  return (isById ? steps : [...steps, last])
    .map(({ key, descending }) => `${keyOf(key, dialect, hidden)} ${descending ? 'DESC' : 'ASC'}`)
    .join(', ')
}

export function both(...parts: readonly Conditions[]): Conditions {
  const sql = parts.map((part) => part.sql).filter((text) => text !== 'TRUE')
  return {
    sql: sql.length === 0 ? 'TRUE' : sql.join(' AND '),
    values: Object.assign({}, ...parts.map(({ values }) => values)) as Values,
  }
}

function isIn(column: string, name: string, ids: readonly number[], dialect: Dialect): Conditions {
  const [only] = ids
  if (ids.length === 1 && only !== undefined)
    return { sql: `${column} = @${name}`, values: { [name]: only } }
  return { sql: dialect.isIn(column, name), values: { [name]: ids } }
}

/** A condition that a column is in a range. Both ends are included; an infinite end is left out. */
function between(column: string, name: string, { from, to }: IdRange): Conditions {
  const parts: Conditions[] = []
  if (from !== -Infinity)
    parts.push({ sql: `${column} >= @${name}From`, values: { [`${name}From`]: from } })
  if (to !== Infinity) parts.push({ sql: `${column} <= @${name}To`, values: { [`${name}To`]: to } })
  return both(...parts)
}

function timesCondition(column: string, name: string, { fromUs, toUs }: TimeRange): Conditions {
  return between(column, name, { from: fromUs ?? -Infinity, to: toUs ?? Infinity })
}

/**
 * A condition that the data start in one of the ranges, and that the file has one of the kinds of
 * this range, if it names kinds. SQLite can use the index for a single range. Several ranges are
 * joined by OR, so a condition on the range that contains them all is added, for which SQLite can
 * use the index.
 */
function datesCondition(dates: readonly DateRange[], dialect: Dialect): Conditions {
  const [only] = dates
  if (dates.length === 1 && only !== undefined) return dateCondition(only, '', dialect)
  const isListed = (range: DateRange) => dates.length > maxAlternatives && isWholeDays(range)
  const others = dates.filter((range) => !isListed(range))
  // `intersect` keeps the arrays of kinds, so ranges of the same kinds have the same array.
  const listed = Map.groupBy(dates.filter(isListed), ({ kinds }) => kinds)
  const parts = [
    ...Array.from(listed, ([kinds, ranges], index) => {
      const days = isIn(dayOf('f.data_date'), `days${index}`, ranges.flatMap(daysOf), dialect)
      return kinds === undefined
        ? days
        : both(days, isIn('f.kind', `daysKinds${index}`, kinds, dialect))
    }),
    ...others.map((range, index) => dateCondition(range, String(index), dialect)),
  ]
  return both(between('f.data_date', 'dates', boundsOf(dates)), {
    sql: `(${parts.map(({ sql }) => `(${sql})`).join(' OR ')})`,
    values: both(...parts).values,
  })
}

/**
 * Maximum number of date ranges that are joined by OR, because SQLite limits the depth of an
 * expression to 1,000. With more ranges, those that consist of whole days become a list of days for
 * each set of kinds. The others stay joined by OR; they are few, because each contains an end of a
 * range of times.
 */
const maxAlternatives = 100

function isWholeDays({ from, to }: DateRange): boolean {
  return from % secondsPerDay === 0 && (to + 1) % secondsPerDay === 0
}

function daysOf({ from, to }: DateRange): number[] {
  const [first, last] = [Math.floor(from / secondsPerDay), Math.floor(to / secondsPerDay)]
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

function dateCondition(
  { from, to, kinds }: DateRange,
  suffix: string,
  dialect: Dialect,
): Conditions {
  const starts = between('f.data_date', `date${suffix}`, { from, to })
  return kinds === undefined
    ? starts
    : both(starts, isIn('f.kind', `dateKinds${suffix}`, kinds, dialect))
}

function nameRangeCondition({ from, to }: NameBounds, dialect: Dialect): Conditions {
  return {
    sql: `${keyOf('filename', dialect)} BETWEEN @nameFrom AND @nameTo`,
    values: { nameFrom: from, nameTo: to },
  }
}

function afterCondition({ id, key, ordering }: After, dialect: Dialect): Conditions {
  const isAfter = ordering.descending ? '<' : '>'
  return {
    sql: `(${keyOf(ordering.key, dialect)} <> @afterKey OR f.id ${isAfter} @afterId)`,
    values: { afterKey: key, afterId: id },
  }
}

function nameCondition({ how, text }: NameCondition, index: number, dialect: Dialect): Conditions {
  const name = `name${index}`
  const ignoringCase = (text: string) => dialect.ignoringCase(text)
  const [column, wanted] = [ignoringCase('f.name'), ignoringCase(`@${name}`)]
  if (how === 'contains')
    return {
      // A backslash would mean different things by the settings of a server.
      sql: `${column} LIKE ${wanted} ESCAPE '!'`,
      values: { [name]: `%${text.replace(/[!%_]/g, '!$&')}%` },
    }
  if (how === 'is') return { sql: `${column} = ${wanted}`, values: { [name]: text } }
  return {
    sql: `${column} >= ${wanted} AND ${column} < ${ignoringCase(`@${name}End`)}`,
    values: { [name]: text, [`${name}End`]: text + afterAll },
  }
}
