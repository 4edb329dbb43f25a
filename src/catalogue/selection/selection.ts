/** Resolves a filter into a selection: ids of lookup tables and ranges of keys. */
import { bitsOf } from '../facts/values.ts'
import type {
  ChunkCursor,
  ChunkOrdering,
  FileFilter,
  NameCondition,
  Ordering,
  Problem,
  TimeRange,
} from '../filter.ts'
import { stationMatcher } from '../filter.ts'
import type { DateRange } from './date-ranges.ts'
import {
  intersect,
  startsInYears,
  startsOnDays,
  startsOverlapping,
  startsWithin,
  unbounded,
} from './date-ranges.ts'
import type { HeaderIds } from './headers.ts'
import type { Kind } from './kinds.ts'
import { kindConditions } from './kinds.ts'
import type { Sites } from './sites.ts'

/** The position of a page in the sorted list of a selection. */
export interface PagePosition {
  readonly ordering: Ordering
  readonly offset: number
  readonly limit: number
}

/** A filter with ids instead of codes. A missing condition matches every file. */
export interface Selection {
  /** Ids in `kind`. */
  readonly kinds?: readonly number[]
  /** Ids in `station`. */
  readonly stations?: readonly number[]
  /** No file is in two of the ranges. */
  readonly dates?: readonly DateRange[]
  /** Both ends included; an open end is `Infinity` or `-Infinity`. */
  readonly ids?: IdRange
  readonly created?: TimeRange
  readonly modified?: TimeRange
  readonly problems?: readonly Problem[]
  readonly names?: readonly NameCondition[]
  // Of files with facts

  /** Ids in `equipment`. */
  readonly equipment?: readonly number[]
  /** Ids in `observables`. */
  readonly observables?: readonly number[]
  /** Bits, one of which a file has (see `bitsOf`). */
  readonly flags?: number
  /** In millionths. */
  readonly shareBelow?: number
  /** The names that are left for a later chunk of a stream. */
  readonly nameRange?: NameBounds
  /**
   * The position after the previous chunk of a stream; this chunk may begin with the same sort key.
   */
  readonly after?: After
}

/** A range of names; case-insensitive, both ends included. */
export interface NameBounds {
  readonly from: string
  readonly to: string
}

/**
 * The last record of the previous chunk. Among the files with its sort key, only those whose id
 * follows its id in the ordering match; files with other sort keys all match.
 */
export interface After extends ChunkCursor {
  readonly ordering: ChunkOrdering
}

export interface IdRange {
  readonly from: number
  readonly to: number
}

/** What a filter is resolved with. */
interface Resolving {
  readonly stations: ReadonlyMap<number, string>
  readonly kinds: ReadonlyMap<number, Kind>
  /** Needed for a filter on countries. */
  readonly sites?: Sites | undefined
  readonly headers: HeaderIds
}

/** @returns `undefined` for a filter that matches no file */
export function select(filter: FileFilter, lookups: Resolving): Selection | undefined {
  const kinds = kindsOf(filter, lookups)
  const stations = stationsOf(filter, lookups)
  const dates = datesOf(filter, kinds ?? lookups.kinds)
  const ids = idsOf(filter)
  const { created, modified, problems, names, shareBelow } = filter
  const { equipment, observables } = lookups.headers
  const flags = filter.flags && bitsOf(filter.flags)
  const matchesNothing =
    kinds?.size === 0 ||
    problems?.length === 0 ||
    stations?.length === 0 ||
    dates?.length === 0 ||
    equipment?.length === 0 ||
    observables?.length === 0 ||
    flags === 0 ||
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
    ...(equipment && { equipment }),
    ...(observables && { observables }),
    ...(flags !== undefined && { flags }),
    ...(shareBelow !== undefined && { shareBelow }),
  }
}

function kindsOf(filter: FileFilter, { kinds }: Resolving): ReadonlyMap<number, Kind> | undefined {
  const wanted = kindConditions.flatMap(([name, part]) => {
    const list: readonly string[] | undefined = filter[name]
    return list === undefined ? [] : [{ list, part }]
  })
  if (wanted.length === 0) return undefined
  const matches = (kind: Kind) => wanted.every(({ list, part }) => list.includes(kind[part]))
  return new Map([...kinds].filter(([, kind]) => matches(kind)))
}

/**
 * The ids of the stations that match the codes and the countries of a filter; `undefined` if it has
 * neither. A code of 4 characters matches the equal code and the long codes that begin with it.
 */
function stationsOf(
  { stations: codes, countries }: FileFilter,
  { stations, sites }: Resolving,
): number[] | undefined {
  if (codes === undefined && countries === undefined) return undefined
  const isWanted = codes && stationMatcher(codes)
  return [...stations]
    .filter(([, code]) => isWanted?.(code) ?? true)
    .filter(([, code]) => !countries || countries.includes(sites?.country(code) ?? ''))
    .map(([id]) => id)
}

function datesOf(
  { start, years, days, overlaps }: FileFilter,
  kinds: ReadonlyMap<number, Kind>,
): readonly DateRange[] | undefined {
  const lists: DateRange[][] = []
  if (start !== undefined) lists.push([startsWithin(start)].filter(isRange))
  if (years !== undefined) lists.push(startsInYears(years))
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

/**
 * Narrows a selection to the files after a record in an ordering. Returns `undefined` if the
 * remaining range of dates or ids is empty; any other result may still match no file.
 */
export function selectAfter(
  selection: Selection,
  { id, key }: ChunkCursor,
  ordering: ChunkOrdering,
): Selection | undefined {
  const { descending } = ordering
  const rest: Selection = { ...selection, after: { id, key, ordering } }
  if (typeof key === 'string')
    return { ...rest, nameRange: descending ? { from: '', to: key } : { from: key, to: afterAll } }
  if (ordering.key === 'data_date') {
    const range = descending ? { ...unbounded, to: key } : { ...unbounded, from: key }
    const dates = intersect(selection.dates ?? [range], [range])
    return dates.length === 0 ? undefined : { ...rest, dates }
  }
  if (ordering.key === 'created')
    return { ...rest, created: { ...selection.created, [descending ? 'toUs' : 'fromUs']: key } }
  const { ids = everyId } = selection
  const after = descending ? { from: ids.from, to: id - 1 } : { from: id + 1, to: ids.to }
  return after.from > after.to ? undefined : { ...selection, ids: after }
}

/** Both ends open. */
export const everyId: IdRange = { from: -Infinity, to: Infinity }

/** Sorts after every character of a file name. */
export const afterAll = '\x7f'

/** The names that two ranges have in common. */
export function common(a: NameBounds, b: NameBounds): NameBounds {
  return { from: a.from > b.from ? a.from : b.from, to: a.to < b.to ? a.to : b.to }
}
