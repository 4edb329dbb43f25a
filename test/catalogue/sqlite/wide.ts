/**
 * A catalogue whose next id the test can raise, so that few files have ids in many buckets of the
 * counts.
 */
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { Database } from 'better-sqlite3'
import type { Test } from 'tap'
import { openWriter } from '../../../src/catalogue/sqlite/writer.ts'
import type { OpenedWriter } from '../../../src/catalogue/sqlite/writer.ts'
import { testFolder } from '../../folder.ts'

export interface Wide {
  readonly database: string
  readonly clock: { us: number }
  readonly writer: OpenedWriter
  /** Another connection to the database, to inspect and change it. */
  readonly db: Database
  readonly close: () => void
  /** Raises the next id; does nothing for a lower one. */
  readonly setNextId: (id: number) => void
}

export function openWide(t: Test): Wide {
  const database = join(testFolder(t), 'catalogue.db')
  const clock = { us: 1_700_000_000_000_000 }
  const writer = openWriter({ database, nowUs: () => clock.us++ })
  const db = new Sqlite(database)
  let closed = false
  const close = (): void => {
    if (closed) return
    closed = true
    db.close()
    writer.close()
  }
  t.teardown(close)
  return {
    database,
    clock,
    writer,
    db,
    close,
    setNextId(id) {
      db.prepare('UPDATE catalogue SET last_id = max(last_id, ?)').run(id - 1)
    },
  }
}
