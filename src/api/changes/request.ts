/** What a request for changes asks for. Pure. */
import type { ChangeFilters } from '../../catalogue/catalogue.ts'
import { areas } from '../../parse/archive-path.ts'
import type { FileDuration, FileType, FileVersion } from '../../parse/types.ts'
import { badFields } from '../errors.ts'
import { lastValue, parsePageRange } from '../query.ts'
import type { Query } from '../query.ts'

/** Most changes on a page, whatever is asked for. */
export const maxChanges = 1000
/** Longest time in seconds that an empty answer is held back, whatever is asked for. */
export const maxWaitSeconds = 60

export interface ChangesRequest {
  /** `undefined`: from the head on. Infinite when it is larger than any number that can be given. */
  readonly since: number | undefined
  /** The database that gave `since`, when the client says so. */
  readonly epoch: string | undefined
  readonly limit: number
  readonly waitSeconds: number
  readonly filters: ChangeFilters
  /** What a link to the next page repeats, besides its number. */
  readonly kept: Readonly<Record<string, string>>
}

type Faults = Record<string, string[]>

const types: readonly FileType[] = ['o', 'n', 'm']
const durations: readonly FileDuration[] = ['m', 'h', 'd', 'y', 'u']
const versions: readonly FileVersion[] = ['r2', 'r3']

/**
 * Reads a query string. A limit that makes no sense is the default, as in the list; a `since` that makes none is
 * refused, since taking it for absent would skip changes without a word.
 * @param lastEventId with which a client goes on that lost its connection; it is later than its `since`
 * @throws HttpError 400 that names all faults
 */
export function parseChangesRequest(query: Query, lastEventId?: string): ChangesRequest {
  const faults: Faults = {}
  const since = lastEventId === undefined ? lastValue(query, 'since') : lastEventId
  const numbers = {
    since: parseNumber({ since }, faults),
    wait: parseNumber({ wait: lastValue(query, 'wait') }, faults),
  }
  const filters = parseFilters(query, faults)
  if (Object.keys(faults).length > 0) throw badFields(faults)
  const { limit } = parsePageRange(query, maxChanges)
  const waitSeconds = Math.min(numbers.wait ?? 0, maxWaitSeconds)
  const epoch = lastValue(query, 'epoch')
  return {
    since: numbers.since,
    epoch: epoch === '' ? undefined : epoch,
    limit,
    waitSeconds,
    filters,
    kept: {
      ...keptFilters(query),
      limit: String(limit),
      ...(waitSeconds > 0 ? { wait: String(waitSeconds) } : {}),
    },
  }
}

function parseNumber(field: Readonly<Record<string, string | undefined>>, faults: Faults) {
  const [[name, text]] = Object.entries(field) as [[string, string | undefined]]
  if (text === undefined) return undefined
  if (!/^\d+$/.test(text)) {
    faults[name] = ['Enter a whole number.']
    return undefined
  }
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : Infinity
}

/** Keys of the filters, in alphabetical order. */
export const filterKeys = ['area', 'file_duration', 'file_type', 'file_version', 'station'] as const
type FilterKey = (typeof filterKeys)[number]

function parseFilters(query: Query, faults: Faults): ChangeFilters {
  const choose = <T extends string>(key: FilterKey, choices: readonly T[]) => {
    const values = allValues(query, key)
    const wrong = values.filter((value) => !choices.some((choice) => choice === value))
    if (wrong.length > 0) faults[key] = wrong.map(notAChoice)
    return values.length === 0 ? undefined : (values as readonly T[])
  }
  const stations = allValues(query, 'station').map((code) => code.toUpperCase())
  if (!stations.every((code) => /^[A-Z0-9]{4}(?:[A-Z0-9]{5})?$/.test(code)))
    faults['station'] = ['Enter station codes of 4 or 9 characters.']
  const lists = {
    stations: stations.length === 0 ? undefined : stations,
    areas: choose('area', areas),
    durations: choose('file_duration', durations),
    types: choose('file_type', types),
    versions: choose('file_version', versions),
  }
  const given = Object.entries(lists).filter(([, list]) => list !== undefined)
  return Object.fromEntries(given)
}

function notAChoice(value: string): string {
  return `Select a valid choice. ${value} is not one of the available choices.`
}

/** All values of a repeated key and of comma lists alike; an empty one is none. */
function allValues(query: Query, key: string): readonly string[] {
  const value = query[key] ?? []
  return (typeof value === 'string' ? [value] : value)
    .flatMap((list) => list.split(','))
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

function keptFilters(query: Query): Record<string, string> {
  const filters = filterKeys.map((key) => [key, allValues(query, key).join()] as const)
  return Object.fromEntries(filters.filter(([, values]) => values !== ''))
}
