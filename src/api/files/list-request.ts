/** Parses the query strings of lists: filters, ordering, details. Pure. */
import { defaultOrdering, orderKeys } from '../../catalogue/filter.ts'
import type { FileFilter, OrderStep, Ordering, TimeRange } from '../../catalogue/filter.ts'
import { badFields } from '../http/errors.ts'
import type { Parameter } from '../http/links.ts'
import type { Representation } from '../http/negotiate.ts'
import { lastValue } from '../http/query.ts'
import type { Query } from '../http/query.ts'
import { everywhere, isStrict, unknownParameter } from '../parameters/unknown.ts'
import type { Faults } from '../parameters/unknown.ts'
import { readExpand } from './serialise.ts'
import { filterParameters } from '../parameters/file-filters.ts'
import { invalidChoice, isFault } from '../parameters/filter-values.ts'
import type { Fault, ParameterType } from '../parameters/filter-values.ts'

export interface ListRequest {
  readonly filter: FileFilter
  readonly ordering: Ordering
  /** True if the records contain their details (`expand=file`). */
  readonly details: boolean
  /** Parameters that links to other pages repeat. The links sort them. */
  readonly kept: readonly Parameter[]
  /** Names of unknown parameters. */
  readonly ignored: readonly string[]
}

/** Names of the parameters that every paged collection has. */
export const commonParameters = [...everywhere, 'limit', 'offset']

/** @throws HttpError 400 with all faults */
export function parseListRequest(query: Query, options: StrictOption = {}): ListRequest {
  const { faults, kept, ...parsed } = readFilters(query, {
    parameters: filterParameters,
    known: [...commonParameters, 'ordering', 'expand'],
    ...options,
  })
  const orderingText = lastValue(query, 'ordering') ?? ''
  const ordering = parseOrdering(orderingText)
  const expand = readExpand(query)
  if ('fault' in ordering) faults.set('ordering', [ordering.fault])
  if ('fault' in expand) faults.set('expand', [expand.fault])
  if (faults.size > 0 || 'fault' in ordering || 'fault' in expand)
    throw badFields(Object.fromEntries(faults))
  const isDefault = ordering.key === 'id' && ordering.descending
  if (!isDefault) kept.push(['ordering', orderingText])
  if (expand.details) kept.push(['expand', 'file'])
  return { ...parsed, ...expand, kept, ordering }
}

/**
 * True if a response depends on the details of files, which can change without a change of the
 * record. HTML pages show details.
 */
export function dependsOnDetails(
  { details, filter }: Pick<ListRequest, 'details' | 'filter'>,
  representation: Representation,
): boolean {
  return details || filter.problems !== undefined || representation === 'html'
}

interface ParsedFilters {
  readonly filter: FileFilter
  /** Parameters that links to other pages repeat. */
  readonly kept: Parameter[]
  /** Names of unknown parameters. */
  readonly ignored: readonly string[]
  readonly faults: Faults
}

/**
 * Maximum number of conditions on names in a request, because a query compares each name with all
 * conditions.
 */
const maxNameConditions = 8

/** The parameters that a resource knows. */
interface KnownParameters extends StrictOption {
  readonly parameters: ReadonlyMap<string, ParameterType>
  /** Names of the parameters that are not filters. */
  readonly known: readonly string[]
}

interface StrictOption {
  /** True if an unknown parameter is a fault even without `strict=1`. */
  readonly alwaysStrict?: boolean
}

/** Parses the filters of a query string, and finds all their faults. */
export function readFilters(
  query: Query,
  { parameters, known, alwaysStrict = false }: KnownParameters,
): ParsedFilters {
  const faults: Faults = new Map()
  const kept: [string, string][] = []
  const filters: FileFilter[] = []
  const ignored: string[] = []
  for (const key of Object.keys(query)) {
    const parameter = parameters.get(key)
    if (parameter !== undefined) {
      const values = valuesOf(query, key)
      const parsed = parseValues(parameter, values)
      filters.push(...parsed.filters)
      if (parsed.faults.length > 0) faults.set(key, parsed.faults)
      else if (nameConditions(parsed.filters) > 0 && nameConditions(filters) > maxNameConditions)
        faults.set(key, [`At most ${maxNameConditions} conditions on names are allowed.`])
      kept.push(...values.map((value) => [key, value] as [string, string]))
    } else if (!known.includes(key)) ignored.push(key)
  }
  const strict = isStrict(query)
  if (strict) kept.push(['strict', '1'])
  if (strict || alwaysStrict)
    for (const key of ignored)
      faults.set(key, [unknownParameter(key, [...parameters.keys(), ...known])])
  return { filter: filters.reduce(intersection, {}), kept, ignored, faults }
}

function nameConditions(filters: readonly FileFilter[]): number {
  return filters.flatMap(({ names = [] }) => names).length
}

function valuesOf(query: Query, key: string): readonly string[] {
  return [query[key] ?? []].flat().filter((value) => value.trim() !== '')
}

/** Parses all values of one parameter. The values of a choice become one filter. */
function parseValues(parameter: ParameterType, values: readonly string[]) {
  const items = parameter.isChoice ? values.flatMap((value) => value.split(',')) : values
  const distinct = new Set(items.map((item) => item.trim()).filter((item) => item !== ''))
  const results = [...distinct].map((item) => parameter.parse(item))
  const filters = results.filter((result): result is FileFilter => !isFault(result))
  const faults = new Set(results.filter(isFault).map(({ fault }) => fault))
  return { faults: [...faults], filters: parameter.isChoice ? union(filters) : filters }
}

/** Parses sort keys with their directions, for example `-data_date,filename`. */
function parseOrdering(text: string): Ordering | Fault {
  const steps: OrderStep[] = []
  for (const item of text.split(',').map((part) => part.trim())) {
    const descending = item.startsWith('-')
    const key = orderKeys.find((name) => name === item.slice(descending ? 1 : 0))
    if (key !== undefined) steps.push({ key, descending })
    else if (item !== '') return invalidChoice(item)
  }
  // A repeated key has no effect, and neither has a key after the id, which is unique.
  const ids = steps.findIndex(({ key }) => key === 'id')
  const [first = defaultOrdering, ...then] = steps
    .slice(0, ids < 0 ? steps.length : ids + 1)
    .filter(({ key }, index) => steps.findIndex((step) => step.key === key) === index)
  return then.length === 0 ? first : { ...first, then }
}

/**
 * Joins the filters of all values of a choice. Each filter has one list, and the lists are joined
 * in one pass, because there may be many values. If one value has no condition, it matches every
 * file. Then the choice matches every file too, and the result has no filter.
 */
function union(filters: readonly FileFilter[]): readonly FileFilter[] {
  if (filters.some((filter) => Object.keys(filter).length === 0)) return []
  const merged = new Map<string, Set<unknown>>()
  for (const filter of filters)
    for (const [key, list] of Object.entries(filter) as [string, readonly unknown[]][]) {
      const values = merged.get(key) ?? new Set()
      merged.set(key, values)
      for (const value of list) values.add(value)
    }
  return [Object.fromEntries([...merged].map(([key, values]) => [key, [...values]]))]
}

/** Returns the filter that matches a file if both filters match it. */
function intersection(a: FileFilter, b: FileFilter): FileFilter {
  const merged: Record<string, unknown> = { ...a }
  for (const [key, value] of Object.entries(b)) {
    const other = merged[key]
    merged[key] = other === undefined ? value : intersect(key as keyof FileFilter, other, value)
  }
  return merged
}

function intersect(key: keyof FileFilter, a: unknown, b: unknown): unknown {
  if (key === 'idAbove') return Math.max(a as number, b as number)
  if (key === 'idBelow') return Math.min(a as number, b as number)
  if (key === 'stations') return intersectStations(a as string[], b as string[])
  if (!Array.isArray(a)) return intersectRanges(a as TimeRange, b as TimeRange)
  const others = b as unknown[]
  return key === 'names'
    ? [...(a as unknown[]), ...others]
    : a.filter((each) => others.includes(each))
}

function intersectRanges(a: TimeRange, b: TimeRange): TimeRange {
  const fromUs = Math.max(a.fromUs ?? -Infinity, b.fromUs ?? -Infinity)
  const toUs = Math.min(a.toUs ?? Infinity, b.toUs ?? Infinity)
  return {
    ...(fromUs === -Infinity ? {} : { fromUs }),
    ...(toUs === Infinity ? {} : { toUs }),
  }
}

/**
 * Returns the station codes that both lists include. A code of 4 characters includes all codes of 9
 * characters that start with it.
 */
function intersectStations(a: readonly string[], b: readonly string[]): string[] {
  const includes = (codes: readonly string[], code: string) =>
    codes.includes(code) || codes.includes(code.slice(0, 4))
  return [
    ...a.filter((code) => includes(b, code)),
    ...b.filter((code) => !a.includes(code) && includes(a, code)),
  ]
}
