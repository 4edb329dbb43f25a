/** Builds the SQL of selections, for lists, counts, streams and the change feed. */
import { secondsPerDay } from '../../parse/calendar.ts'
import type { NameCondition, OrderKey, OrderStep, Ordering, Problem, TimeRange } from '../filter.ts'
import { isValidChecksum } from '../questions/record.ts'
import { boundsOf } from './date-ranges.ts'
import type { DateRange } from './date-ranges.ts'
import { dayOf } from '../questions/count-tables.ts'
import { afterAll } from './selection.ts'
import type { After, IdRange, NameRange, Selection } from './selection.ts'

export type Values = Readonly<Record<string, string | number>>

/** An SQL condition on `file` (or `tombstone`) as `f`, with its named parameters; `TRUE` matches every file. */
export interface Conditions {
  readonly sql: string
  readonly values: Values
}

/**
 * The conditions of a selection, joined by AND. Ids, times and texts are parameters of the SQL, not part of it, so prepared
 * statements can be reused for other values.
 */
export function conditionsOf(selection: Selection): Conditions {
  const { kinds, stations, dates, ids, created, modified } = selection
  const { problems, names, nameRange, after } = selection
  const parts: Conditions[] = []
  if (kinds !== undefined) parts.push(isIn('f.kind', 'kinds', kinds))
  if (stations !== undefined) parts.push(isIn('f.station', 'stations', stations))
  if (dates !== undefined) parts.push(datesCondition(dates))
  if (ids !== undefined) parts.push(between('f.id', 'id', ids))
  if (created !== undefined) parts.push(timesCondition('f.created_us', 'created', created))
  if (modified !== undefined) parts.push(timesCondition(modifiedUs, 'modified', modified))
  if (problems !== undefined) parts.push({ sql: `f.id IN (${problemIds(problems)})`, values: {} })
  // This condition stands before all other conditions on names, so that SQLite reads only this range of the index.
  if (nameRange !== undefined) parts.push(nameRangeCondition(nameRange))
  for (const [index, name] of (names ?? []).entries()) parts.push(nameCondition(name, index))
  if (after !== undefined) parts.push(afterCondition(after))
  return both(...parts)
}

/** For each problem, a query for the ids of its files, which reads a partial index. */
const idsWith: Readonly<Record<Problem, string>> = {
  incomplete: 'SELECT id FROM file INDEXED BY file_incomplete WHERE incomplete = 1',
  broken: `SELECT f.id FROM checksum c INDEXED BY checksum_broken CROSS JOIN file f ON ${isValidChecksum}
    WHERE c.broken = 1 AND f.incomplete = 0`,
  misplaced: 'SELECT id FROM file INDEXED BY file_misplaced WHERE misplaced = 1',
}

/** A query for the ids of all files that have any of these problems. */
export function problemIds(problems: readonly Problem[]): string {
  return problems.map((problem) => idsWith[problem]).join(' UNION ')
}

/** The expression that `file_modified` indexes. */
const modifiedUs = 'coalesce(f.modified_us, f.created_us)'

/** For each sort key, its SQL expression, and the SQL after FROM that names the index in this order (for ids: the table). */
export const orders: Readonly<Record<OrderKey, { readonly key: string; readonly from: string }>> = {
  id: { key: 'f.id', from: 'file f NOT INDEXED' },
  data_date: { key: 'f.data_date', from: 'file f INDEXED BY file_date' },
  created: { key: 'f.created_us', from: 'file f INDEXED BY file_created' },
  modified: { key: modifiedUs, from: 'file f INDEXED BY file_modified' },
  filename: { key: 'f.name COLLATE NOCASE', from: 'file f INDEXED BY file_name' },
}

/** SQL after ORDER BY. */
export function orderBy(ordering: Ordering): string {
  const steps = [ordering, ...(ordering.then ?? [])]
  const isById = steps.some(({ key }) => key === 'id')
  const last: OrderStep = { key: 'id', descending: steps.at(-1)?.descending ?? true }
  return (isById ? steps : [...steps, last])
    .map(({ key, descending }) => `${orders[key].key} ${descending ? 'DESC' : 'ASC'}`)
    .join(', ')
}

export function both(...parts: readonly Conditions[]): Conditions {
  const sql = parts.map((part) => part.sql).filter((text) => text !== 'TRUE')
  return {
    sql: sql.length === 0 ? 'TRUE' : sql.join(' AND '),
    values: Object.assign({}, ...parts.map(({ values }) => values)) as Values,
  }
}

function isIn(column: string, name: string, ids: readonly number[]): Conditions {
  const [only] = ids
  if (ids.length === 1 && only !== undefined)
    return { sql: `${column} = @${name}`, values: { [name]: only } }
  return {
    sql: `${column} IN (SELECT value FROM json_each(@${name}))`,
    values: { [name]: JSON.stringify(ids) },
  }
}

/** A condition that a column is in a range. Both ends are included; an infinite end is left out. */
export function between(column: string, name: string, { from, to }: IdRange): Conditions {
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
 * A condition that the data start in one of the ranges, and that the file has one of the kinds of this range, if it names kinds.
 * SQLite can use the index for a single range. Several ranges are joined by OR, so a condition on the range that contains them
 * all is added, for which SQLite can use the index.
 */
function datesCondition(dates: readonly DateRange[]): Conditions {
  const [only] = dates
  if (dates.length === 1 && only !== undefined) return dateCondition(only, '')
  const isListed = (range: DateRange) => dates.length > maxAlternatives && isWholeDays(range)
  const others = dates.filter((range) => !isListed(range))
  const parts = [
    ...Array.from(byKinds(dates.filter(isListed)), ([kinds, ranges], index) => {
      const days = isIn(dayOf('f.data_date'), `days${index}`, ranges.flatMap(daysOf))
      return kinds === undefined ? days : both(days, isIn('f.kind', `daysKinds${index}`, kinds))
    }),
    ...others.map((range, index) => dateCondition(range, String(index))),
  ]
  return both(between('f.data_date', 'dates', boundsOf(dates)), {
    sql: `(${parts.map(({ sql }) => `(${sql})`).join(' OR ')})`,
    values: Object.assign({}, ...parts.map(({ values }) => values)) as Values,
  })
}

/**
 * Maximum number of date ranges that are joined by OR, because SQLite limits the depth of an expression to 1,000. With more
 * ranges, those that consist of whole days become a list of days for each set of kinds. The others stay joined by OR; they are
 * few, because each contains an end of a range of times.
 */
const maxAlternatives = 100

function isWholeDays({ from, to }: DateRange): boolean {
  return from % secondsPerDay === 0 && (to + 1) % secondsPerDay === 0
}

/** Ranges by their sets of kinds. `intersect` keeps these arrays, so ranges of the same kinds have the same array. */
function byKinds(ranges: readonly DateRange[]): Map<DateRange['kinds'], DateRange[]> {
  const groups = new Map<DateRange['kinds'], DateRange[]>()
  for (const range of ranges) {
    const group = groups.get(range.kinds)
    if (group === undefined) groups.set(range.kinds, [range])
    else group.push(range)
  }
  return groups
}

function daysOf({ from, to }: DateRange): number[] {
  const [first, last] = [Math.floor(from / secondsPerDay), Math.floor(to / secondsPerDay)]
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

function dateCondition({ from, to, kinds }: DateRange, suffix: string): Conditions {
  const starts = between('f.data_date', `date${suffix}`, { from, to })
  return kinds === undefined ? starts : both(starts, isIn('f.kind', `dateKinds${suffix}`, kinds))
}

function nameRangeCondition({ from, to }: NameRange): Conditions {
  return {
    sql: `${orders.filename.key} BETWEEN @nameFrom AND @nameTo`,
    values: { nameFrom: from, nameTo: to },
  }
}

function afterCondition({ id, key, ordering }: After): Conditions {
  const isAfter = ordering.descending ? '<' : '>'
  return {
    sql: `(${orders[ordering.key].key} <> @afterKey OR f.id ${isAfter} @afterId)`,
    values: { afterKey: key, afterId: id },
  }
}

/** LIKE and NOCASE ignore the case of ASCII letters only; names are ASCII. */
function nameCondition({ how, text }: NameCondition, index: number): Conditions {
  const name = `name${index}`
  if (how === 'contains')
    return {
      sql: `f.name LIKE @${name} ESCAPE '\\'`,
      values: { [name]: `%${text.replace(/[\\%_]/g, '\\$&')}%` },
    }
  if (how === 'is') return { sql: `f.name = @${name} COLLATE NOCASE`, values: { [name]: text } }
  return {
    sql: `f.name >= @${name} COLLATE NOCASE AND f.name < @${name}End COLLATE NOCASE`,
    values: { [name]: text, [`${name}End`]: text + afterAll },
  }
}
