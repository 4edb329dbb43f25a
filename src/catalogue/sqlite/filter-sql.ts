/** Turns a filter into SQL conditions, for lists, counts, streams and the change feed. */
import { secondsPerDay } from '../../parse/calendar.ts'
import { countryOf } from '../../parse/countries.ts'
import type { FileFilter, NameCondition, Problem, TimeRange } from '../filter.ts'
import { intersect, startsOnDays, startsOverlapping, startsWithin } from './date-ranges.ts'
import type { DateRange } from './date-ranges.ts'
import { isValidChecksum } from './checksum-rows.ts'
import type { Kind, Lookups } from './lookup-cache.ts'
import { dayOf } from './schema.ts'
import { prepareCountries } from './station-codes.ts'

/** A filter with ids instead of codes. A missing condition matches every file. */
export interface Selection {
  /** Ids in `kind`. */
  readonly kinds?: readonly number[]
  /** Ids in `station`. */
  readonly stations?: readonly number[]
  /** No file is in two of them. */
  readonly dates?: readonly DateRange[]
  /** A range that contains all of `dates`; limits the range that is read from an index. */
  readonly dateBounds?: DateRange
  /** Both ends included; an open end is `Infinity` or `-Infinity`. */
  readonly ids?: IdRange
  readonly created?: TimeRange
  readonly modified?: TimeRange
  readonly problems?: readonly Problem[]
  readonly names?: readonly NameCondition[]
  /** A range of names, case-insensitive: one slice of a long query (see `slices.ts`). */
  readonly nameRange?: NameRange
}

export interface NameRange {
  /** Included. */
  readonly from?: string
  /** Excluded. */
  readonly after?: string
  /** Excluded. */
  readonly before?: string
  /** Included. */
  readonly to?: string
}

export interface IdRange {
  readonly from: number
  readonly to: number
}

export type Values = Readonly<Record<string, string | number>>

/** SQL on `file` (or `tombstone`) as `f`, with its named parameters; `TRUE` without conditions. */
export interface Conditions {
  readonly sql: string
  readonly values: Values
}

/**
 * @param countriesOf `all codes`: a file with a short name has the country of the only long code that begins with its code,
 * which depends on the catalogued files; `long codes`: only files with long names have a country
 * @returns `undefined` for a filter that matches no file
 */
export function select(
  filter: FileFilter,
  lookups: Lookups,
  countriesOf: 'all codes' | 'long codes' = 'all codes',
): Selection | undefined {
  const kinds = kindsOf(filter, lookups)
  const stations = stationsOf(filter, lookups, countriesOf)
  const dates = datesOf(filter, kinds ?? lookups.kinds)
  const ids = idsOf(filter)
  const { created, modified, problems, names } = filter
  const matchesNothing =
    kinds?.size === 0 ||
    problems?.length === 0 ||
    stations?.length === 0 ||
    dates?.length === 0 ||
    (ids !== undefined && ids.from > ids.to) ||
    names?.some(({ text }) => /[^\x01-\x7f]/.test(text)) === true
  if (matchesNothing) return undefined
  return {
    ...(kinds && { kinds: [...kinds.keys()] }),
    ...(stations && { stations }),
    ...(dates && { dates }),
    ...(ids && { ids }),
    ...(created && { created }),
    ...(modified && { modified }),
    ...(problems && { problems }),
    ...(names && names.length > 0 && { names }),
  }
}

function kindsOf(filter: FileFilter, { kinds }: Lookups): ReadonlyMap<number, Kind> | undefined {
  const { areas, types, durations, versions, intervals, contents, sources } = filter
  const lists = [areas, types, durations, versions, intervals, contents, sources]
  if (lists.every((list) => list === undefined)) return undefined
  const isIn = (list: readonly string[] | undefined, value: string): boolean =>
    list?.includes(value) ?? true
  return new Map(
    [...kinds].filter(
      ([, kind]) =>
        isIn(areas, kind.area) &&
        isIn(types, kind.type) &&
        isIn(durations, kind.duration) &&
        isIn(versions, kind.version) &&
        isIn(intervals, kind.interval) &&
        isIn(contents, kind.content) &&
        isIn(sources, kind.source),
    ),
  )
}

/** A code of 4 characters matches the equal code and the long codes that begin with it. */
function stationsOf(
  { stations: codes, countries }: FileFilter,
  { stations }: Lookups,
  countriesOf: 'all codes' | 'long codes',
): number[] | undefined {
  if (codes === undefined && countries === undefined) return undefined
  const wanted = codes && new Set(codes)
  const country = countriesOf === 'all codes' ? prepareCountries(stations) : countryOf
  return [...stations]
    .filter(([, code]) => !wanted || wanted.has(code) || wanted.has(code.slice(0, 4)))
    .filter(([, code]) => !countries || countries.includes(country(code) ?? ''))
    .map(([id]) => id)
}

function datesOf(
  { dataDate, days, overlaps }: FileFilter,
  kinds: ReadonlyMap<number, Kind>,
): readonly DateRange[] | undefined {
  const lists: DateRange[][] = []
  if (dataDate !== undefined) lists.push([startsWithin(dataDate)].filter(isRange))
  if (days !== undefined) lists.push(startsOnDays(days))
  if (overlaps !== undefined) lists.push(startsOverlapping(overlaps, kinds))
  return lists.length === 0 ? undefined : lists.reduce(intersect)
}

function isRange({ from, to }: DateRange): boolean {
  return from <= to
}

function idsOf({ idAbove, idBelow }: FileFilter): IdRange | undefined {
  if (idAbove === undefined && idBelow === undefined) return undefined
  return { from: (idAbove ?? -Infinity) + 1, to: (idBelow ?? Infinity) - 1 }
}

export function hasOnly(selection: Selection, allowed: readonly (keyof Selection)[]): boolean {
  return (Object.keys(selection) as (keyof Selection)[]).every((key) => allowed.includes(key))
}

export function hasAny(selection: Selection): boolean {
  return Object.keys(selection).length > 0
}

/** All conditions. The SQL depends on which conditions there are, not on their values, so prepared statements can be reused. */
export function conditionsOf(selection: Selection): Conditions {
  const { kinds, stations, dates, dateBounds, ids, created, modified } = selection
  const { problems, names, nameRange } = selection
  const parts: Conditions[] = []
  if (kinds !== undefined) parts.push(isIn('f.kind', 'kinds', kinds))
  if (stations !== undefined) parts.push(isIn('f.station', 'stations', stations))
  if (dates !== undefined) parts.push(datesCondition(dates))
  if (dateBounds !== undefined && dates?.length !== 1)
    parts.push(between('f.data_date', 'bounds', dateBounds))
  if (ids !== undefined) parts.push(between('f.id', 'id', ids))
  if (created !== undefined) parts.push(timesCondition('f.created_us', 'created', created))
  if (modified !== undefined) parts.push(timesCondition(modifiedUs, 'modified', modified))
  if (problems !== undefined) parts.push({ sql: `f.id IN (${problemIds(problems)})`, values: {} })
  for (const [index, name] of (names ?? []).entries()) parts.push(nameCondition(name, index))
  if (nameRange?.from !== undefined)
    parts.push({ sql: 'f.name >= @nameFrom COLLATE NOCASE', values: { nameFrom: nameRange.from } })
  if (nameRange?.after !== undefined)
    parts.push({
      sql: 'f.name > @nameAfter COLLATE NOCASE',
      values: { nameAfter: nameRange.after },
    })
  if (nameRange?.before !== undefined)
    parts.push({
      sql: 'f.name < @nameBefore COLLATE NOCASE',
      values: { nameBefore: nameRange.before },
    })
  if (nameRange?.to !== undefined)
    parts.push({ sql: 'f.name <= @nameTo COLLATE NOCASE', values: { nameTo: nameRange.to } })
  return both(...parts)
}

/** Queries of the ids of files with a problem, by the partial indexes. */
const idsWith: Readonly<Record<Problem, string>> = {
  incomplete: 'SELECT id FROM file INDEXED BY file_incomplete WHERE incomplete = 1',
  broken: `SELECT f.id FROM checksum c INDEXED BY checksum_broken CROSS JOIN file f ON ${isValidChecksum}
    WHERE c.broken = 1 AND f.incomplete = 0`,
  misplaced: 'SELECT id FROM file INDEXED BY file_misplaced WHERE misplaced = 1',
}

/** A query of the ids of all files with any of these problems. */
export function problemIds(problems: readonly Problem[]): string {
  return problems.map((problem) => idsWith[problem]).join(' UNION ')
}

/** The expression that `file_modified` indexes. */
export const modifiedUs = 'coalesce(f.modified_us, f.created_us)'

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

/** Both ends included. */
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

/** A single range can use an index; several ranges are joined by OR. */
function datesCondition(dates: readonly DateRange[]): Conditions {
  const [only] = dates
  if (dates.length === 1 && only !== undefined) return dateCondition(only, '')
  if (dates.length > maxAlternatives && dates.every(({ kinds }) => kinds === undefined))
    return daysCondition(dates)
  const parts = dates.map((range, index) => dateCondition(range, String(index)))
  return {
    sql: `(${parts.map(({ sql }) => `(${sql})`).join(' OR ')})`,
    values: Object.assign({}, ...parts.map(({ values }) => values)) as Values,
  }
}

/** Maximum number of alternatives joined by OR; SQLite limits the depth of an expression to 1,000. */
const maxAlternatives = 100

/** Many ranges without kinds come from a list of days; only the first and the last range may contain a partial day. */
function daysCondition(dates: readonly DateRange[]): Conditions {
  const days = dates.flatMap(({ from, to }) => {
    const [first, last] = [Math.floor(from / secondsPerDay), Math.floor(to / secondsPerDay)]
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  })
  const [from, to] = [dates[0]?.from ?? 0, dates.at(-1)?.to ?? 0]
  return both(
    between('f.data_date', 'date', { from, to }),
    isIn(dayOf('f.data_date'), 'days', days),
  )
}

function dateCondition({ from, to, kinds }: DateRange, suffix: string): Conditions {
  const starts = between('f.data_date', `date${suffix}`, { from, to })
  return kinds === undefined ? starts : both(starts, isIn('f.kind', `dateKinds${suffix}`, kinds))
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

/** Sorts after every character of a name. */
export const afterAll = '\x7f'
