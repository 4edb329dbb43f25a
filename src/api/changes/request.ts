/** Parses the query string of the change feed. Pure. */
import type { ChangeFilters } from '../../catalogue/reader.ts'
import { badFields } from '../http/errors.ts'
import type { Parameter } from '../http/links.ts'
import { readExpand } from '../files/serialise.ts'
import { changesFilters } from '../parameters/file-filters.ts'
import { readFilters } from '../files/list-request.ts'
import { lastValue, parsePageRange } from '../http/query.ts'
import type { Query } from '../http/query.ts'

/** Maximum number of changes on a page; a larger `limit` is reduced to this number. */
export const maxChanges = 1000
/** Maximum wait of a long poll in seconds; a longer `wait` is reduced to this number. */
export const maxWaitSeconds = 60

export interface ChangesRequest {
  /**
   * The client has all changes up to this number. If the client names no number, it is `undefined`:
   * JSON and events then begin at the head, and the HTML page shows the latest changes. A number
   * that is not a safe integer is `Infinity`.
   */
  readonly since: number | undefined
  /** The epoch of the database that gave the number `since`, if the client names it. */
  readonly epoch: string | undefined
  /**
   * The `joinedSeq` of the page that gave the number `since`, if the client names it: a client that
   * began with nothing may follow from a lower `since`, because it got all its files by the present
   * countries.
   */
  readonly joined: number | undefined
  readonly limit: number
  readonly waitSeconds: number
  readonly filter: ChangeFilters
  /** True if the records contain their details (`expand=file`). */
  readonly details: boolean
  /** Parameters that the link to the next page repeats, besides `since`, `epoch` and `joined`. */
  readonly kept: readonly Parameter[]
}

/** Names of the parameters that are not filters. */
export const changesParameters = [
  'since',
  'epoch',
  'joined',
  'wait',
  'limit',
  'expand',
  'strict',
  'format',
]

/**
 * Parses a query string. An invalid `limit` is ignored, as in the list of files. Every other
 * invalid value and every unknown parameter is an error: if a mistyped `since` or filter were
 * ignored, the client would miss changes without notice.
 * @param lastEventId the header `Last-Event-ID` of a client that reconnects; it replaces `since`,
 * which is older
 * @throws HttpError 400 that names all faults
 */
export function parseChangesRequest(query: Query, lastEventId?: string): ChangesRequest {
  const { faults, filter, ...read } = readFilters(query, {
    parameters: changesFilters,
    known: changesParameters,
    alwaysStrict: true,
  })
  const numberAt = (name: string, text = lastValue(query, name)): number | undefined => {
    if (text !== undefined && !/^\d+$/.test(text)) faults.set(name, ['Enter a whole number.'])
    return text === undefined ? undefined : safeOrInfinity(Number(text))
  }
  const since = numberAt('since', lastEventId)
  const joined = numberAt('joined')
  const wait = lastValue(query, 'wait')
  // An empty `wait` is ignored, as an empty filter is; an empty `since` is an error.
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
    joined,
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

function safeOrInfinity(value: number): number {
  return Number.isSafeInteger(value) ? value : Infinity
}
