/** The change feed. */
import type Type from 'typebox'
import { exampleRecord, expand, filtersIn, recordSchema } from '../files/schema.ts'
import { errors } from '../openapi/errors.ts'
import { negotiated } from '../openapi/headers.ts'
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
import { changesFilters, maxChanges, maxWaitSeconds } from './request.ts'

export const changeSchema = component('Change', 'The latest change of a file.', {
  seq: number('Its number. Numbers rise; holes are normal.', { minimum: 1 }),
  change: oneOf(
    '`created` and `modified`: have this record now. `removed`: no longer; the record is as it last was.',
    ['created', 'modified', 'removed'],
  ),
  at: moment('When; microseconds.'),
  record: ref(recordSchema),
})

export const changesPageSchema = component('ChangesPage', 'Changes in their order.', {
  last_seq: number('The number of the latest change at the moment of the answer.'),
  next: url('Where to go on; never null.'),
  results: list('Each file with its latest change.', ref(changeSchema)),
})

const { api } = exampleLinks

const example: Type.Static<typeof changeSchema> = {
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
    'What mirrors need: what is new, replaced or gone since a number. A mirror takes the whole list once (`format=ndjson`), follows the link with `rel="monitor"` in its `Link` header, and from then on `next`.',
    'With `Accept: text/event-stream` the same comes as server-sent events, each with its number as `id` and the change as `data`; a client that lost its connection goes on with `Last-Event-ID`.',
    `Removals are remembered for ${keepRemovalsDays} ${keepRemovalsDays === 1 ? 'day' : 'days'}. Who was away for longer is answered \`410\`.`,
  ].join('\n\n')

/** @param keepRemovalsDays how long removed files are remembered */
export const listChanges = (keepRemovalsDays: number): RouteSchema => ({
  operationId: 'listChanges',
  tags: ['Changes'],
  summary: 'What changed',
  description: description(keepRemovalsDays),
  querystring: parameters({
    since: number(
      'The number after which to begin; without it the feed begins at its end, with what will change.',
      { examples: [0] },
    ),
    epoch: text(
      'Which database gave that number, as `next` and the status tell: after a rebuilt one the answer is `410`.',
    ),
    wait: number(
      `Seconds to hold an empty answer back until there is something; more than ${maxWaitSeconds} is answered as ${maxWaitSeconds}.`,
      { default: 0, examples: [0] },
    ),
    ...{ limit: limit(maxChanges), expand, format: format(), strict },
    ...filtersIn(changesFilters),
  }),
  headers: parameters({
    'Last-Event-ID': number('Of events: the number after which to go on; goes before `since`.', {
      examples: [0],
    }),
    ...ifNoneMatch,
  }),
  response: {
    '200': negotiated(
      'Changes, up to a full page or the latest.',
      negotiable(ref(changesPageSchema), examplePage),
      'Link',
    ),
    ...errors('NotModified', 'BadParameters', 'NotFound', 'NotAcceptable', 'Gone'),
    ...errors('TooManyRequests', 'Unavailable'),
  },
  'x-event-stream': {
    accept: 'text/event-stream',
    description: 'Changes as they happen, without end, each an event.',
    data: schemaRef('Change'),
    example: `id: ${example.seq}\ndata: ${JSON.stringify(example)}\n\n`,
  },
  'x-codeSamples': [
    curl(`${api}changes/?since=0&limit=100`),
    curl(`${api}changes/?since=0&wait=60`),
    curl(`${api}changes/?since=0`, "-N -H 'Accept: text/event-stream'"),
  ],
})
