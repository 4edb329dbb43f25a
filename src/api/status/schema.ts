/** Schemas of the status of the indexer and the catalogue. */
import Type from 'typebox'
import { unservedFilesSchema } from '../downloads/schema.ts'
import { errors, negotiated } from '../openapi/responses.ts'
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
import { format, ifNoneMatch, parameters, strict } from '../openapi/parameters.ts'

const some = list('Some examples.', Type.String())

const scan = object('The running scan.', {
  started: moment('Start of the scan.'),
  directories_done: number('Number of directories read.'),
  directories_found: number('Number of directories found so far; it grows during the scan.'),
  files: number('Number of files found so far.'),
  done: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'Completed fraction of the tree, 0 to 1.',
  }),
  files_per_second: Type.Number({
    minimum: 0,
    description: 'Mean number of files found in a second, since the start of the scan.',
  }),
  seconds_left: orNull(
    Type.Number({
      minimum: 0,
      description: 'Estimated seconds until the end; null while unknown.',
    }),
  ),
})

const lastScan = object('The last complete scan.', {
  started: moment('Start of the scan.'),
  ended: moment('End of the scan.'),
  directories: number('Number of directories read.'),
  files: number('Number of files found.'),
  added: number('Number of new files.'),
  modified: number('Number of changed files.'),
  removed: number('Number of removed files.'),
})

const watching = object('Directories watched by file events.', {
  directories: number('Number of watched directories.'),
  limit: orNull(number('Most watches that the kernel allows; null if unknown.')),
  overflows: number('Number of overflows of the event queue of the kernel.'),
})

const rescans = object(
  'The numbers of the rescans. The response to an order of a rescan names its number.',
  {
    running: orNull(number('Number of the running rescan; null if none runs.')),
    waiting: orNull(number('Number of the waiting rescan; null if none waits.')),
    done: number('Number of the last completed rescan; 0 before the first.'),
  },
)

export const rejectionSchema = component(
  'Rejection',
  'Names that are not catalogued, for one reason.',
  {
    reason: text('The reason; the object `Problem` explains each.'),
    count: number('Number of these names.'),
    examples: some,
  },
)

const area = object('An area of the archive.', {
  files: number('Number of files in the catalogue.'),
  directories: number('Number of directories in the catalogue.'),
})

export const statusSchema = component(
  'Status',
  'The state of the indexer, and the content of the catalogue.',
  {
    state: oneOf('The state of the indexer; `stopped` if no indexer runs.', [
      'starting',
      'scanning',
      'watching',
      'degraded',
      'stopped',
    ]),
    since: orNull(moment('Start of this state.')),
    reasons: list(
      'The reasons for `degraded`; one reason is that the indexer does not answer.',
      Type.String(),
    ),
    indexer: orNull(
      object('The process of the indexer; null if it does not answer.', {
        pid: number('Process id.'),
        version: text('Release of the program.'),
      }),
    ),
    scan: orNull(scan),
    last_scan: orNull(lastScan),
    last_sweep: orNull(moment('End of the last sweep over all directories.')),
    dirty_directories: orNull(number('Number of directories that are still to be read.')),
    watching: orNull(watching),
    settling_files: orNull(number('Number of young files that are not complete yet.')),
    held_removals: orNull(
      number(
        'Number of files that are missing on disk but stay listed, because the deletion guard withholds their removal.',
      ),
    ),
    rescans: orNull(rescans),
    areas: object('Counts by area of the archive.', { obs: area, nrt: area }),
    rejected: list('Names that are not catalogued, by reason.', ref(rejectionSchema)),
    misplaced: number('Number of files in the directory of another date.'),
    incomplete: object('Listed files whose gzip stream has no end.', {
      count: number('Number of these files.'),
      examples: some,
    }),
    checksums: object('Files with a current SHA-256.', {
      files: number('Number of these files.'),
      waiting: orNull(
        number(
          'Upper bound of the number of files that will be hashed; null if unknown. Files that the configuration excludes are not counted.',
        ),
      ),
      broken: object('Files whose gzip stream is damaged before its end.', {
        count: number('Number of these files.'),
        examples: some,
      }),
    }),
    seq: number('Number of the latest change.'),
    epoch: text('Identifies the database; another epoch means that the catalogue was rebuilt.'),
    version: text('Release of the API.'),
    unserved: unservedFilesSchema,
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
    directories: 31,
    files: 72,
    added: 72,
    modified: 0,
    removed: 0,
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
  summary: 'Get the status',
  querystring: parameters({ strict, format: format() }),
  headers: parameters(ifNoneMatch),
  response: {
    '200': negotiated(
      'The status. Its `ETag` is a digest of its content.',
      negotiable(ref(statusSchema), example),
      'Ignored-Parameters',
    ),
    ...errors('NotModified', 'BadParameters', 'NotFound', 'NotAcceptable', 'TooManyRequests'),
    ...errors('Unavailable'),
  },
  'x-codeSamples': [curl(`${exampleLinks.api}status/?format=json`)],
}
