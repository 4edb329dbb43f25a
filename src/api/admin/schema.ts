/** Schemas of the requests of administrators. */
import { errors, json, withHeaders } from '../openapi/responses.ts'
import { curl, exampleLinks } from '../openapi/openapi.ts'
import * as schema from '../openapi/schema.ts'
import type { RouteSchema } from '../openapi/openapi.ts'

/** Error responses of every request that writes. */
export const writeErrors = errors(
  'BadBody',
  'Unauthorized',
  'Forbidden',
  'TooLarge',
  'UnsupportedMediaType',
  'Unavailable',
)

/** Limits of the length of a path. No path in an archive is longer. */
const path = { minLength: 1, maxLength: 1024 }

const strict = { additionalProperties: false }

export const registrationExample = {
  path: 'nrt/2026/022/05/GRAZ00AUT_S_20260220500_01H_30S_MO.crx.gz',
}

export const registration = schema.component(
  'Registration',
  'A file to be read now, given by its path or by its download URL.',
  {},
  {
    path: schema.text('The path of the file below the archive root.', path),
    download_path: schema.url('The download URL of the file.'),
  },
  { ...strict, minProperties: 1, examples: [registrationExample] },
)

export const rescanOrder = schema.component(
  'RescanOrder',
  'The directory that is read again, and how it is read.',
  {},
  {
    path: schema.text(
      'A directory below the archive root, such as `obs/2026`; by default the whole archive.',
      { ...path, format: 'archive-directory' },
    ),
    full: schema.boolean('Also reads size and modification time of every file, not only names.', {
      default: false,
    }),
    accept_removals: schema.boolean('Confirms the removals that the deletion guard withholds.', {
      default: false,
    }),
  },
  { ...strict, examples: [{ path: 'obs/2026', full: true }] },
)

export const rescanTicket = schema.component('RescanTicket', 'A rescan that was accepted.', {
  rescan: schema.integer('The number of the rescan, as in `rescans` of the status.', {
    minimum: 1,
  }),
  place: schema.oneOf(
    '`running`; `waiting` for the running rescan to end; `merged` into the waiting rescan.',
    ['running', 'waiting', 'merged'],
  ),
  status: schema.url('The URL of the status, which shows its progress.'),
})

const { api } = exampleLinks

/** Writes a POST request as a shell command, for the examples. */
export function curlPost(target: string, body: object) {
  const options = "-X POST -H 'Authorization: Bearer TOKEN' -H 'Content-Type: application/json'"
  return curl(target, `${options} -d '${JSON.stringify(body)}'`)
}

export const orderRescan: RouteSchema = {
  operationId: 'orderRescan',
  tags: ['Administration'],
  summary: 'Order a rescan',
  about: { name: 'Rescan', description: 'Asks the indexer to read the archive again.' },
  description: 'One rescan runs, one waits, and later ones are merged into the waiting one.',
  security: [{ administrator: [] }],
  body: rescanOrder,
  response: {
    '202': {
      description: 'The rescan is accepted.',
      headers: withHeaders('Allow'),
      content: json(rescanTicket, {
        rescan: 2,
        place: 'running',
        status: `${api}status/?format=api`,
      }),
    },
    ...writeErrors,
  },
  'x-codeSamples': [curlPost(`${api}rescan/`, { path: 'obs/2026' })],
}
