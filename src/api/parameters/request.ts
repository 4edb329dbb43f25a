/**
 * Reads the query string of a request, and finds all faults at once. Unknown parameters are ignored
 * and named in a header; with `strict=1` they are faults, because a mistyped parameter changes what
 * a response means. Pure.
 */
import type { FileFilter } from '../../catalogue/filter.ts'
import { closest } from '../../runtime/closest-name.ts'
import { BadFields } from '../http/errors.ts'
import type { Format } from '../http/formats.ts'
import type { PageRange, QueryPair } from '../http/links.ts'
import { defaultLimit } from '../http/links.ts'
import type { FilterParameter } from './filter-values.ts'
import { intersection } from './joined-filters.ts'
import type { Parameter } from './parameter.ts'
import { endsBeforeItBegins } from './parameter.ts'

/** A parsed query string. A repeated parameter is a list. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>

/** The parameters of a resource, by their names. */
export type Parameters = Readonly<Record<string, Parameter<unknown>>>

/** The values of parameters, by their names. */
export type ParameterValues<P extends Parameters> = {
  readonly [Name in keyof P]: P[Name] extends Parameter<infer Value> ? Value : never
}

/** What a resource accepts in its query string, besides `format` and `strict`. */
export interface Accepts<P extends Parameters> {
  readonly parameters: P
  readonly filters?: ReadonlyMap<string, FilterParameter> | undefined
  /** True if an unknown parameter is a fault even without `strict=1`. */
  readonly alwaysStrict?: boolean
  /** Finds the fault of several valid parameters together; it is a fault of the first. */
  readonly check?:
    | {
        readonly of: readonly [keyof P & string, ...(keyof P & string)[]]
        readonly fault: (values: ParameterValues<P>, filter: FileFilter) => string | undefined
      }
    | undefined
}

export interface Request<P extends Parameters> {
  readonly values: ParameterValues<P>
  readonly filter: FileFilter
  /** Parameters that links to other pages repeat. The links sort them. */
  readonly kept: readonly QueryPair[]
  readonly ignored: readonly string[]
  readonly range: PageRange
}

/** The messages for each invalid parameter: a map, because a client may send `__proto__`. */
type Faults = Map<string, readonly string[]>

/** @throws BadFields with all faults, and with what the form of the resource repeats */
export function readRequest<P extends Parameters>(
  query: Query,
  accepted: Accepts<P>,
  format?: Format,
): Request<P> {
  const { parameters, filters = new Map<string, never>(), check } = accepted
  const faults: Faults = new Map()
  const kept: QueryPair[] = []
  const readOne = <Value>(name: string, parameter: Parameter<Value>): Value | undefined => {
    const words = wordsOf(query, name, parameter)
    const read = parameter.read(words, format)
    const isFault = 'fault' in read
    // Links repeat filters as they are, and the words of other lists as one value.
    const joined = words.length === 0 ? [] : [[...new Set(words)].join()]
    const repeated = filters.has(name) ? valuesOf(query, name) : joined
    if (isFault || read.isKept !== false)
      kept.push(...repeated.map((value) => [name, value] as const))
    if (!isFault) return read.value
    faults.set(name, [read.fault].flat())
    return undefined
  }
  const found: FileFilter[] = []
  for (const name of Object.keys(query)) {
    const filter = filters.get(name)
    const read = (filter && readOne(name, filter)) ?? []
    found.push(...read)
    if (nameConditions(read) > 0 && nameConditions(found) > maxNameConditions)
      faults.set(name, [`At most ${maxNameConditions} conditions on names are allowed.`])
  }
  for (const name of reversedRanges(query, filters)) faults.set(name, [endsBeforeItBegins])
  const filter = found.reduce(intersection, {})
  const values = Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => [name, readOne(name, parameter)]),
  ) as ParameterValues<P>
  const strict = ['1', 'true'].includes(lastValue(query, 'strict') ?? '')
  if (strict) kept.push(['strict', '1'])
  const known = [...filters.keys(), ...Object.keys(parameters), 'format', 'strict']
  const ignored = Object.keys(query).filter((name) => !known.includes(name))
  if (strict || accepted.alwaysStrict === true)
    for (const name of ignored) faults.set(name, [unknownParameter(name, known)])
  const { limit = defaultLimit, offset = 0 } = values as Partial<PageRange>
  if (check !== undefined && !check.of.some((name) => faults.has(name))) {
    const fault = check.fault(values, filter)
    if (fault !== undefined) faults.set(check.of[0], [fault])
  }
  if (faults.size > 0) throw new BadFields(Object.fromEntries(faults), { kept, limit })
  return { values, filter, kept, ignored, range: { limit, offset } }
}

/** The parameters that begin a range which others end earlier, such as `id__gt=5&id__lt=3`. */
function reversedRanges(
  query: Query,
  filters: ReadonlyMap<string, FilterParameter>,
): readonly string[] {
  const given = Object.keys(query).flatMap((name) => {
    const filter = filters.get(name)
    if (filter?.bound === undefined) return []
    const { of, end, numberOf } = filter.bound
    return wordsOf(query, name, filter).map((word) => ({ name, of, end, at: numberOf(word) }))
  })
  return given.flatMap(({ name, of, end, at }) => {
    if (end === 'to' || at === undefined) return []
    const ends = given.filter((other) => other.of === of && other.end === 'to')
    return ends.some((other) => other.at !== undefined && other.at < at) ? [name] : []
  })
}

/** Maximum number of conditions on names, because a query compares each name with all. */
const maxNameConditions = 8

function nameConditions(filters: readonly FileFilter[]): number {
  return filters.flatMap(({ names = [] }) => names).length
}

function wordsOf(
  query: Query,
  name: string,
  { takes, isExact = false }: Parameter<unknown>,
): readonly string[] {
  const last = lastValue(query, name)
  if (isExact) return last === undefined ? [] : [last]
  const values = takes === 'last' ? [last ?? ''] : valuesOf(query, name)
  const words = takes === 'words' ? values.flatMap((value) => value.split(',')) : values
  return words.map((word) => word.trim()).filter((word) => word !== '')
}

function unknownParameter(name: string, known: readonly string[]): string {
  const suggestion = closest(name, known)
  return suggestion === undefined
    ? 'Unknown parameter.'
    : `Unknown parameter. Did you mean ${suggestion}?`
}

/** Maximum numbers of names, and of characters in one: proxies limit the size of headers. */
const max = { names: 20, characters: 64 }

/** Returns the header `Ignored-Parameters`, which names the parameters that had no effect. */
export function ignoredHeader(parameters: readonly string[]): Readonly<Record<string, string>> {
  const names = parameters.slice(0, max.names).map(encode)
  const header = names.filter((name) => name !== '').join(', ')
  return header === '' ? {} : { 'ignored-parameters': header }
}

/** Percent-encodes a name from the client, because headers cannot contain control characters. */
function encode(name: string): string {
  // A lone surrogate cannot be encoded.
  const encoded = encodeURIComponent(name.replace(/[\uD800-\uDFFF]/gu, ''))
  return encoded.slice(0, max.characters).replace(/%.?$/, '')
}

/** The value of a parameter; the last one if it is repeated, as in Django. */
function lastValue(query: Query, key: string): string | undefined {
  const value = query[key]
  return typeof value === 'object' ? value.at(-1) : value
}

/** All values of a parameter that are not blank. */
export function valuesOf(query: Query, key: string): readonly string[] {
  return [query[key] ?? []].flat().filter((value) => value.trim() !== '')
}
