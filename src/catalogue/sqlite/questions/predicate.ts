/**
 * The whole filter in SQL, for the records that the columns alone cannot judge; but of `overlaps` only that what starts
 * after the range does not touch it. When data end is for their names to tell.
 */
import type { FileFilter, NameCondition, TimeRange } from '../../filter.ts'

export interface Predicate {
  /** On `file` as `f`; with `words` also on `station` as `s` and `kind` as `k`. Without conditions: `TRUE`. */
  readonly sql: string
  readonly values: Readonly<Record<string, string | number>>
}

type Condition = readonly [sql: string, values: Readonly<Record<string, string | number>>]

/** @param words whether what stations and kinds stand for is to be judged too, which the columns mostly have done */
export function predicateOf(filter: FileFilter, words: boolean): Predicate {
  const conditions: Condition[] = [
    ...rangeConditions('f.data_date * 1000000', 'dataDate', filter.dataDate),
    ...rangeConditions('f.created_us', 'created', filter.created),
    ...rangeConditions('coalesce(f.modified_us, f.created_us)', 'modified', filter.modified),
    ...rangeConditions('f.data_date * 1000000', 'overlaps', overlapsTo(filter)),
    ...(filter.names ?? []).map(nameCondition),
    ...(words ? wordConditions(filter) : []),
  ]
  if (words && filter.days !== undefined) conditions.push(daysCondition(filter.days))
  return {
    sql: conditions.length === 0 ? 'TRUE' : conditions.map(([sql]) => `(${sql})`).join(' AND '),
    values: Object.assign({}, ...conditions.map(([, values]) => values)) as Predicate['values'],
  }
}

function overlapsTo({ overlaps }: FileFilter): TimeRange | undefined {
  return overlaps?.toUs === undefined ? undefined : { toUs: overlaps.toUs }
}

function rangeConditions(value: string, name: string, range?: TimeRange): Condition[] {
  const conditions: Condition[] = []
  const { fromUs, toUs } = range ?? {}
  if (fromUs !== undefined)
    conditions.push([`${value} >= @${name}From`, { [`${name}From`]: fromUs }])
  if (toUs !== undefined) conditions.push([`${value} <= @${name}To`, { [`${name}To`]: toUs }])
  return conditions
}

/** LIKE disregards the case of ASCII letters, and is faster than comparing what `lower` makes of each name. */
function nameCondition({ how, text }: NameCondition, index: number): Condition {
  // No name holds a NUL, at which a pattern would end.
  if (text.includes('\0')) return ['FALSE', {}]
  const literal = text.replace(/[\\%_]/g, '\\$&')
  const patterns = { is: literal, starts: `${literal}%`, contains: `%${literal}%` }
  return [`f.name LIKE @name${index} ESCAPE '\\'`, { [`name${index}`]: patterns[how] }]
}

function wordConditions(filter: FileFilter): Condition[] {
  const lists = {
    'k.area': filter.areas,
    'k.file_type': filter.types,
    'k.file_duration': filter.durations,
    'k.file_version': filter.versions,
    'k.interval': filter.intervals,
    'k.content': filter.contents,
    'k.source': filter.sources,
    'substr(s.code, 7)': filter.countries,
  }
  const conditions: Condition[] = []
  for (const [index, [value, list]] of Object.entries(lists).entries())
    if (list !== undefined)
      conditions.push([isIn(value, `list${index}`), { [`list${index}`]: JSON.stringify(list) }])
  if (filter.stations !== undefined)
    conditions.push([
      `${isIn('s.code', 'stations')} OR ${isIn('substr(s.code, 1, 4)', 'stations')}`,
      { stations: JSON.stringify(filter.stations) },
    ])
  return conditions
}

function daysCondition(days: readonly number[]): Condition {
  // Rounded down, also before 1970.
  const day = '(f.data_date - (f.data_date % 86400 + 86400) % 86400) / 86400'
  return [isIn(day, 'days'), { days: JSON.stringify(days) }]
}

function isIn(value: string, parameter: string): string {
  return `${value} IN (SELECT value FROM json_each(@${parameter}))`
}
