/** The parameters and schemas of the change feed; parses requests. */
import type { FeedFilter } from '../../catalogue/filter.ts'
import type { ChangeKind } from '../../catalogue/records.ts'
import { changeKinds } from '../../catalogue/records.ts'
import { exampleRecord, recordSchema } from '../files/schema.ts'
import type { FormState } from '../http/errors.ts'
import type { QueryPair } from '../http/links.ts'
import type { RouteSchema } from '../openapi/openapi.ts'
import { curl, exampleLinks } from '../openapi/openapi.ts'
import { format, ifNoneMatch, strict } from '../openapi/parameters.ts'
import { errors, negotiable, negotiated } from '../openapi/responses.ts'
import * as schema from '../openapi/schema.ts'
import { dateWords } from '../pages/date-words.ts'
import type { Expansion, FilterParameters } from '../parameters/file-filters.ts'
import { expand } from '../parameters/file-filters.ts'
import { limit } from '../parameters/paging.ts'
import type { Parameter } from '../parameters/parameter.ts'
import { anyText, choices, schemasOf } from '../parameters/parameter.ts'
import type { Query } from '../parameters/request.ts'
import { readRequest } from '../parameters/request.ts'
import type { PastTime } from './past-time.ts'
import { parsePastTime } from './past-time.ts'

/** Maximum number of changes on a page; a larger `limit` is reduced to this number. */
const maxChanges = 1000
/** Changes on an HTML page without a limit. */
const rows = 50
/** Maximum wait of a long poll in seconds; a longer `wait` is reduced to this number. */
const maxWaitSeconds = 60

export interface ChangesRequest extends Expansion {
  /**
   * The client has all changes up to this number. Without it, JSON begins at the head,
   * and the page shows the latest changes. `Infinity` for an unsafe integer.
   */
  readonly since: number | undefined
  /** The page alone may begin at a time. */
  readonly sinceTime: PastTime | undefined
  /** Both as the request has it. */
  readonly sinceText: string | undefined
  /** Only changes of these kinds; of all if there is none. */
  readonly kinds: readonly ChangeKind[]
  /** The epoch of the database that gave the number `since`, if the client names it. */
  readonly epoch: string | undefined
  /**
   * The `joinedSeq` of the page that gave `since`, if the client names it: one that began with
   * nothing may follow from a lower `since`, because it got its files by the present countries.
   */
  readonly joined: number | undefined
  readonly limit: number
  readonly waitSeconds: number
  readonly filter: FeedFilter
  /** Parameters that the link to the next page repeats, besides `since`, `epoch` and `joined`. */
  readonly kept: readonly QueryPair[]
  /** What the form of the page says of parameters that were refused. */
  readonly refused?: FormState | undefined
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

const sinceNumber = count('Return the changes after this number; by default only future changes.', {
  examples: [0],
})

/** A number; on the page also a time, because people know no numbers. */
const since: Parameter<number | PastTime | undefined> = {
  ...sinceNumber,
  field: { label: 'Since', hint: 'yesterday, 3 hours ago, 2026-01-22 05:00, a number' },
  textOf: (text) => (/^\d+$/.test(text) ? `number ${text}` : dateWords(text)),
  read: (words, format) => {
    const text = words[0]?.trim()
    if (format !== 'html') return sinceNumber.read(words, format)
    if (text === undefined || text === '') return { value: undefined }
    const time = parsePastTime(text)
    if (time !== undefined) return { value: time }
    const isNumber = /^\d+$/.test(text)
    return isNumber
      ? sinceNumber.read([text])
      : { fault: 'Enter a time, or the number of a change.' }
  },
}

/** The kinds of changes in the words of the page. */
const kindLabels: Readonly<Record<ChangeKind, string>> = {
  created: 'new',
  modified: 'replaced',
  removed: 'removed',
}

const kinds = choices(changeKinds, {
  meaning: 'Only changes of these kinds: each file with its latest change, if that is one of them.',
  example: 'modified',
  label: 'Change',
  textOf: (kind) => kindLabels[kind],
})

/** The parameters of the feed that are no filters of files. */
export const changesParameters = {
  since,
  change: kinds,
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
  limit: limit(maxChanges, rows),
}

/**
 * Parses a query string. Every invalid value except `limit` and every unknown parameter is an
 * error: with a mistyped `since` or filter, the client would miss changes without notice.
 * @throws BadFields that names all faults
 */
export function parseChangesRequest(
  query: Query,
  filters: FilterParameters,
  format: 'json' | 'html',
): ChangesRequest {
  const { values, filter, kept } = readRequest(
    query,
    { filters, parameters: changesParameters, alwaysStrict: true },
    format,
  )
  const waitSeconds = Math.min(values.wait ?? 0, maxWaitSeconds)
  const { since, epoch, joined, limit } = values
  return {
    filter,
    since: typeof since === 'number' ? since : undefined,
    sinceTime: typeof since === 'object' ? since : undefined,
    sinceText: since === undefined ? undefined : kept.find(([name]) => name === 'since')?.[1],
    kinds: values.change,
    epoch: epoch === '' ? undefined : epoch,
    joined,
    limit,
    waitSeconds,
    ...values.expand,
    kept: [
      ...kept.filter(([name]) => !['since', 'epoch', 'joined', 'wait'].includes(name)),
      ['limit', String(limit)],
      ...(waitSeconds > 0 ? [['wait', String(waitSeconds)] as const] : []),
    ],
  }
}

const { api } = exampleLinks

const changeSchema = schema.component('Change', 'The latest change of a file.', {
  seq: schema.integer('Change number. Numbers rise; gaps are normal.', 72, { minimum: 1 }),
  change: schema.oneOf(
    '`created` and `modified`: add or replace this record. `removed`: delete it; the record shows its last state.',
    changeKinds,
    'created',
  ),
  at: schema.moment('Time of the change, with microseconds.', exampleRecord.created),
  record: recordSchema,
})

const changesPageSchema = schema.component('ChangesPage', 'Changes in ascending order of `seq`.', {
  last_seq: schema.integer('Number of the latest change at the time of the response.', 72),
  next: schema.url(
    'The URL of the next page; never null.',
    `${api}changes/?epoch=5b0e4c1f&format=api&limit=20&since=72`,
  ),
  results: schema.list('Each file with its latest change.', changeSchema),
})

export type WireChange = schema.Static<typeof changeSchema>
export type WireChanges = schema.Static<typeof changesPageSchema>

const description = (keepRemovalsDays: number): string =>
  [
    'For mirrors: new, replaced and removed files since a change number. A mirror downloads the whole list once (`format=ndjson`), then follows the `rel="monitor"` link of its `Link` header, which has the filters of the list that the feed accepts, and from then on `next`.',
    `Removals are kept for ${keepRemovalsDays} ${keepRemovalsDays === 1 ? 'day' : 'days'}. A client that was away for longer gets \`410\`.`,
    'With `country`, a file with a short name belongs to the country of the only long code with files that begins with its code, as in the list. When a long code gets its first file or loses its last one, files with short names may enter or leave a country without a change of their own. A client of such a feed then gets `410`, and starts again with the whole list.',
  ].join('\n\n')

/** @param keepRemovalsDays days for which removals are kept */
export const listChanges = (keepRemovalsDays: number, filters: FilterParameters): RouteSchema => ({
  operationId: 'listChanges',
  tags: ['Changes'],
  summary: 'List changes',
  about: {
    name: 'Changes',
    description: 'New, replaced and removed files, each with its latest change.',
  },
  description: description(keepRemovalsDays),
  querystring: {
    ...schemasOf([...Object.entries(changesParameters), ...filters]),
    format: format(['api', 'json']),
    strict,
  },
  headers: ifNoneMatch,
  response: {
    '200': negotiated('A page of changes.', negotiable(changesPageSchema), 'Link'),
    ...errors('NotModified', 'BadParameters', 'NotFound', 'NotAcceptable', 'Gone'),
    ...errors('TooManyRequests', 'Unavailable'),
  },
  'x-codeSamples': [
    curl(`${api}changes/?since=0&limit=100`),
    curl(`${api}changes/?since=0&wait=60`),
  ],
})
