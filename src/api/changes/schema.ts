/** Schemas of the change feed, and the function that serialises a change. */
import type Type from 'typebox'
import type { Change } from '../../catalogue/records.ts'
import { exampleRecord, expand, filtersIn, recordSchema } from '../files/schema.ts'
import { changesFilters } from '../parameters/file-filters.ts'
import { serialiseRecord } from '../files/serialise.ts'
import { microsecondsToIso } from '../http/times.ts'
import type { Links } from '../http/links.ts'
import { errors, negotiated } from '../openapi/responses.ts'
import {
  component,
  curl,
  exampleLinks,
  list,
  moment,
  negotiable,
  number,
  oneOf,
  ref,
  schemaRef,
  text,
  url,
} from '../openapi/openapi.ts'
import type { RouteSchema } from '../openapi/openapi.ts'
import { format, ifNoneMatch, limit, parameters, strict } from '../openapi/parameters.ts'
import { maxChanges, maxWaitSeconds } from './request.ts'

export const changeSchema = component('Change', 'The latest change of a file.', {
  seq: number('Change number. Numbers rise; gaps are normal.', { minimum: 1 }),
  change: oneOf(
    '`created` and `modified`: add or replace this record. `removed`: delete it; the record shows its last state.',
    ['created', 'modified', 'removed'],
  ),
  at: moment('Time of the change, with microseconds.'),
  record: ref(recordSchema),
})

export const changesPageSchema = component('ChangesPage', 'Changes in ascending order of `seq`.', {
  last_seq: number('Number of the latest change at the time of the response.'),
  next: url('The URL of the next page; never null.'),
  results: list('Each file with its latest change.', ref(changeSchema)),
})

export type WireChange = Type.Static<typeof changeSchema>

export function serialiseChange({ seq, change, atUs, record }: Change, links: Links): WireChange {
  return { seq, change, at: microsecondsToIso(atUs), record: serialiseRecord(record, links) }
}

const { api } = exampleLinks

const example: WireChange = {
  seq: 72,
  change: 'created',
  at: exampleRecord.created,
  record: exampleRecord,
}

const examplePage: Type.Static<typeof changesPageSchema> = {
  last_seq: 72,
  next: `${api}changes/?epoch=5b0e4c1f&format=api&limit=20&since=72`,
  results: [example],
}

const description = (keepRemovalsDays: number): string =>
  [
    'For mirrors: new, replaced and removed files since a change number. A mirror downloads the whole list once (`format=ndjson`), then follows the `rel="monitor"` link of its `Link` header, which has the filters of the list that the feed accepts, and from then on `next`.',
    'With `Accept: text/event-stream` the changes are server-sent events, with the change number as `id` and the change as `data`. After a lost connection a client resumes with `Last-Event-ID`.',
    `Removals are kept for ${keepRemovalsDays} ${keepRemovalsDays === 1 ? 'day' : 'days'}. A client that was away for longer gets \`410\`.`,
    'With `country`, a file with a short name belongs to the country of the only long code with files that begins with its code, as in the list. When a long code gets its first file or loses its last one, files with short names may enter or leave a country without a change of their own. A client of such a feed then gets `410`, and starts again with the whole list.',
  ].join('\n\n')

/** @param keepRemovalsDays days for which removals are kept */
export const listChanges = (keepRemovalsDays: number): RouteSchema => ({
  operationId: 'listChanges',
  tags: ['Changes'],
  summary: 'List changes',
  description: description(keepRemovalsDays),
  querystring: parameters({
    since: number('Return the changes after this number; by default only future changes.', {
      examples: [0],
    }),
    epoch: text(
      'The epoch of the database that gave this number, from `next` or the status. A request with the epoch of an older database gets `410`.',
    ),
    joined: number(
      'Only in links of this resource, with `country`: the number of the latest change by which files entered or left a country, for a client that started with `since=0`.',
    ),
    wait: number(
      `Seconds to wait for a change if there is none (long polling); more than ${maxWaitSeconds} is answered as ${maxWaitSeconds}.`,
      { default: 0, examples: [0] },
    ),
    limit: limit(maxChanges),
    expand,
    format: format(),
    strict,
    ...filtersIn(changesFilters),
  }),
  headers: parameters({
    'Last-Event-ID': number(
      'Only for events: resume after this number. Has priority over `since`.',
      {
        examples: [0],
      },
    ),
    ...ifNoneMatch,
  }),
  response: {
    '200': negotiated(
      'A page of changes.',
      negotiable(ref(changesPageSchema), examplePage),
      'Link',
    ),
    ...errors('NotModified', 'BadParameters', 'NotFound', 'NotAcceptable', 'Gone'),
    ...errors('TooManyRequests', 'Unavailable'),
  },
  'x-event-stream': {
    accept: 'text/event-stream',
    description: 'An endless stream with an event for each change.',
    data: schemaRef('Change'),
    example: `id: ${example.seq}\ndata: ${JSON.stringify(example)}\n\n`,
  },
  'x-codeSamples': [
    curl(`${api}changes/?since=0&limit=100`),
    curl(`${api}changes/?since=0&wait=60`),
    curl(`${api}changes/?since=0`, "-N -H 'Accept: text/event-stream'"),
  ],
})
