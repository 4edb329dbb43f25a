import type { Database } from 'better-sqlite3'
import { counted, recount, recountOthers } from './recount.ts'
import type { CountTable } from './recount.ts'

/** Prepares counting anew from the rows, a table in a transaction. Counts that a first scan left out stay out. */
export function prepareRepair(db: Database): () => void {
  const built = db.prepare('SELECT name FROM built').pluck()
  return () => {
    const kept = new Set(['id_count', ...built.all()])
    for (const table of Object.keys(counted) as CountTable[])
      if (kept.has(table))
        db.transaction(() => {
          recount(db, table)
        }).immediate()
    db.transaction(() => {
      recountOthers(db)
    }).immediate()
  }
}
