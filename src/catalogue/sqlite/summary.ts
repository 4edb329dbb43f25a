import type { Database } from 'better-sqlite3'
import type { CatalogueSummary, Head, RejectionCount, ScanSummary } from '../catalogue.ts'
import { holds } from './checksum-rows.ts'

const examplesPerReason = 5

/** Prepares what both the writer and readers say of the whole catalogue. Call within one transaction. */
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
      `SELECT d.path || '/' || r.example FROM rejection r JOIN directory d ON d.id = r.directory
       WHERE r.reason = ? ORDER BY d.id DESC LIMIT ${examplesPerReason}`,
    )
    .pluck()
  const incomplete = db
    .prepare(
      `SELECT d.path || '/' || f.name FROM file f JOIN directory d ON d.id = f.directory
       WHERE f.incomplete = 1 ORDER BY f.id DESC`,
    )
    .pluck()
  const broken = db
    .prepare(
      `SELECT d.path || '/' || f.name FROM checksum c JOIN file f ON ${holds}
       JOIN directory d ON d.id = f.directory WHERE c.broken = 1 ORDER BY c.id DESC`,
    )
    .pluck()
  const hashed = db.prepare('SELECT files FROM hashing WHERE one = 1').pluck()
  const lastScan = db.prepare('SELECT last_scan FROM catalogue WHERE one = 1').pluck()
  return () => {
    const areas = { obs: { files: 0, directories: 0 }, nrt: { files: 0, directories: 0 } }
    let misplaced = 0
    for (const row of files.all() as { name: 'obs' | 'nrt'; files: number }[])
      areas[row.name].files = row.files
    for (const row of directories.all() as DirectoriesRow[]) {
      areas[row.area].directories = row.count
      misplaced += row.misplaced
    }
    const scan = lastScan.get() as string | null
    return {
      head: head(),
      areas,
      misplaced,
      incomplete: counted('incomplete', incomplete.all() as string[]),
      checksums: {
        files: hashed.get() as number,
        broken: counted('broken', broken.all() as string[]),
      },
      rejected: (rejections.all() as { reason: string; count: number }[]).map(
        (row): RejectionCount => ({ ...row, examples: examples.all(row.reason) as string[] }),
      ),
      lastScan: scan === null ? undefined : (JSON.parse(scan) as ScanSummary),
    }
  }
}

function counted(reason: string, paths: readonly string[]): RejectionCount {
  return { reason, count: paths.length, examples: paths.slice(0, examplesPerReason) }
}

interface DirectoriesRow {
  area: 'obs' | 'nrt'
  count: number
  misplaced: number
}

export function prepareHead(db: Database): () => Head {
  const statement = db.prepare('SELECT epoch, seq FROM catalogue WHERE one = 1')
  return () => statement.get() as Head
}

/** The head for a connection that only reads: asked for again only after another has written. */
export function prepareKnownHead(db: Database): () => Head {
  const read = prepareHead(db)
  // Inside of a transaction it tells the version that the transaction sees.
  const version = db.prepare('PRAGMA data_version').pluck()
  let known: { readonly version: unknown; readonly head: Head } | undefined
  return () => {
    const now = version.get()
    // Read after the version: what is newer than it is read again the next time.
    if (known === undefined || known.version !== now) known = { version: now, head: read() }
    return known.head
  }
}
