/** What a request for changes asks for. Pure. */
import type { ChangeFilters } from '../../catalogue/reader.ts'
import { badFields } from '../http/errors.ts'
import type { Parameter } from '../http/links.ts'
import { readExpand } from '../files/serialise.ts'
import { filterParameters } from '../files/parameters.ts'
import type { Parameter as FilterParameter } from '../files/parameters.ts'
import { readFilters } from '../files/list-request.ts'
import { lastValue, parsePageRange } from '../http/query.ts'
import type { Query } from '../http/query.ts'

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
  readonly filter: ChangeFilters
  /** Whether records come with their details. */
  readonly details: boolean
  /** What a link to the next page repeats, besides its number. */
  readonly kept: readonly Parameter[]
}

/** Parameters besides the filters. */
export const changesParameters = ['since', 'epoch', 'wait', 'limit', 'expand', 'strict', 'format']

/** The filters that the feed knows: those that depend on the name and the path of a file alone. */
export const changesFilters: ReadonlyMap<string, FilterParameter> = new Map(
  [...filterParameters].filter(([name]) => !/^(?:created|modified|id|problem)(?:__|$)/.test(name)),
)

/**
 * Reads a query string. A limit that makes no sense is the default, as in the list; a `since` that makes none is
 * refused, since taking it for absent would skip changes without a word, and so is a parameter that is unknown.
 * @param lastEventId with which a client goes on that lost its connection; it is later than its `since`
 * @throws HttpError 400 that names all faults
 */
export function parseChangesRequest(query: Query, lastEventId?: string): ChangesRequest {
  const { faults, filter, ...read } = readFilters(query, {
    parameters: changesFilters,
    known: changesParameters,
    isStrict: true,
  })
  const numberAt = (name: string, text = lastValue(query, name)): number | undefined => {
    if (text !== undefined && !/^\d+$/.test(text)) faults.set(name, ['Enter a whole number.'])
    return text === undefined ? undefined : within(Number(text))
  }
  const since = numberAt('since', lastEventId)
  const wait = lastValue(query, 'wait')
  // Nothing asked for, as in the filters.
  const waitSeconds = wait === '' ? 0 : Math.min(numberAt('wait') ?? 0, maxWaitSeconds)
  const expand = readExpand(query)
  if ('fault' in expand) faults.set('expand', [expand.fault])
  if (faults.size > 0 || 'fault' in expand) throw badFields(Object.fromEntries(faults))
  const { limit } = parsePageRange(query, maxChanges)
  const epoch = lastValue(query, 'epoch')
  return {
    filter,
    ...expand,
    since,
    epoch: epoch === '' ? undefined : epoch,
    limit,
    waitSeconds,
    kept: [
      ...read.kept,
      ...(expand.details ? [['expand', 'file'] as const] : []),
      ['limit', String(limit)],
      ...(waitSeconds > 0 ? [['wait', String(waitSeconds)] as const] : []),
    ],
  }
}

function within(value: number): number {
  return Number.isSafeInteger(value) ? value : Infinity
}
