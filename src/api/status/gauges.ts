/** The gauges that a scrape reads anew. `http/access-log.ts` counts; the indexer sends its own. */
import type { Registry } from 'prom-client'
import { Gauge } from 'prom-client'
import { problemWords } from '../../catalogue/filter.ts'
import type { DiskSpace, StorageFigures } from '../../catalogue/questions/reader.ts'
import type { CatalogueSummary } from '../../catalogue/questions/summary.ts'
import type { Volumes } from '../../catalogue/questions/volumes.ts'
import type { IndexerStatus } from '../../control-socket/protocol.ts'
import { countryOf } from '../../parse/countries.ts'
import { flagNames } from '../../rinex/facts.ts'
import type { RecentFlags } from '../../series/flags.ts'
import type { Loss } from '../../series/loss.ts'
import type { State } from '../../series/station-states.ts'
import { countStates, stateOf } from '../../series/station-states.ts'
import { filesToHash } from '../archive/service-lines.ts'
import type { SeriesStatus } from '../series/known-series.ts'

/** A value, or values with their labels; values with the same labels are added up. */
type Samples = number | undefined | readonly (readonly [labels: Record<string, string>, number])[]

/** The rows of a table by the names of the metrics. A metric without samples is left out. */
type Rows<Source> = Readonly<
  Record<
    string,
    readonly [help: string, samples: (source: Source) => Samples, ...labels: readonly string[]]
  >
>

export const catalogueRows: Rows<CatalogueSummary> = {
  rinex_catalogue_seq: ['Number of the latest change in the catalogue.', ({ head }) => head.seq],
  rinex_catalogue_files: [
    'Files in the catalogue.',
    ({ areas }) => Object.entries(areas).map(([area, { files }]) => [{ area }, files]),
    'area',
  ],
  rinex_catalogue_directories: [
    'Directories in the catalogue.',
    ({ areas }) => Object.entries(areas).map(([area, { directories }]) => [{ area }, directories]),
    'area',
  ],
  rinex_catalogue_newest_file_timestamp_seconds: [
    'Time at which the newest file was catalogued.',
    ({ newest }) =>
      newest.map(({ area, fileType, createdUs }) => [
        { area, file_type: fileType },
        createdUs / 1e6,
      ]),
    'area',
    'file_type',
  ],
  rinex_catalogue_checksums: [
    'Files with a current SHA-256 checksum.',
    ({ checksums }) => checksums.files,
  ],
  rinex_catalogue_broken_files: [
    `Damaged files: ${problemWords.broken.what}.`,
    ({ checksums }) => checksums.broken.count,
  ],
  rinex_catalogue_incomplete_files: [
    `Incomplete files: ${problemWords.incomplete.what}.`,
    ({ incomplete }) => incomplete.count,
  ],
  rinex_catalogue_disguised_files: [
    `Disguised files: ${problemWords.disguised.what}.`,
    ({ disguised }) => disguised.count,
  ],
  rinex_catalogue_misplaced_files: [
    `Misplaced files: ${problemWords.misplaced.what}.`,
    ({ misplaced }) => misplaced,
  ],
  rinex_catalogue_rejected_names: [
    'Names that are not catalogued.',
    ({ rejected }) => rejected.map(({ reason, count }) => [{ reason }, count]),
    'reason',
  ],
  rinex_catalogue_last_scan_timestamp_seconds: [
    'End of the last complete scan of the archive.',
    ({ lastScan }) => lastScan && lastScan.endedUs / 1e6,
  ],
}

export const volumeRows: Rows<Volumes> = {
  rinex_catalogue_bytes: [
    'Sum of the sizes of the listed files.',
    ({ totals }) =>
      totals.map(({ area, period = '', bytes }) => [{ area, period }, bytes] as const),
    'area',
    'period',
  ],
}

export const flagRows: Rows<RecentFlags> = {
  rinex_catalogue_flagged_files: [
    'Files of yesterday and today (UTC) with a flag that their station does not always have.',
    ({ ofTypes }) => [
      // From 0, so that rules can compare with yesterday.
      ...flagNames.map((flag) => [{ flag, file_type: 'o' }, 0] as const),
      ...ofTypes.map(
        ({ flag, fileType, files }) => [{ flag, file_type: fileType }, files] as const,
      ),
    ],
    ...['flag', 'file_type'],
  ],
}

export const storageRows: Rows<StorageFigures> = {
  rinex_database_bytes: ['Size of the database.', ({ databaseBytes }) => databaseBytes],
  rinex_database_wal_bytes: ['Size of the WAL of a database file.', ({ walBytes }) => walBytes],
  rinex_backup_timestamp_seconds: [
    'Time of the newest backup.',
    ({ backupUs }) => backupUs && backupUs / 1e6,
  ],
}

/** What each scrape knows. */
interface Scrape {
  readonly version: string
  /** `undefined` while the indexer does not answer. */
  readonly indexer: IndexerStatus | undefined
  /** The latest summary; `undefined` before the first. */
  readonly summary: CatalogueSummary | undefined
  readonly isAvailable: boolean
  readonly isCurrent: boolean
  readonly asOf: number
  /** By their names; each is `undefined` while its space cannot be read. */
  readonly disks: Readonly<Record<string, DiskSpace | undefined>>
  readonly states: readonly SeriesStatus[]
  /** The state of each station. */
  readonly stations: ReadonlyMap<string, State>
  readonly losses: readonly Loss[]
}

/** The country of a loss, or of its station; empty if it has none. */
const countryOfLoss = ({ country, station = '' }: Loss): string =>
  country ?? countryOf(station) ?? ''

const ofDisks =
  (value: (space: DiskSpace) => number) =>
  ({ disks }: Scrape) =>
    Object.entries(disks).flatMap(([disk, space]) =>
      space === undefined ? [] : [[{ disk }, value(space)] as const],
    )

export const scrapeRows: Rows<Scrape> = {
  rinex_catalogue_available: [
    '1 if the catalogue can be read, else 0.',
    ({ isAvailable }) => Number(isAvailable),
  ],
  rinex_catalogue_current: [
    '1 if the catalogue follows the archive, 0 if not: the states of series stand still then.',
    ({ isCurrent }) => Number(isCurrent),
  ],
  rinex_catalogue_as_of_timestamp_seconds: [
    'The time of the oldest of the last looks at each directory, for which the states of series are computed; 0 until the first scan has ended.',
    ({ asOf }) => asOf,
  ],
  rinex_series: [
    'Series of files by their state now: down, late, present, silent, ended or unknown.',
    ({ states }) =>
      states.map(({ summary, period, fileType }) => [
        { state: stateOf(summary), period, file_type: fileType },
        1,
      ]),
    ...['state', 'period', 'file_type'],
  ],
  rinex_stations: [
    'Stations by their state now: the worst one of their series.',
    ({ stations }) =>
      stations.size === 0
        ? []
        : Object.entries(countStates(stations)).map(([state, count]) => [{ state }, count]),
    'state',
  ],
  rinex_alerts: [
    'Open alerts by kind and country.',
    ({ losses }) =>
      losses.flatMap((loss) =>
        loss.alert ? [[{ kind: loss.kind, country: countryOfLoss(loss) }, 1] as const] : [],
      ),
    ...['kind', 'country'],
  ],
  rinex_build_info: [
    'The release of each process, and the Node of the API.',
    ({ version, indexer }) => [
      [{ process: 'api', version, node: process.versions.node }, 1],
      ...(indexer ? [[{ process: 'indexer', version: indexer.version }, 1] as const] : []),
    ],
    ...['process', 'version', 'node'],
  ],
  rinex_indexer_up: ['1 if the indexer answers, else 0.', ({ indexer }) => (indexer ? 1 : 0)],
  rinex_indexer_checksums_waiting: [
    'Upper bound of the files still to be hashed.',
    ({ indexer, summary }) => indexer && summary && filesToHash(summary, indexer),
  ],
  rinex_disk_free_bytes: [
    'Free space for normal users on the disk.',
    ofDisks(({ freeBytes }) => freeBytes),
    'disk',
  ],
  rinex_disk_size_bytes: ['Size of the disk.', ofDisks(({ totalBytes }) => totalBytes), 'disk'],
}

/** Adds the gauges of a table. @returns a function that sets all of them */
export function createGauges<Source>(
  registry: Registry,
  rows: Rows<Source>,
): (source: Source) => void {
  const gauges = Object.entries(rows).map(([name, [help, samples, ...labelNames]]) => ({
    gauge: new Gauge({ name, help, labelNames, registers: [registry] }),
    samples,
  }))
  return (source) => {
    for (const { gauge, samples } of gauges) {
      const found = samples(source)
      gauge.reset()
      if (found === undefined) gauge.remove()
      else if (typeof found === 'number') gauge.set(found)
      else for (const [labels, value] of found) gauge.inc(labels, value)
    }
  }
}
