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

const endedRescan = schema.object('A rescan that has ended.', {
  rescan: schema.integer('Its number.'),
  paths: schema.list('The directories that were ordered, at most ten.', schema.text()),
  path_count: schema.integer('Number of the directories that were ordered.'),
  full: schema.boolean('True if sizes and times of all files were read.'),
  accepted_removals: schema.boolean('True if removals that were withheld were accepted.'),
  started: schema.moment('Start of the rescan.'),
  ended: schema.moment('End of the rescan.'),
  added: schema.integer('Number of new files.'),
  modified: schema.integer('Number of changed files.'),
  removed: schema.integer('Number of removed files.'),
  problem: schema.textOrNull('What it could not do; null if it did everything.'),
})

const rescans = schema.object(
  'The numbers of the rescans. The response to an order of a rescan names its number.',
  {
    running: schema.integerOrNull('Number of the running rescan; null if none runs.'),
    waiting: schema.integerOrNull('Number of the waiting rescan; null if none waits.'),
    done: schema.integer('Number of the last completed rescan; 0 before the first.'),
    ended: schema.list(
      'The last ten rescans that ended since the start of the indexer, the newest first.',
      endedRescan,
    ),
  },
)

const disk = schema.object('A file system of the archive.', {
  holds: schema.list('What is on it, as in `api/archive/`.', schema.text()),
  free_bytes: schema.integerOrNull(
    'Free space for normal users; null if the disk does not answer.',
  ),
  total_bytes: schema.integerOrNull('Its size; null if the disk does not answer.'),
})

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
  bytes: schema.integer('Sum of their known sizes.'),
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
    newest_file: schema.momentOrNull('`created` of the newest record; null without files.'),
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
    disks: schema.list('The file systems of the archive, as the API finds them.', disk),
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
  rescans: {
    running: null,
    waiting: null,
    done: 1,
    ended: [
      {
        rescan: 1,
        paths: ['obs/2026'],
        path_count: 1,
        full: true,
        accepted_removals: false,
        started: '2026-01-23T06:10:02.118203Z',
        ended: '2026-01-23T06:10:03.302118Z',
        added: 1,
        modified: 0,
        removed: 0,
        problem: null,
      },
    ],
  },
  areas: {
    obs: { files: 22, bytes: 2_336_200, directories: 22 },
    nrt: { files: 50, bytes: 1_204_802, directories: 9 },
  },
  newest_file: at,
  rejected: [{ reason: 'not-gz', count: 1, examples: ['obs/2026/022/README.txt'] }],
  misplaced: 0,
  incomplete: { count: 0, examples: [] },
  checksums: { files: 70, waiting: 2, broken: { count: 0, examples: [] } },
  seq: 72,
  epoch: '5b0e4c1f',
  version: '0.1.0',
  unserved: { count: 0, latest: [] },
  disks: [{ holds: ['archive', 'obs', 'nrt'], free_bytes: 812e9, total_bytes: 2e12 }],
}

export const statusBodies = { json: { schema: statusSchema, example } } satisfies Bodies
