/** Metrics of the catalogue and its disks. */
import { statfs } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import type { CatalogueReader } from '../../catalogue/reader.ts'
import {
  CatalogueUnavailable,
  QueryTimeout,
  TooManyQueries,
} from '../../catalogue/reader-errors.ts'
import type { CatalogueSummary, DiskSpace, StorageFigures } from '../../catalogue/records.ts'

/**
 * Milliseconds that a scrape waits for the summary. If the query workers are busy for longer, it
 * uses the previous summary.
 */
const summaryTimeoutMs = 1000

export interface CatalogueMetricsDeps {
  readonly reader: Pick<CatalogueReader, 'summary' | 'storage'>
  readonly settings: { readonly archive: string }
}

/**
 * @returns a function that updates the gauges, and returns the summary if it is known. Gauges of
 * the catalogue and its database keep their values while the catalogue or the database cannot be
 * read; the gauges of a disk are removed while its space cannot be read.
 */
export function catalogueGauges(
  { reader, settings }: CatalogueMetricsDeps,
  registry: Registry,
): () => Promise<CatalogueSummary | undefined> {
  const showSummary = summaryGauges(registry)
  const showStorage = storageGauges(registry)
  const showDisk = diskGauges(registry)
  const archiveSpace = openDiskSpace(settings.archive)
  const available = new Gauge({
    name: 'rinex_catalogue_available',
    help: '1 if the catalogue can be read, else 0.',
    registers: [registry],
  })
  let latest: CatalogueSummary | undefined
  const updateSummary = async (): Promise<void> => {
    try {
      const summary = await Promise.race([
        reader.summary(),
        delay(summaryTimeoutMs, undefined, { ref: false }),
      ])
      if (summary !== undefined) showSummary((latest = summary))
      available.set(1)
    } catch (error) {
      if (error instanceof QueryTimeout || error instanceof TooManyQueries) return
      if (!(error instanceof CatalogueUnavailable)) throw error
      available.set(0)
    }
  }
  const updateStorage = async (): Promise<void> => {
    const [storage, archive] = await Promise.all([
      reader.storage().catch((error: unknown) => {
        if (error instanceof CatalogueUnavailable) return undefined
        throw error
      }),
      archiveSpace(),
    ])
    if (storage !== undefined) showStorage(storage)
    showDisk('database', storage?.disk)
    showDisk('archive', archive)
  }
  return async () => {
    await Promise.all([updateSummary(), updateStorage()])
    return latest
  }
}

function summaryGauges(registry: Registry): (summary: CatalogueSummary) => void {
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: `rinex_catalogue_${name}`, help, labelNames, registers: [registry] })
  const seq = gauge('seq', 'Number of the latest change in the catalogue.')
  const files = gauge('files', 'Files in the catalogue.', ['area'])
  const directories = gauge('directories', 'Directories in the catalogue.', ['area'])
  const newest = gauge(
    'newest_file_timestamp_seconds',
    'Time at which the newest file was catalogued.',
    ['area', 'file_type'],
  )
  const hashed = gauge('checksums', 'Files with a current SHA-256 checksum.')
  const broken = gauge('broken_streams', 'Files whose gzip stream is damaged.')
  const incomplete = gauge('incomplete_files', 'Listed files whose gzip stream has no end.')
  const misplaced = gauge('misplaced_files', 'Files in the directory of another date.')
  const rejected = gauge('rejected_names', 'Names that are not catalogued.', ['reason'])
  const lastScan = gauge(
    'last_scan_timestamp_seconds',
    'End of the last complete scan of the archive.',
  )
  return (summary) => {
    seq.set(summary.head.seq)
    hashed.set(summary.checksums.files)
    broken.set(summary.checksums.broken.count)
    incomplete.set(summary.incomplete.count)
    misplaced.set(summary.misplaced)
    for (const [area, counts] of Object.entries(summary.areas)) {
      files.set({ area }, counts.files)
      directories.set({ area }, counts.directories)
    }
    newest.reset()
    for (const { area, fileType, createdUs } of summary.newest)
      newest.set({ area, file_type: fileType }, createdUs / 1e6)
    rejected.reset()
    for (const { reason, count } of summary.rejected) rejected.set({ reason }, count)
    if (summary.lastScan === undefined) lastScan.remove()
    else lastScan.set(summary.lastScan.endedUs / 1e6)
  }
}

function storageGauges(registry: Registry): (storage: StorageFigures) => void {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] })
  const database = gauge('rinex_database_bytes', 'Size of the database file.')
  const wal = gauge('rinex_database_wal_bytes', 'Size of the WAL of the database.')
  const backup = gauge('rinex_backup_timestamp_seconds', 'Time of the newest backup.')
  return ({ databaseBytes, walBytes, backupUs }) => {
    database.set(databaseBytes)
    wal.set(walBytes)
    if (backupUs === undefined) backup.remove()
    else backup.set(backupUs / 1e6)
  }
}

function diskGauges(registry: Registry): (disk: string, space: DiskSpace | undefined) => void {
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `rinex_disk_${name}`, help, labelNames: ['disk'], registers: [registry] })
  const free = gauge('free_bytes', 'Free space for normal users on the disk.')
  const size = gauge('size_bytes', 'Size of the disk.')
  return (disk, space) => {
    if (space === undefined) {
      free.remove({ disk })
      size.remove({ disk })
    } else {
      free.set({ disk }, space.freeBytes)
      size.set({ disk }, space.totalBytes)
    }
  }
}

/** Milliseconds that the metrics wait for a disk, because a disk that hangs must not delay them. */
const diskTimeoutMs = 500

/**
 * Returns a function that reads the free and the total space of a directory's disk; `undefined` if
 * the read fails or the disk does not answer in time. While the disk hangs, one read waits for it,
 * and no further read starts, because each would block a thread.
 */
export function openDiskSpace(
  directory: string,
  read: typeof statfs = statfs,
): () => Promise<DiskSpace | undefined> {
  let pending: Promise<DiskSpace | undefined> | undefined
  const start = (): Promise<DiskSpace | undefined> =>
    read(directory)
      .then(
        ({ bavail, blocks, bsize }) => ({ freeBytes: bavail * bsize, totalBytes: blocks * bsize }),
        () => undefined,
      )
      .finally(() => {
        pending = undefined
      })
  return () => {
    pending ??= start()
    return Promise.race([pending, delay(diskTimeoutMs, undefined, { ref: false })])
  }
}
