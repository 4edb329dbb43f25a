/** A catalogue in a folder of its own, and what tests write to it. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { Test } from 'tap'
import type { FileIdentity } from '../../src/catalogue/records.ts'
import { Driver } from '../../src/catalogue/sqlite/driver.ts'
import { openReader } from '../../src/catalogue/sqlite/reader.ts'
import { openWriter } from '../../src/catalogue/sqlite/writer.ts'
import { countFaults } from '../../src/catalogue/updates/count-faults.ts'
import type { Checksum, DirectoryChange } from '../../src/catalogue/writer.ts'
import { testFolder } from '../folder.ts'
import { change, newFile } from './change.ts'

/** The directory of most files. */
export const day = 'obs/2026/001'

/** That of a directory that is not young, unlike the directories of tests. */
export const stamp = { mtimeUs: 1, ctimeUs: 2, inode: 3 }

export const facts = { size: 10, mtimeUs: 1000 }

export const identity: FileIdentity = {
  ...facts,
  inode: 7,
  ctimeUs: 2000,
  links: 1,
  mode: 0o100644,
  uid: 1,
  gid: 1,
}

export const sha256 = createHash('sha256').update('x').digest()

/** A checksum of the file with this id, of the version with `identity`. */
export const checksumOf = (id: number, other: Partial<Checksum> = {}): Checksum => ({
  id,
  ...identity,
  sha256,
  problem: undefined,
  rested: true,
  ...other,
})

/** Short names of many stations in the order of their bytes, by default of a day. */
export const manyNames = (count: number, end = '0010.26d.gz', first = 0): string[] =>
  Array.from({ length: count }, (_, n) => (first + n).toString(36).padStart(4, '0') + end)

interface CatalogueOptions {
  readonly folder?: string
  /** How far the clock of the test advances each time it is read. */
  readonly stepUs?: number
  /** Another clock than that of the test. */
  readonly nowUs?: () => number
}

/** Opens a new catalogue, or that of a folder. */
export function openCatalogue(t: Test, options: CatalogueOptions = {}) {
  const { folder = testFolder(t), stepUs = 0 } = options
  const database = join(folder, 'catalogue.db')
  const clock = { us: 1_700_000_000_000_000 }
  const { nowUs = () => (clock.us += stepUs) - stepUs } = options
  const writer = openWriter({ database, nowUs })
  const reader = openReader({ database })
  let db: Sqlite.Database | undefined
  const close = (): void => {
    db?.close()
    db = undefined
    reader.close()
    writer.close()
  }
  t.teardown(close)
  const apply = (parts: Partial<DirectoryChange>, path = day) => writer.apply([change(path, parts)])
  const connection = (): Sqlite.Database => (db ??= new Sqlite(database))
  return {
    folder,
    database,
    clock,
    writer,
    reader,
    close,
    apply,
    /** Adds files of which only the names are known. */
    add: (...names: readonly string[]) => apply({ added: names.map((name) => newFile(name)) }),
    /** Another connection to the database, to inspect and change it. */
    get db(): Sqlite.Database {
      return connection()
    },
    /** Raises the next id, so that few files have ids far apart; does nothing for a lower one. */
    setNextId: (id: number): void => {
      connection()
        .prepare('UPDATE catalogue SET last_id = max(last_id, ?)')
        .run(id - 1)
    },
  }
}

export type OpenedCatalogue = ReturnType<typeof openCatalogue>

/** The differences between the counts of a database and its records, as lines. */
export const differencesOf = (db: Sqlite.Database): string[] => new Driver(db).read(countFaults())
