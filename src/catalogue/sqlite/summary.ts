/** Reads the summary and the head of the catalogue, and caches them until another connection writes. */
import type { Database } from 'better-sqlite3'
import type { CatalogueSummary, Head, NewestFile, RejectionCount, ScanSummary } from '../records.ts'
import { isValidChecksum } from '../questions/record.ts'

const examplesPerReason = 5

/** Prepares the summary of the catalogue, for the writer and readers. Call within one transaction. */
export function prepareSummary(db: Database): () => CatalogueSummary {
  const head = prepareHead(db)
  const files = db.prepare('SELECT name, files FROM area')
  const directories = db.prepare(
    `SELECT substr(path, 1, 3) AS area, count(*) AS count, sum(misplaced) AS misplaced
     FROM directory WHERE gone = 0 GROUP BY 1`,
  )
  const rejections = db.prepare(
    'SELECT reason, sum(count) AS count FROM rejection GROUP BY reason ORDER BY 2 DESC, 1',
  )
  const examples = db
    .prepare(
      `SELECT d.path || '/' || json_extract(r.names, '$[0]')
       FROM rejection r JOIN directory d ON d.id = r.directory
       WHERE r.reason = ? AND json_array_length(r.names) > 0 ORDER BY d.id DESC LIMIT ${examplesPerReason}`,
    )
    .pluck()
  const incomplete = prepareProblem(db, 'incomplete', 'file f WHERE f.incomplete = 1')
  const broken = prepareProblem(
    db,
    'broken',
    `checksum c JOIN file f ON ${isValidChecksum} WHERE c.broken = 1 AND f.incomplete = 0`,
  )
  const hashed = db.prepare('SELECT files FROM hashing WHERE one = 1').pluck()
  const lastScan = prepareLastScan(db)
  const newest = prepareNewest(db)
  return () => {
    const areas = { obs: { files: 0, directories: 0 }, nrt: { files: 0, directories: 0 } }
    let misplaced = 0
    for (const row of files.all() as { name: 'obs' | 'nrt'; files: number }[])
      areas[row.name].files = row.files
    for (const row of directories.all() as DirectoriesRow[]) {
      areas[row.area].directories = row.count
      misplaced += row.misplaced
    }
    return {
      head: head(),
      areas,
      misplaced,
      incomplete: incomplete(),
      checksums: {
        files: hashed.get() as number,
        broken: broken(),
      },
      rejected: (rejections.all() as { reason: string; count: number }[]).map(
        (row): RejectionCount => ({ ...row, examples: examples.all(row.reason) as string[] }),
      ),
      lastScan: lastScan(),
      newest: newest(),
    }
  }
}

/** Counts the files that have a problem, by its partial index. The examples are the paths of the files with the highest ids. */
function prepareProblem(db: Database, reason: string, from: string): () => RejectionCount {
  const count = db.prepare(`SELECT count(*) FROM ${from}`).pluck()
  const latest = db
    .prepare(
      `SELECT (SELECT path FROM directory WHERE id = f.directory) || '/' || f.name FROM ${from}
       ORDER BY f.id DESC LIMIT ${examplesPerReason}`,
    )
    .pluck()
  return () => ({ reason, count: count.get() as number, examples: latest.all() as string[] })
}

/**
 * Prepares the newest record of each area and file type. Uses `id_count`, which is complete even during a first scan. It needs
 * one lookup for each kind, and at most 64 rows for each result.
 */
function prepareNewest(db: Database): () => NewestFile[] {
  const groups = db.prepare(
    `SELECT area, file_type AS fileType,
       max((SELECT max(bucket) FROM id_count WHERE level = 6 AND kind = kind.id)) AS bucket
     FROM kind GROUP BY area, file_type HAVING bucket IS NOT NULL ORDER BY area, file_type`,
  )
  const newest = db
    .prepare(
      `SELECT f.created_us FROM file f JOIN kind k ON k.id = f.kind
       WHERE f.id BETWEEN @bucket << 6 AND (@bucket << 6) + 63 AND k.area = @area AND k.file_type = @fileType
       ORDER BY f.id DESC LIMIT 1`,
    )
    .pluck()
  return () =>
    (groups.all() as (Omit<NewestFile, 'createdUs'> & { bucket: number })[]).flatMap((group) => {
      const createdUs = newest.get(group) as number | undefined
      return createdUs === undefined
        ? []
        : [{ area: group.area, fileType: group.fileType, createdUs }]
    })
}

interface DirectoriesRow {
  area: 'obs' | 'nrt'
  count: number
  misplaced: number
}

interface HeadRow extends Omit<Head, 'heartbeat'> {
  readonly atUs: number | null
  readonly limitSeconds: number
}

export function prepareHead(db: Database): () => Head {
  const statement = db.prepare(
    `SELECT epoch, seq, details_seq AS detailsSeq, heartbeat_us AS atUs, heartbeat_limit_s AS limitSeconds
     FROM catalogue WHERE one = 1`,
  )
  return () => {
    const { atUs, limitSeconds, ...head } = statement.get() as HeadRow
    return { ...head, heartbeat: atUs === null ? undefined : { atUs, limitSeconds } }
  }
}

/** Prepares reading the last complete scan; `undefined` before the first. */
export function prepareLastScan(db: Database): () => ScanSummary | undefined {
  const lastScan = db.prepare('SELECT last_scan FROM catalogue WHERE one = 1').pluck()
  return () => {
    const scan = lastScan.get() as string | null
    return scan === null ? undefined : (JSON.parse(scan) as ScanSummary)
  }
}

/** The head for a read-only connection. It is read again only after another connection has written. */
export function prepareCachedHead(db: Database): () => Head {
  const read = prepareHead(db)
  // Within a transaction this is the version of its snapshot.
  const version = db.prepare('PRAGMA data_version').pluck()
  let cached: { readonly version: unknown; readonly head: Head } | undefined
  return () => {
    const now = version.get()
    // The head is read after the version. If it is newer than the version, it is read again the next time.
    if (cached === undefined || cached.version !== now) cached = { version: now, head: read() }
    return cached.head
  }
}

/** A value that is cached until another connection has written. */
export function prepareCached<T>(db: Database): {
  get(): T | undefined
  /** @param version the version before the value was read */
  set(version: unknown, value: T): void
  version(): unknown
} {
  const read = db.prepare('PRAGMA data_version').pluck()
  let kept: { readonly version: unknown; readonly value: T } | undefined
  const version = (): unknown => read.get()
  return {
    version,
    get: () => (kept !== undefined && kept.version === version() ? kept.value : undefined),
    set(at, value) {
      kept = { version: at, value }
    },
  }
}
