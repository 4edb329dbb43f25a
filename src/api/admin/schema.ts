/** Schemas of the requests of administrators. */
import Type from 'typebox'
import { errors, withHeaders } from '../openapi/responses.ts'
import {
  component,
  curl,
  exampleLinks,
  flag,
  json,
  number,
  oneOf,
  ref,
  text,
  url,
} from '../openapi/openapi.ts'
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

export const registration = component(
  'Registration',
  'A file to be read now, given by its path or by its download URL.',
  {
    path: Type.Optional(text('The path of the file below the archive root.', path)),
    download_path: Type.Optional(url('The download URL of the file.')),
  },
  {
    ...strict,
    minProperties: 1,
    examples: [{ path: 'nrt/2026/022/05/GRAZ00AUT_S_20260220500_01H_30S_MO.crx.gz' }] as const,
  },
)

export const rescanOrder = component(
  'RescanOrder',
  'The directory that is read again, and how it is read.',
  {
    path: Type.Optional(
      text(
        'A directory below the archive root, such as `obs/2026`; by default the whole archive.',
        {
          ...path,
          format: 'archive-directory',
        },
      ),
    ),
    full: Type.Optional(
      flag('Also reads size and modification time of every file, not only names.', {
        default: false,
      }),
    ),
    accept_removals: Type.Optional(
      flag('Confirms the removals that the deletion guard withholds.', {
        default: false,
      }),
    ),
  },
  { ...strict, examples: [{ path: 'obs/2026', full: true }] },
)

export const rescanTicket = component('RescanTicket', 'A rescan that was accepted.', {
  rescan: number('The number of the rescan, as in `rescans` of the status.', { minimum: 1 }),
  place: oneOf(
    '`running`; `waiting` for the running rescan to end; `merged` into the waiting rescan.',
    ['running', 'waiting', 'merged'],
  ),
  status: url('The URL of the status, which shows its progress.'),
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
  description: 'One rescan runs, one waits, and later ones are merged into the waiting one.',
  security: [{ administrator: [] }],
  body: ref(rescanOrder),
  response: {
    '202': {
      description: 'The rescan is accepted.',
      headers: withHeaders('Allow'),
      content: json(ref(rescanTicket), {
        rescan: 2,
        place: 'running',
        status: `${api}status/?format=api`,
      }),
    },
    ...writeErrors,
  },
  'x-codeSamples': [curlPost(`${api}rescan/`, { path: 'obs/2026' })],
}
