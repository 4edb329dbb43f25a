/** What administrators may ask for. */
import Type from 'typebox'
import { errors } from '../openapi/errors.ts'
import { withHeaders } from '../openapi/headers.ts'
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

/** What may go wrong with every request to write. */
export const refusals = errors(
  'BadBody',
  'Unauthorized',
  'Forbidden',
  'TooLarge',
  'UnsupportedMediaType',
  'Unavailable',
)

/** No path in an archive is longer. */
const path = { minLength: 1, maxLength: 1024 }

/** Bodies have no fields but these. */
const strict = { additionalProperties: false }

/** A file to be looked at. */
export const registration = component(
  'Registration',
  'A file to be looked at, named in one of two ways.',
  {
    path: Type.Optional(text('Its path below the archive root.', path)),
    download_path: Type.Optional(url('Where it will be downloaded.')),
  },
  {
    ...{ ...strict, minProperties: 1 },
    examples: [{ path: 'nrt/2026/022/05/GRAZ00AUT_S_20260220500_01H_30S_MO.crx.gz' }] as const,
  },
)

export const rescanOrder = component(
  'RescanOrder',
  'What to look at, and how.',
  {
    path: Type.Optional(
      text('A directory below the archive root, such as `obs/2026`; without it, everything.', {
        ...path,
        format: 'archive-directory',
      }),
    ),
    full: Type.Optional(
      flag('Looks at size and time of every file too, not only at names.', { default: false }),
    ),
    accept_removals: Type.Optional(
      flag('Believes the removals that are held back because there are so many of them.', {
        default: false,
      }),
    ),
  },
  { ...strict, examples: [{ path: 'obs/2026', full: true }] },
)

export const rescanTicket = component('RescanTicket', 'A rescan that was ordered.', {
  rescan: number('Its number, by which the status tells of it.', { minimum: 1 }),
  place: oneOf('It runs already, waits, or has become part of one that waits.', [
    'running',
    'waiting',
    'merged',
  ]),
  status: url('Where to follow it.'),
})

const { api } = exampleLinks

/** A request to write that can be pasted into a shell. */
export function curlPost(target: string, body: object) {
  const options = "-X POST -H 'Authorization: Bearer TOKEN' -H 'Content-Type: application/json'"
  return curl(target, `${options} -d '${JSON.stringify(body)}'`)
}

export const orderRescan: RouteSchema = {
  operationId: 'orderRescan',
  tags: ['Administration'],
  summary: 'Order a rescan',
  description: 'One runs, one waits, and later ones become part of the one that waits.',
  security: [{ administrator: [] }],
  body: ref(rescanOrder),
  response: {
    '202': {
      description: 'It is ordered.',
      headers: withHeaders('Allow'),
      content: json(ref(rescanTicket), {
        rescan: 2,
        place: 'running',
        status: `${api}status/?format=api`,
      }),
    },
    ...refusals,
  },
  'x-codeSamples': [curlPost(`${api}rescan/`, { path: 'obs/2026' })],
}
