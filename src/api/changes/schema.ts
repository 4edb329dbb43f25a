/** The change feed. */
import type { WireChange } from './serialise.ts'
import { mediaTypes } from '../http/negotiate.ts'
import { errors } from '../openapi/errors.ts'
import { examples } from '../openapi/examples.ts'
import { negotiated, withHeaders } from '../openapi/headers.ts'
import {
  curl,
  list,
  moment,
  negotiable,
  number,
  object,
  schemaRef,
  text,
  url,
} from '../openapi/openapi.ts'
import type { Part, Surroundings } from '../openapi/openapi.ts'
import { changesParameters, ifNoneMatch } from '../openapi/parameters.ts'

const change = object<WireChange>('The latest change of a file.', {
  seq: number('Its number. Numbers rise; holes are normal.', { minimum: 1 }),
  change: text(
    '`created` and `modified`: have this record now. `removed`: no longer; the record is as it last was.',
    { enum: ['created', 'modified', 'removed'] },
  ),
  at: moment('When; microseconds.'),
  record: schemaRef('Record'),
})

const page = object<Record<'last_seq' | 'next' | 'results', unknown>>('Changes in their order.', {
  last_seq: number('The number of the latest change at the moment of the answer.'),
  next: url('Where to go on; never null.'),
  results: list('Each file with its latest change.', schemaRef('Change')),
})

const description = (keepRemovalsDays: number): string =>
  [
    'What mirrors need: what is new, replaced or gone since a number. A mirror takes the whole list once (`format=ndjson`), follows the link with `rel="monitor"` in its `Link` header, and from then on `next`.',
    'With `Accept: text/event-stream` the same comes as server-sent events, each with its number as `id` and the change as `data`; a client that lost its connection goes on with `Last-Event-ID`.',
    `Removals are remembered for ${keepRemovalsDays} ${keepRemovalsDays === 1 ? 'day' : 'days'}. Who was away for longer is answered \`410\`.`,
  ].join('\n\n')

export function describeChanges({ links, keepRemovalsDays }: Surroundings): Part {
  const shown = examples(links)
  const event = `id: ${shown.change.seq}\ndata: ${JSON.stringify(shown.change)}\n\n`
  return {
    schemas: { Change: change, ChangesPage: page },
    paths: {
      '/api/changes/': {
        get: {
          operationId: 'listChanges',
          tags: ['Changes'],
          summary: 'What changed',
          description: description(keepRemovalsDays),
          parameters: [
            ...changesParameters,
            {
              name: 'Last-Event-ID',
              in: 'header',
              description: 'Of events: the number after which to go on; goes before `since`.',
              schema: { type: 'integer', minimum: 0 },
              example: 0,
            },
            ifNoneMatch,
          ],
          responses: {
            '200': {
              description: 'Changes, up to a full page or the latest.',
              headers: withHeaders(...negotiated, 'Link'),
              content: negotiable(schemaRef('ChangesPage'), shown.changes),
            },
            ...errors('NotModified', 'BadParameters', 'NotFound', 'NotAcceptable', 'Gone'),
            ...errors('TooManyRequests', 'Unavailable'),
          },
          'x-event-stream': {
            accept: mediaTypes.events,
            description: 'Changes as they happen, without end, each an event.',
            data: schemaRef('Change'),
            example: event,
          },
          'x-codeSamples': [
            curl(`${links.api}changes/?since=0&limit=100`),
            curl(`${links.api}changes/?since=0&wait=60`),
            curl(`${links.api}changes/?since=0`, "-N -H 'Accept: text/event-stream'"),
          ],
        },
      },
    },
  }
}
