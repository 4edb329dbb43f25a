/** Schemas of the status of the indexer and the catalogue. */
import { unservedFilesSchema } from '../downloads/schema.ts'
import * as schema from '../openapi/schema.ts'
import type { Bodies } from '../resources/answer.ts'

const examples = schema.list('Some examples.', schema.text())

const files = (description: string) =>
  schema.object(description, { count: schema.integer('Number of these files.'), examples })

const scan = schema.object('The running scan.', {
  started: schema.moment('Start of the scan.'),
  directories_done: schema.integer('Number of directories read.'),
  directories_found: schema.integer(
    'Number of directories found so far; it grows during the scan.',
  ),
  files: schema.integer('Number of files found so far.'),
  done: schema.share('Completed fraction of the tree, 0 to 1.'),
  files_per_second: schema.number(
    'Mean number of files found in a second, since the start of the scan.',
  ),
  seconds_left: schema.orNull(
    schema.number('Estimated seconds until the end; null while unknown.'),
  ),
})

const lastScan = schema.object('The last complete scan.', {
  started: schema.moment('Start of the scan.'),
  ended: schema.moment('End of the scan.'),
  directories: schema.integer('Number of directories read.'),
  files: schema.integer('Number of files found.'),
  added: schema.integer('Number of new files.'),
  modified: schema.integer('Number of changed files.'),
  removed: schema.integer('Number of removed files.'),
})

const watching = schema.object('Directories watched by file events.', {
  directories: schema.integer('Number of watched directories.'),
  limit: schema.integerOrNull('Most watches that the kernel allows; null if unknown.'),
  overflows: schema.integer('Number of overflows of the event queue of the kernel.'),
})

const rescans = schema.object(
  'The numbers of the rescans. The response to an order of a rescan names its number.',
  {
    running: schema.integerOrNull('Number of the running rescan; null if none runs.'),
    waiting: schema.integerOrNull('Number of the waiting rescan; null if none waits.'),
    done: schema.integer('Number of the last completed rescan; 0 before the first.'),
  },
)

const rejectionSchema = schema.component(
  'Rejection',
  'Names that are not catalogued, for one reason.',
  {
    reason: schema.text('The reason; the object `Problem` explains each.'),
    count: schema.integer('Number of these names.'),
    examples,
  },
)

const area = schema.object('An area of the archive.', {
  files: schema.integer('Number of files in the catalogue.'),
  directories: schema.integer('Number of directories in the catalogue.'),
})

export const statusSchema = schema.component(
  'Status',
  'The state of the indexer, and the content of the catalogue.',
  {
    state: schema.oneOf('The state of the indexer; `stopped` if no indexer runs.', [
      'starting',
      'scanning',
      'watching',
      'degraded',
      'stopped',
    ]),
    since: schema.momentOrNull('Start of this state.'),
    reasons: schema.list(
      'The reasons for `degraded`; one reason is that the indexer does not answer.',
      schema.text(),
    ),
    indexer: schema.orNull(
      schema.object('The process of the indexer; null if it does not answer.', {
        pid: schema.integer('Process id.'),
        version: schema.text('Release of the program.'),
        host: schema.orNull(
          schema.text('Host of the process; null if the database is a file on this host.'),
        ),
        waiting: schema.list('Hosts of the indexers that wait to take over.', schema.text()),
      }),
    ),
    scan: schema.orNull(scan),
    last_scan: schema.orNull(lastScan),
    last_sweep: schema.momentOrNull('End of the last sweep over all directories.'),
    dirty_directories: schema.integerOrNull('Number of directories that are still to be read.'),
    watching: schema.orNull(watching),
    settling_files: schema.integerOrNull('Number of young files that are not complete yet.'),
    held_removals: schema.integerOrNull(
      'Number of files that are missing on disk but stay listed, because the deletion guard withholds their removal.',
    ),
    rescans: schema.orNull(rescans),
    areas: schema.object('Counts by area of the archive.', { obs: area, nrt: area }),
    rejected: schema.list('Names that are not catalogued, by reason.', rejectionSchema),
    misplaced: schema.integer('Number of files in the directory of another date.'),
    incomplete: files('Listed files whose gzip stream has no end.'),
    checksums: schema.object('Files with a current SHA-256.', {
      files: schema.integer('Number of these files.'),
      waiting: schema.integerOrNull(
        'Upper bound of the number of files that will be hashed; null if unknown. Files that the configuration excludes are not counted.',
      ),
      broken: files('Files whose gzip stream is damaged before its end.'),
    }),
    seq: schema.integer('Number of the latest change.'),
    epoch: schema.text(
      'Identifies the database; another epoch means that the catalogue was rebuilt.',
    ),
    version: schema.text('Release of the API.'),
    unserved: unservedFilesSchema,
  },
)

const at = '2026-01-23T00:12:40.518203Z'

const example: schema.Static<typeof statusSchema> = {
  state: 'watching',
  since: at,
  reasons: [],
  indexer: { pid: 4711, version: '0.1.0', host: null, waiting: [] },
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

export const statusBodies = { json: { schema: statusSchema, example } } satisfies Bodies
