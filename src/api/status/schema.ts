/** Schemas of the status of the indexer and the catalogue. */
import { problemWords } from '../../catalogue/filter.ts'
import { diskSchema } from '../archive/schema.ts'
import { unservedFilesSchema } from '../downloads/schema.ts'
import { firstArea, inFirst, otherArea } from '../openapi/area-words.ts'
import { flagCounts } from '../openapi/flags.ts'
import * as schema from '../openapi/schema.ts'

const at = '2026-01-23T00:12:40.518203Z'

const examples = schema.list('Some examples.', schema.text(), [])

const files = (description: string) =>
  schema.object(description, { count: schema.integer('Number of these files.', 0), examples })

const scan = schema.object('The running scan.', {
  started: schema.moment('Start of the scan.', at),
  directories_done: schema.integer('Number of directories read.', 12),
  directories_found: schema.integer(
    'Number of directories found so far; it grows during the scan.',
    31,
  ),
  files: schema.integer('Number of files found so far.', 40),
  done: schema.share('Completed fraction of the tree, 0 to 1.', 0.4),
  files_per_second: schema.number(
    'Mean number of files found in a second, since the start of the scan.',
    4000,
  ),
  seconds_left: schema.orNull(
    schema.number('Estimated seconds until the end; null while unknown.', 2),
  ),
})

const lastScan = schema.object('The last complete scan.', {
  started: schema.moment('Start of the scan.', '2026-01-23T00:12:38.518203Z'),
  ended: schema.moment('End of the scan.', at),
  directories: schema.integer('Number of directories read.', 31),
  files: schema.integer('Number of files found.', 72),
  added: schema.integer('Number of new files.', 72),
  modified: schema.integer('Number of changed files.', 0),
  removed: schema.integer('Number of removed files.', 0),
})

const watching = schema.object('Directories watched by file events.', {
  directories: schema.integer('Number of watched directories.', 17),
  limit: schema.integerOrNull('Most watches that the kernel allows; null if unknown.', 65_536),
  overflows: schema.integer('Number of overflows of the event queue of the kernel.', 0),
})

const endedRescan = schema.object('A rescan that has ended.', {
  rescan: schema.integer('Its number.', 1),
  paths: schema.list('The directories that were ordered, at most ten.', schema.text(), [
    `${inFirst}2026`,
  ]),
  path_count: schema.integer('Number of the directories that were ordered.', 1),
  accepted_removals: schema.boolean('True if removals that were withheld were accepted.', false),
  started: schema.moment('Start of the rescan.', '2026-01-23T06:10:02.118203Z'),
  ended: schema.moment('End of the rescan.', '2026-01-23T06:10:03.302118Z'),
  added: schema.integer('Number of new files.', 1),
  modified: schema.integer('Number of changed files.', 0),
  removed: schema.integer('Number of removed files.', 0),
  problem: schema.textOrNull('What it could not do; null if it did everything.', null),
})

const rescans = schema.object(
  'The numbers of the rescans. The response to an order of a rescan names its number.',
  {
    running: schema.integerOrNull('Number of the running rescan; null if none runs.', null),
    waiting: schema.integerOrNull('Number of the waiting rescan; null if none waits.', null),
    done: schema.integer('Number of the last completed rescan; 0 before the first.', 1),
    ended: schema.list(
      'The last ten rescans that ended since the start of the indexer, the newest first.',
      endedRescan,
    ),
  },
)

const rejectionSchema = schema.component(
  'Rejection',
  'Names that are not catalogued, for one reason.',
  {
    reason: schema.text('The reason; the object `Problem` explains each.', 'not-gz'),
    count: schema.integer('Number of these names.', 1),
    examples: schema.withExample(examples, [`${inFirst}2026/022/README.txt`]),
  },
)

const area = schema.object('An area of the archive.', {
  files: schema.integer('Number of files in the catalogue.', 22),
  bytes: schema.integer('Sum of their sizes.', 2_336_200),
  directories: schema.integer('Number of directories in the catalogue.', 22),
})

const byArea: schema.Schema = schema.object('Counts by area of the archive.', {
  [firstArea]: area,
  [otherArea]: schema.withExample(area, { files: 50, bytes: 1_204_802, directories: 9 }),
})
const areas = byArea as schema.Schema<Readonly<Record<string, schema.Static<typeof area>>>>

export const statusSchema = schema.component(
  'Status',
  'The state of the indexer, and the content of the catalogue.',
  {
    state: schema.oneOf(
      'The state of the indexer; `stopped` if no indexer runs.',
      ['starting', 'scanning', 'watching', 'degraded', 'stopped'],
      'watching',
    ),
    since: schema.momentOrNull('Start of this state.', at),
    reasons: schema.list(
      'The reasons for `degraded`; one reason is that the indexer does not answer.',
      schema.text(),
      [],
    ),
    indexer: schema.orNull(
      schema.object('The process of the indexer; null if it does not answer.', {
        pid: schema.integer('Process id.', 4711),
        version: schema.text('Release of the program.', '0.1.0'),
        host: schema.textOrNull(
          'Host of the process; null if the database is a file on this host.',
          null,
        ),
        waiting: schema.list('Hosts of the indexers that wait to take over.', schema.text(), []),
      }),
    ),
    scan: schema.orNull(scan, null),
    last_scan: schema.orNull(lastScan),
    last_sweep: schema.momentOrNull('End of the last sweep over all directories.', at),
    as_of: schema.momentOrNull(
      'Time of the oldest of the last looks at each directory: what had changed by then is listed. Null until the first scan has ended.',
      '2026-01-23T00:12:38Z',
    ),
    dirty_directories: schema.integerOrNull('Number of directories that are still to be read.', 0),
    watching: schema.orNull(watching),
    settling_files: schema.integerOrNull('Number of young files that are not complete yet.', 0),
    held_removals: schema.integerOrNull(
      'Number of files that are missing on disk but stay listed, because the deletion guard withholds their removal.',
      0,
    ),
    rescans: schema.orNull(rescans),
    areas,
    newest_file: schema.momentOrNull('`created` of the newest record; null without files.', at),
    rejected: schema.list('Names that are not catalogued, by reason.', rejectionSchema),
    misplaced: schema.integer(`Number of misplaced files: ${problemWords.misplaced.what}.`, 0),
    unclear_paths: schema.list(
      'Areas whose paths contradict more than a fifth of their files, so that no file counts as misplaced.',
      schema.text('An area.', firstArea),
    ),
    incomplete: files(`Incomplete files: ${problemWords.incomplete.what}.`),
    disguised: files(`Disguised files: ${problemWords.disguised.what}.`),
    checksums: schema.object('Files with a current SHA-256.', {
      files: schema.integer('Number of these files.', 70),
      facts: schema.integer('Number of these files of which is known what is inside.', 70),
      waiting: schema.integerOrNull(
        'Upper bound of the number of files that will be read for both; null if unknown. Files that the configuration excludes are not counted.',
        2,
      ),
      broken: files(`Damaged files: ${problemWords.broken.what}.`),
    }),
    flagged: schema.orNull(
      schema.object(
        'The files of two days with a flag, without the flags that their station always has; null until the first scan has ended.',
        {
          from: schema.day('The first UTC day on which their data begin: yesterday.', '2026-01-22'),
          to: schema.day('The last one: today.', '2026-01-23'),
          files: schema.integer('Number of these files.', 1),
          flags: flagCounts('The same files', [{ flag: 'short', files: 1 }]),
        },
      ),
    ),
    seq: schema.integer('Number of the latest change.', 72),
    epoch: schema.text(
      'Identifies the database; another epoch means that the catalogue was rebuilt.',
      '5b0e4c1f',
    ),
    version: schema.text('Release of the API.', '0.1.0'),
    unserved: unservedFilesSchema,
    disks: schema.list('The file systems of the archive, as the API finds them.', diskSchema),
  },
)
