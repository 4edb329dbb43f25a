/** What a request for the list asks for. Pure. */
import { defaultOrdering, orderKeys } from '../../catalogue/filter.ts'
import type { FileFilter, OrderStep, Ordering, TimeRange } from '../../catalogue/filter.ts'
import { closest } from '../../runtime/closest-name.ts'
import { badFields } from '../http/errors.ts'
import type { Parameter } from '../http/links.ts'
import { lastValue } from '../http/query.ts'
import type { Query } from '../http/query.ts'
import { readExpand } from './serialise.ts'
import { filterParameters } from './parameters.ts'
import { isFault } from './parameter-values.ts'
import type { Fault, Values } from './parameter-values.ts'

export interface ListRequest {
  readonly filter: FileFilter
  readonly ordering: Ordering
  /** Whether records come with their details. */
  readonly details: boolean
  /** What links to other pages repeat, in no particular order. */
  readonly kept: readonly Parameter[]
  /** Parameters that mean nothing here. */
  readonly ignored: readonly string[]
}

/** Parameters that every page of a collection knows. */
export const commonParameters = ['format', 'limit', 'offset', 'strict']

/** @throws HttpError 400 that names all faults */
export function parseListRequest(query: Query, { isStrict = false } = {}): ListRequest {
  const { faults, kept, ...read } = readFilters(query, {
    parameters: filterParameters,
    known: [...commonParameters, 'ordering', 'expand'],
    isStrict,
  })
  const asked = lastValue(query, 'ordering') ?? ''
  const ordering = parseOrdering(asked)
  const expand = readExpand(query)
  if ('fault' in ordering) faults.set('ordering', [ordering.fault])
  if ('fault' in expand) faults.set('expand', [expand.fault])
  if (faults.size > 0 || 'fault' in ordering || 'fault' in expand)
    throw badFields(Object.fromEntries(faults))
  const isDefault = ordering.key === 'id' && ordering.descending
  if (!isDefault) kept.push(['ordering', asked])
  if (expand.details) kept.push(['expand', 'file'])
  return { ...read, ...expand, kept, ordering }
}

/** Whether an answer depends on the details of files, which change by themselves. */
export function dependsOnDetails({
  details,
  filter,
}: Pick<ListRequest, 'details' | 'filter'>): boolean {
  return details || filter.problems !== undefined
}

/** What a query string says of filters, and what of it cannot be taken. */
export interface ReadFilters {
  readonly filter: FileFilter
  readonly kept: Parameter[]
  readonly ignored: readonly string[]
  /** By parameter; a map, because a client may name one `__proto__`. */
  readonly faults: Map<string, readonly string[]>
}

/** All of them are looked for in every name. */
const mostNames = 8

/** What a resource understands. */
interface Understood {
  readonly parameters: ReadonlyMap<string, Values>
  /** Further parameters that mean something. */
  readonly known: readonly string[]
  /** Whether a parameter that means nothing is a fault, also where the request does not ask for that. */
  readonly isStrict?: boolean
}

export function readFilters(
  query: Query,
  { parameters, known, isStrict = false }: Understood,
): ReadFilters {
  const faults = new Map<string, readonly string[]>()
  const kept: [string, string][] = []
  const filters: FileFilter[] = []
  const ignored: string[] = []
  for (const key of Object.keys(query)) {
    const parameter = parameters.get(key)
    if (parameter !== undefined) {
      const read = readValues(parameter, valuesOf(query, key))
      filters.push(...read.filters)
      if (read.faults.length > 0) faults.set(key, read.faults)
      else if (onNames(read.filters) > 0 && onNames(filters) > mostNames)
        faults.set(key, [`At most ${mostNames} conditions on names at a time.`])
      kept.push(...read.values.map((value) => [key, value] as [string, string]))
    } else if (!known.includes(key)) ignored.push(key)
  }
  const asksToBeStrict = ['1', 'true'].includes(lastValue(query, 'strict') ?? '')
  if (asksToBeStrict) kept.push(['strict', '1'])
  if (asksToBeStrict || isStrict)
    for (const key of ignored)
      faults.set(key, [unknownParameter(key, [...parameters.keys(), ...known])])
  return { filter: filters.reduce(both, {}), kept, ignored, faults }
}

function unknownParameter(name: string, known: readonly string[]): string {
  const meant = closest(name, known)
  return meant === undefined ? 'Unknown parameter.' : `Unknown parameter. Did you mean ${meant}?`
}

/** How many conditions on names there are. */
function onNames(filters: readonly FileFilter[]): number {
  return filters.flatMap(({ names = [] }) => names).length
}

function valuesOf(query: Query, key: string): readonly string[] {
  const value = query[key] ?? []
  return (typeof value === 'string' ? [value] : value).filter((each) => each.trim() !== '')
}

/** Reads all values of one parameter; those of a choice become one condition. */
function readValues(parameter: Values, values: readonly string[]) {
  const items = parameter.isChoice ? values.flatMap((value) => value.split(',')) : values
  const given = new Set(items.map((item) => item.trim()).filter((item) => item !== ''))
  const results = [...given].map((item) => parameter.read(item))
  const read = results.filter((result): result is FileFilter => !isFault(result))
  const faults = new Set(results.filter(isFault).map(({ fault }) => fault))
  return { faults: [...faults], filters: parameter.isChoice ? anyOf(read) : read, values }
}

/** `-data_date,filename`: the keys by which the list is sorted, each with its direction. */
function parseOrdering(text: string): Ordering | Fault {
  const steps: OrderStep[] = []
  for (const word of text.split(',').map((part) => part.trim())) {
    const descending = word.startsWith('-')
    const key = orderKeys.find((each) => each === word.slice(descending ? 1 : 0))
    if (key !== undefined) steps.push({ key, descending })
    else if (word !== '')
      return { fault: `Select a valid choice. ${word} is not one of the available choices.` }
  }
  // A key that comes again decides nothing, and nothing comes after the id.
  const ids = steps.findIndex(({ key }) => key === 'id')
  const [first = defaultOrdering, ...then] = steps
    .slice(0, ids < 0 ? steps.length : ids + 1)
    .filter(({ key }, index) => steps.findIndex((step) => step.key === key) === index)
  return then.length === 0 ? first : { ...first, then }
}

/**
 * The values of a choice, of which each is a list of one: all of them in one list, in one pass, since they may be many.
 * A value without any condition is met by every file, and so is the choice.
 */
function anyOf(filters: readonly FileFilter[]): readonly FileFilter[] {
  if (filters.some((filter) => Object.keys(filter).length === 0)) return []
  const merged = new Map<string, Set<unknown>>()
  for (const filter of filters)
    for (const [key, list] of Object.entries(filter) as [string, readonly unknown[]][]) {
      const known = merged.get(key) ?? new Set()
      merged.set(key, known)
      for (const value of list) known.add(value)
    }
  return [Object.fromEntries([...merged].map(([key, values]) => [key, [...values]]))]
}

/** What meets both filters: lists of choices have in common what is in both, ranges what is within both. */
function both(a: FileFilter, b: FileFilter): FileFilter {
  const merged: Record<string, unknown> = { ...a }
  for (const [key, value] of Object.entries(b)) {
    const known = merged[key]
    merged[key] = known === undefined ? value : combine(key as keyof FileFilter, known, value)
  }
  return merged
}

function combine(key: keyof FileFilter, a: unknown, b: unknown): unknown {
  switch (key) {
    case 'names':
      return [...(a as unknown[]), ...(b as unknown[])]
    case 'idAbove':
      return Math.max(a as number, b as number)
    case 'idBelow':
      return Math.min(a as number, b as number)
    case 'dataDate':
    case 'created':
    case 'modified':
    case 'overlaps':
      return within(a as TimeRange, b as TimeRange)
    case 'stations':
      return commonStations(a as string[], b as string[])
    case 'areas':
    case 'contents':
    case 'countries':
    case 'days':
    case 'durations':
    case 'intervals':
    case 'problems':
    case 'sources':
    case 'types':
    case 'versions':
      return (a as unknown[]).filter((value) => (b as unknown[]).includes(value))
  }
}

function within(a: TimeRange, b: TimeRange): TimeRange {
  const fromUs = Math.max(a.fromUs ?? -Infinity, b.fromUs ?? -Infinity)
  const toUs = Math.min(a.toUs ?? Infinity, b.toUs ?? Infinity)
  return {
    ...(fromUs === -Infinity ? {} : { fromUs }),
    ...(toUs === Infinity ? {} : { toUs }),
  }
}

/** A code of 9 characters is one of those that its first 4 stand for. */
function commonStations(a: readonly string[], b: readonly string[]): string[] {
  const covers = (codes: readonly string[], code: string) =>
    codes.includes(code) || codes.includes(code.slice(0, 4))
  return [
    ...a.filter((code) => covers(b, code)),
    ...b.filter((code) => !a.includes(code) && covers(a, code)),
  ]
}
