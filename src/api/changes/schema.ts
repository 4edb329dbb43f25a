/** Schemas of the change feed, and the function that serialises a change. */
import type { Change } from '../../catalogue/records.ts'
import { exampleRecord, recordSchema } from '../files/schema.ts'
import { changesFilters } from '../parameters/file-filters.ts'
import { schemasOf } from '../parameters/parameter.ts'
import { serialiseRecord } from '../files/serialise.ts'
import { microsecondsToIso } from '../../parse/calendar.ts'
import type { Links } from '../http/links.ts'
import { errors, negotiable, negotiated } from '../openapi/responses.ts'
import { curl, exampleLinks } from '../openapi/openapi.ts'
import * as schema from '../openapi/schema.ts'
import type { RouteSchema } from '../openapi/openapi.ts'
import { format, ifNoneMatch, limit, strict } from '../openapi/parameters.ts'
import { changesParameters, maxChanges } from './request.ts'

export const changeSchema = schema.component('Change', 'The latest change of a file.', {
  seq: schema.integer('Change number. Numbers rise; gaps are normal.', { minimum: 1 }),
  change: schema.oneOf(
    '`created` and `modified`: add or replace this record. `removed`: delete it; the record shows its last state.',
    ['created', 'modified', 'removed'],
  ),
  at: schema.moment('Time of the change, with microseconds.'),
  record: recordSchema,
})

export const changesPageSchema = schema.component(
  'ChangesPage',
  'Changes in ascending order of `seq`.',
  {
    last_seq: schema.integer('Number of the latest change at the time of the response.'),
    next: schema.url('The URL of the next page; never null.'),
    results: schema.list('Each file with its latest change.', changeSchema),
  },
)

export type WireChange = schema.Static<typeof changeSchema>

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

const examplePage: schema.Static<typeof changesPageSchema> = {
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
  about: {
    name: 'Changes',
    description: 'New, replaced and removed files, each with its latest change.',
  },
  description: description(keepRemovalsDays),
  querystring: {
    ...schemasOf([...Object.entries(changesParameters), ...changesFilters]),
    limit: limit(maxChanges),
    format: format(['api', 'json']),
    strict,
  },
  headers: {
    'Last-Event-ID': schema.integer(
      'Only for events: resume after this number. Has priority over `since`.',
      {
        examples: [0],
      },
    ),
    ...ifNoneMatch,
  },
  response: {
    '200': negotiated('A page of changes.', negotiable(changesPageSchema, examplePage), 'Link'),
    ...errors('NotModified', 'BadParameters', 'NotFound', 'NotAcceptable', 'Gone'),
    ...errors('TooManyRequests', 'Unavailable'),
  },
  'x-event-stream': {
    accept: 'text/event-stream',
    description: 'An endless stream with an event for each change.',
    data: changeSchema,
    example: `id: ${example.seq}\ndata: ${JSON.stringify(example)}\n\n`,
  },
  'x-codeSamples': [
    curl(`${api}changes/?since=0&limit=100`),
    curl(`${api}changes/?since=0&wait=60`),
    curl(`${api}changes/?since=0`, "-N -H 'Accept: text/event-stream'"),
  ],
})
