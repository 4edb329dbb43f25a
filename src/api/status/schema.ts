/** What the service says of itself. */
import Type from 'typebox'
import { missingFilesSchema } from '../downloads/schema.ts'
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
  object,
  oneOf,
  orNull,
  ref,
  text,
} from '../openapi/openapi.ts'
import type { RouteSchema } from '../openapi/openapi.ts'
import { format, ifNoneMatch, parameters } from '../openapi/parameters.ts'

const some = list('Some of them.', Type.String())

const scan = object('The scan that is running.', {
  started: moment('When it began.'),
  directories_done: number('Directories it has read.'),
  directories_found: number('Directories it knows of; grows while it runs.'),
  files: number('Files it has met.'),
  done: Type.Number({ minimum: 0, maximum: 1, description: 'Share of the tree.' }),
  files_per_second: Type.Number({ minimum: 0, description: 'Since it began.' }),
  seconds_left: orNull(Type.Number({ minimum: 0, description: 'Null while nothing can be said.' })),
})

const lastScan = object('The last complete scan.', {
  started: moment('When it began.'),
  ended: moment('When it ended.'),
  directories: number('Directories it read.'),
  files: number('Files it met.'),
  added: number('Files that were new.'),
  modified: number('Files that had changed.'),
  removed: number('Files that were gone.'),
})

const watching = object('Directories watched by file events.', {
  directories: number('How many.'),
  limit: orNull(number('What the kernel allows; null when it does not tell.')),
  overflows: number('How often more events came than the kernel keeps.'),
})

const rescans = object('Rescans, by the numbers under which they were ordered.', {
  running: orNull(number('The one that runs.')),
  waiting: orNull(number('The one that waits.')),
  done: number('The last that ended; 0 for none.'),
})

export const rejectionSchema = component('Rejection', 'Names that are left out for one reason.', {
  reason: text('The reason.'),
  count: number('How many.'),
  examples: some,
})

const area = object('An area of the archive.', {
  files: number('Files in the catalogue.'),
  directories: number('Directories that are known.'),
})

export const statusSchema = component(
  'Status',
  'How the indexer is, and what the catalogue holds.',
  {
    state: oneOf('What the indexer is doing; `stopped` when none runs.', [
      'starting',
      'scanning',
      'watching',
      'degraded',
      'stopped',
    ]),
    since: orNull(moment('Since when.')),
    reasons: list('Why it is `degraded`; it may be that it cannot be asked.', Type.String()),
    indexer: orNull(
      object('The indexer; null when nobody answers.', {
        pid: number('Its process.'),
        version: text('Its release.'),
      }),
    ),
    scan: orNull(scan),
    last_scan: orNull(lastScan),
    last_sweep: orNull(moment('When all directories were last looked at.')),
    dirty_directories: orNull(number('Directories that wait to be read.')),
    watching: orNull(watching),
    settling_files: orNull(number('Files that are not complete yet.')),
    held_removals: orNull(
      number('Files that are gone and stay listed, since too many went at once.'),
    ),
    rescans: orNull(rescans),
    areas: object('By area of the archive.', { obs: area, nrt: area }),
    rejected: list('What is not catalogued, by reason.', ref(rejectionSchema)),
    misplaced: number('Files that lie where their name does not send them.'),
    incomplete: object('Files that are listed without being complete.', {
      count: number('How many.'),
      examples: some,
    }),
    checksums: object('Files that were read for their SHA-256.', {
      files: number('How many.'),
      waiting: orNull(number('Those that are still to be read, at most.')),
      broken: object('Those whose gzip stream is damaged or has no end.', {
        count: number('How many.'),
        examples: some,
      }),
    }),
    seq: number('The number of the latest change.'),
    epoch: text('Names the database that gave it.'),
    version: text('Release of the service.'),
    unserved: missingFilesSchema,
  },
)

const at = '2026-01-23T00:12:40.518203Z'

const example: Type.Static<typeof statusSchema> = {
  state: 'watching',
  since: at,
  reasons: [],
  indexer: { pid: 4711, version: '0.1.0' },
  scan: null,
  last_scan: {
    started: '2026-01-23T00:12:38.518203Z',
    ended: at,
    ...{ directories: 31, files: 72, added: 72, modified: 0, removed: 0 },
  },
  last_sweep: at,
  dirty_directories: 0,
  watching: { directories: 17, limit: 65_536, overflows: 0 },
  settling_files: 0,
  held_removals: 0,
  rescans: { running: null, waiting: null, done: 1 },
  areas: { obs: { files: 22, directories: 22 }, nrt: { files: 50, directories: 9 } },
  rejected: [{ reason: 'not-gz', count: 1, examples: ['obs/2026/022/README.txt'] }],
  misplaced: 0,
  incomplete: { count: 0, examples: [] },
  checksums: { files: 70, waiting: 2, broken: { count: 0, examples: [] } },
  seq: 72,
  epoch: '5b0e4c1f',
  version: '0.1.0',
  unserved: { count: 0, latest: [] },
}

export const getStatus: RouteSchema = {
  operationId: 'getStatus',
  tags: ['Service'],
  summary: 'The status',
  querystring: parameters({ format: format() }),
  headers: parameters(ifNoneMatch),
  response: {
    '200': negotiated(
      'The status. Its tag changes with all that it says.',
      negotiable(ref(statusSchema), example),
    ),
    ...errors('NotModified', 'NotFound', 'NotAcceptable', 'Unavailable'),
  },
  'x-codeSamples': [curl(`${exampleLinks.api}status/?format=json`)],
}
