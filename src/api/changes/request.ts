/** Parses the query string of the change feed. Pure. */
import type { ChangeFilters } from '../../catalogue/reader.ts'
import type { Parameter as Kept } from '../http/links.ts'
import type { Query } from '../parameters/request.ts'
import { changesFilters, expand } from '../parameters/file-filters.ts'
import { anyText } from '../parameters/parameter.ts'
import type { Parameter } from '../parameters/parameter.ts'
import { readRequest } from '../parameters/request.ts'

/** Maximum number of changes on a page; a larger `limit` is reduced to this number. */
export const maxChanges = 1000
/** Maximum wait of a long poll in seconds; a longer `wait` is reduced to this number. */
export const maxWaitSeconds = 60

export interface ChangesRequest {
  /**
   * The client has all changes up to this number. Without it, JSON and events begin at the head,
   * and the page shows the latest changes. `Infinity` for an unsafe integer.
   */
  readonly since: number | undefined
  /** The epoch of the database that gave the number `since`, if the client names it. */
  readonly epoch: string | undefined
  /**
   * The `joinedSeq` of the page that gave `since`, if the client names it: one that began with
   * nothing may follow from a lower `since`, because it got its files by the present countries.
   */
  readonly joined: number | undefined
  readonly limit: number
  readonly waitSeconds: number
  readonly filter: ChangeFilters
  /** True if the records contain their details (`expand=file`). */
  readonly details: boolean
  /** Parameters that the link to the next page repeats, besides `since`, `epoch` and `joined`. */
  readonly kept: readonly Kept[]
}

/** A number from 0 up; a blank one is a fault, because a mirror would start again unnoticed. */
function count(description: string, more: object = {}): Parameter<number | undefined> {
  return {
    schema: { type: 'integer', minimum: 0, description, ...more },
    takes: 'last',
    isExact: true,
    read: ([text]) => {
      if (text === undefined) return { value: undefined }
      if (!/^\d+$/.test(text)) return { fault: 'Enter a whole number.' }
      const value = Number(text)
      return { value: Number.isSafeInteger(value) ? value : Infinity }
    },
  }
}

/** The parameters of the feed that are no filters. */
export const changesParameters = {
  since: count('Return the changes after this number; by default only future changes.', {
    examples: [0],
  }),
  epoch: anyText({
    meaning:
      'The epoch of the database that gave this number, from `next` or the status. A request with the epoch of an older database gets `410`.',
  }),
  joined: count(
    'Only in links of this resource, with `country`: the number of the latest change by which files entered or left a country, for a client that started with `since=0`.',
  ),
  wait: {
    ...count(
      `Seconds to wait for a change if there is none (long polling); more than ${maxWaitSeconds} is answered as ${maxWaitSeconds}.`,
      { default: 0, examples: [0] },
    ),
    // An empty `wait` is ignored, as an empty filter is.
    isExact: false,
  },
  expand,
}

/**
 * Parses a query string. Every invalid value except `limit` and every unknown parameter is an
 * error: with a mistyped `since` or filter, the client would miss changes without notice.
 * @param lastEventId the header `Last-Event-ID`, which is later than `since` and replaces it
 * @throws BadFields that names all faults
 */
export function parseChangesRequest(query: Query, lastEventId?: string): ChangesRequest {
  const { values, filter, kept, range } = readRequest(
    lastEventId === undefined ? query : { ...query, since: lastEventId },
    {
      parameters: changesParameters,
      filters: changesFilters,
      alwaysStrict: true,
      known: ['limit'],
    },
  )
  const limit = Math.min(range.limit, maxChanges)
  const waitSeconds = Math.min(values.wait ?? 0, maxWaitSeconds)
  const { since, epoch, joined } = values
  return {
    filter,
    since,
    epoch: epoch === '' ? undefined : epoch,
    joined,
    limit,
    waitSeconds,
    details: values.expand.length > 0,
    kept: [
      ...kept.filter(([name]) => !['since', 'epoch', 'joined', 'wait'].includes(name)),
      ['limit', String(limit)],
      ...(waitSeconds > 0 ? [['wait', String(waitSeconds)] as const] : []),
    ],
  }
}
