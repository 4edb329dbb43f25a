/** Checks a database file: the stored counts, its integrity and its foreign keys. */
import type { Database } from 'better-sqlite3'
import { countFaults } from '../questions/count-faults.ts'
import type { ConsistencyReport } from '../updates/writer.ts'
import { Driver } from './driver.ts'
import { openForReading } from './open.ts'

/** Maximum number of listed faults per check. */
const maxListed = 50

/**
 * Checks the catalogue in a database file. It reads in one transaction, so an indexer may run at
 * the same time. Takes about ten seconds for each million records.
 * @throws the errors of `openForReading`
 */
export function checkConsistency(path: string): ConsistencyReport {
  const db = openForReading(path)
  try {
    const differences = new Driver(db).read(countFaults())
    return { differences, damage: damageOf(db) }
  } finally {
    db.close()
  }
}

function damageOf(db: Database): string[] {
  const found = db.prepare(`PRAGMA integrity_check(${maxListed})`).pluck().all() as string[]
  const orphans = db.prepare('PRAGMA foreign_key_check').all() as {
    table: string
    rowid: number
    parent: string
  }[]
  return [
    ...found.filter((line) => line !== 'ok'),
    ...orphans
      .slice(0, maxListed)
      .map(({ table, rowid, parent }) => `${table}: row ${rowid} has no ${parent}`),
  ]
}
