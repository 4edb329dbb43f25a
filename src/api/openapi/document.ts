/** The description of the whole service, as OpenAPI 3.1 has it: the parts of its resources put together. */
import { describeChanges } from '../changes/schema.ts'
import { describeDownloads } from '../downloads/schema.ts'
import { errorResponses, errorSchemas } from './errors.ts'
import { describeFiles } from '../files/schema.ts'
import { headers } from './headers.ts'
import { describeListings } from '../listings/schema.ts'
import { descriptionSchema, withPlainMethods } from './plain-methods.ts'
import type { OpenApiDocument, Surroundings } from './openapi.ts'
import { describeProblems } from '../problems/schema.ts'
import { describeService } from './service.ts'
import { describeStations } from '../stations/schema.ts'
import { describeStatusResource } from '../status/schema.ts'
import { describeWriting } from '../admin/schema.ts'

const description = [
  'What RINEX files a GNSS archive holds, and where to download them. Anybody may read; writing is for administrators.',
  'Programs get JSON and browsers get pages, by `Accept`; `format=json` forces JSON. Links into the API carry `format=api`, which leaves that choice open. `HEAD` and `OPTIONS` are answered wherever `GET` is, and scripts of any origin may read.',
  'Request targets may be in absolute form (RFC 9112, 3.2.2), and empty segments of a path are merged: `data//obs/` is `data/obs/`. A path without its last slash is redirected to the one with it.',
  'Answers carry an `ETag`, and `If-None-Match` with it is answered `304` until something changes. Times are UTC, in ISO 8601.',
  'A parameter with a value that makes no sense is answered `400`, with all faults at once. One that is unknown is ignored and named in `Ignored-Parameters`. A method that a path does not know is `405`, with those that it knows in `Allow`. `429` and `503` say in `Retry-After` when to come back.',
].join('\n\n')

const tags = [
  { name: 'Files', description: 'The files of the archive and what their names tell.' },
  { name: 'Stations', description: 'The stations that the names tell of.' },
  { name: 'Changes', description: 'What is new, replaced or gone: for mirrors.' },
  { name: 'Downloads', description: 'The files themselves, and what directories hold.' },
  { name: 'Service', description: 'What there is, how it is doing, and how it is described.' },
  { name: 'Administration', description: 'For who shows the token of the administrators.' },
]

/** @param version of the program */
export function describeApi(surroundings: Surroundings, version: string): OpenApiDocument {
  const parts = [
    describeFiles,
    describeStations,
    describeChanges,
    describeListings,
    describeDownloads,
    describeService,
    describeStatusResource,
    describeProblems,
    describeWriting,
  ].map((describe) => describe(surroundings))
  const server = surroundings.links.api.replace(/\/api\/$/, '')
  return {
    openapi: '3.1.1',
    info: {
      title: 'RINEX file catalogue',
      version,
      description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: server, description: 'This service.' }],
    security: [],
    tags,
    paths: Object.fromEntries(
      parts
        .flatMap(({ paths }) => Object.entries(paths))
        .map(([path, methods]) => [path, withPlainMethods(path, methods)]),
    ),
    components: {
      schemas: Object.assign(
        {},
        errorSchemas,
        { Description: descriptionSchema },
        ...parts.map(({ schemas }) => schemas),
      ) as OpenApiDocument['components']['schemas'],
      responses: errorResponses,
      headers,
      securitySchemes: {
        administrator: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token of the administrators.',
        },
      },
    },
  }
}
