/** What the service says of itself. */
import type { RejectionCount } from '../../catalogue/records.ts'
import type { WireStatus } from './serialise.ts'
import { missingReasons } from '../downloads/missing-files.ts'
import type { WireMissingFiles } from '../downloads/missing-files.ts'
import { errors } from '../openapi/errors.ts'
import { examples } from '../openapi/examples.ts'
import { negotiated, withHeaders } from '../openapi/headers.ts'
import {
  curl,
  list,
  moment,
  negotiable,
  number,
  object,
  orNull,
  schemaRef,
  text,
} from '../openapi/openapi.ts'
import type { Part, Surroundings } from '../openapi/openapi.ts'
import { format, ifNoneMatch } from '../openapi/parameters.ts'

type Inner<Key extends keyof WireStatus> = NonNullable<WireStatus[Key]>

const scan = object<Inner<'scan'>>('The scan that is running.', {
  started: moment('When it began.'),
  directories_done: number('Directories it has read.'),
  directories_found: number('Directories it knows of; grows while it runs.'),
  files: number('Files it has met.'),
  done: { type: 'number', minimum: 0, maximum: 1, description: 'Share of the tree.' },
  files_per_second: { type: 'number', minimum: 0, description: 'Since it began.' },
  seconds_left: orNull({
    type: 'number',
    minimum: 0,
    description: 'Null while nothing can be said.',
  }),
})

const lastScan = object<Inner<'last_scan'>>('The last complete scan.', {
  started: moment('When it began.'),
  ended: moment('When it ended.'),
  directories: number('Directories it read.'),
  files: number('Files it met.'),
  added: number('Files that were new.'),
  modified: number('Files that had changed.'),
  removed: number('Files that were gone.'),
})

const watching = object<Inner<'watching'>>('Directories watched by file events.', {
  directories: number('How many.'),
  limit: orNull(number('What the kernel allows; null when it does not tell.')),
  overflows: number('How often more events came than the kernel keeps.'),
})

const rescans = object<Inner<'rescans'>>('Rescans, by the numbers under which they were ordered.', {
  running: orNull(number('The one that runs.')),
  waiting: orNull(number('The one that waits.')),
  done: number('The last that ended; 0 for none.'),
})

const rejection = object<RejectionCount>('Names that are left out for one reason.', {
  reason: text('The reason.'),
  count: number('How many.'),
  examples: list('Some of them.', { type: 'string' }),
})

const area = object<WireStatus['areas']['obs']>('An area of the archive.', {
  files: number('Files in the catalogue.'),
  directories: number('Directories that are known.'),
})

const unserved = object<WireMissingFiles>('Files of the catalogue that could not be served.', {
  count: number('Answers 404 about such files since the API started.'),
  latest: list(
    'The latest of these files.',
    object<WireMissingFiles['latest'][number]>('One of them.', {
      path: text('Where the catalogue has it, below the archive root.'),
      reason: text('Why not.', { enum: [...missingReasons] }),
      at: moment('When it was last asked for.'),
    }),
  ),
})

const status = object<WireStatus>('How the indexer is, and what the catalogue holds.', {
  state: text('What the indexer is doing; `stopped` when none runs.', {
    enum: ['starting', 'scanning', 'watching', 'degraded', 'stopped'],
  }),
  since: orNull(moment('Since when.')),
  reasons: list('Why it is `degraded`; it may be that it cannot be asked.', { type: 'string' }),
  indexer: orNull(
    object<Inner<'indexer'>>('The indexer; null when nobody answers.', {
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
  areas: object<WireStatus['areas']>('By area of the archive.', { obs: area, nrt: area }),
  rejected: list('What is not catalogued, by reason.', schemaRef('Rejection')),
  misplaced: number('Files that lie where their name does not send them.'),
  incomplete: object<WireStatus['incomplete']>('Files that are listed without being complete.', {
    count: number('How many.'),
    examples: list('Some of them.', { type: 'string' }),
  }),
  checksums: object<WireStatus['checksums']>('Files that were read for their SHA-256.', {
    files: number('How many.'),
    waiting: orNull(number('Those that are still to be read, at most.')),
    broken: object<WireStatus['checksums']['broken']>(
      'Those whose gzip stream is damaged or has no end.',
      { count: number('How many.'), examples: list('Some of them.', { type: 'string' }) },
    ),
  }),
  seq: number('The number of the latest change.'),
  epoch: text('Names the database that gave it.'),
  version: text('Release of the service.'),
  unserved,
})

export function describeStatusResource({ links }: Surroundings): Part {
  return {
    schemas: { Status: status, Rejection: rejection },
    paths: {
      '/api/status/': {
        get: {
          operationId: 'getStatus',
          tags: ['Service'],
          summary: 'The status',
          parameters: [format(), ifNoneMatch],
          responses: {
            '200': {
              description: 'The status. Its tag changes with all that it says.',
              headers: withHeaders(...negotiated),
              content: negotiable(schemaRef('Status'), examples(links).status),
            },
            ...errors('NotModified', 'NotFound', 'NotAcceptable', 'Unavailable'),
          },
          'x-codeSamples': [curl(`${links.api}status/?format=json`)],
        },
      },
    },
  }
}
