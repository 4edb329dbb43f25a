/** A catalogue whose numbers the test sets forward, so that few files reach over many blocks and segments. */
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
  /** The same database, for looking and for meddling. */
  readonly db: Database
  readonly close: () => void
  /** Makes this the next id, if that is forward. */
  readonly setNextId: (id: number) => void
  /** Makes these the next numbers of stations and kinds: each of them comes after the highest there is. */
  readonly setNextWords: (id: number) => void
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
      const given = db.prepare(`SELECT seq FROM sqlite_sequence WHERE name = 'file'`).pluck().get()
      if (id <= ((given as number | undefined) ?? 0)) return
      db.prepare(`DELETE FROM sqlite_sequence WHERE name = 'file'`).run()
      db.prepare(`INSERT INTO sqlite_sequence (name, seq) VALUES ('file', ?)`).run(id - 1)
    },
    setNextWords(id) {
      db.prepare('INSERT INTO station (id, code) VALUES (?, ?)').run(id - 1, `nobody${id}`)
      db.prepare(
        `INSERT INTO kind (id, area, file_version, file_duration, file_type, source, period, interval, content)
         VALUES (?, 'obs', 'r3', 'd', 'o', 'R', '01D', ?, 'MO')`,
      ).run(id - 1, `never${id}`)
    },
  }
}
