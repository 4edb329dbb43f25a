/** What administrators may ask for. */
import type { RescanOrder } from '../../control/protocol.ts'
import { resourceUrl } from '../http/links.ts'
import { errors } from '../openapi/errors.ts'
import { examples } from '../openapi/examples.ts'
import { withHeaders } from '../openapi/headers.ts'
import { curl, json, number, object, partial, schemaRef, text, url } from '../openapi/openapi.ts'
import type { OperationObject, Part, Surroundings } from '../openapi/openapi.ts'

/** What may go wrong with every request to write. */
const refusals = errors(
  'BadBody',
  'Unauthorized',
  'Forbidden',
  'TooLarge',
  'UnsupportedMediaType',
  'Unavailable',
)

const post = "-X POST -H 'Authorization: Bearer TOKEN' -H 'Content-Type: application/json'"
const path = 'nrt/2026/022/05/GRAZ00AUT_S_20260220500_01H_30S_MO.crx.gz'

/** The order as it is read, in the names of the wire. */
type WireRescan = Record<keyof Omit<RescanOrder, 'acceptRemovals'> | 'accept_removals', unknown>

const order: Readonly<Record<keyof WireRescan, ReturnType<typeof text>>> = {
  path: text('A directory below the archive root, such as `obs/2026`; without it, everything.'),
  full: {
    type: 'boolean',
    default: false,
    description: 'Looks at size and time of every file too, not only at names.',
  },
  accept_removals: {
    type: 'boolean',
    default: false,
    description: 'Believes the removals that are held back because there are so many of them.',
  },
}

const ticket = object<Record<'rescan' | 'place' | 'status', unknown>>(
  'A rescan that was ordered.',
  {
    rescan: number('Its number, by which the status tells of it.', { minimum: 1 }),
    place: text('It runs already, waits, or has become part of one that waits.', {
      enum: ['running', 'waiting', 'merged'],
    }),
    status: url('Where to follow it.'),
  },
)

export function describeWriting({ links }: Surroundings): Part {
  return {
    schemas: {
      Registration: partial('A file to be looked at, named in one of two ways.', {
        path: text('Its path below the archive root.', { maxLength: 1024 }),
        download_path: url('Where it will be downloaded.'),
      }),
      RescanOrder: partial('What to look at, and how.', order),
      RescanTicket: ticket,
    },
    paths: {
      '/api/rescan/': {
        post: {
          operationId: 'orderRescan',
          tags: ['Administration'],
          summary: 'Order a rescan',
          description: 'One runs, one waits, and later ones become part of the one that waits.',
          security: [{ administrator: [] }],
          requestBody: {
            content: json(schemaRef('RescanOrder'), { path: 'obs/2026', full: true }),
          },
          responses: {
            '202': {
              description: 'It is ordered.',
              headers: withHeaders('Allow'),
              content: json(schemaRef('RescanTicket'), {
                rescan: 2,
                place: 'running',
                status: resourceUrl(links, 'status'),
              }),
            },
            ...refusals,
          },
          'x-codeSamples': [curl(`${links.api}rescan/`, `${post} -d '{"path":"obs/2026"}'`)],
        },
      },
    },
  }
}

export function registerFile({ links }: Surroundings): OperationObject {
  const { record } = examples(links)
  const headers = withHeaders('Allow')
  return {
    operationId: 'registerFile',
    tags: ['Administration'],
    summary: 'Announce a file',
    description:
      'The indexer looks at the file now: for network file systems, where nothing tells it that a file has come.',
    security: [{ administrator: [] }],
    requestBody: { required: true, content: json(schemaRef('Registration'), { path }) },
    responses: {
      '200': {
        description: 'The file was known already.',
        headers,
        content: json(schemaRef('Record'), record),
      },
      '201': {
        description: 'The file is in the catalogue now.',
        headers: { ...headers, ...withHeaders('Location') },
        content: json(schemaRef('Record'), record),
      },
      ...refusals,
    },
    'x-codeSamples': [curl(`${links.api}rinex-file/`, `${post} -d '{"path":"${path}"}'`)],
  }
}
