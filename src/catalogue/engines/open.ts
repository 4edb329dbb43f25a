/**
 * Opens the catalogue that a configuration names: in an SQLite file, or on a PostgreSQL server. The
 * driver of a server is loaded only if it is needed.
 */
import { isServer } from '../../runtime/database-url.ts'
import type { CatalogueReader } from '../reader.ts'
import { checkConsistency as checkFile } from '../sqlite/consistency-check.ts'
import { openReader as openFile } from '../sqlite/reader.ts'
import { openWriter as openFileForWriting } from '../sqlite/writer.ts'
import type { CatalogueWriter, ConsistencyReport } from '../writer.ts'

/** Where the catalogue is. */
export interface CatalogueAddress {
  /** Path of an SQLite file, or URL of a PostgreSQL server. */
  readonly database: string
  /** A hot standby of the server, from which to read. */
  readonly databaseRead?: string | undefined
  /** File with the password of the server. */
  readonly databasePasswordFile?: string | undefined
}

/** @throws UnusableDatabase if the SQLite of the driver is not safe */
export async function openReader(address: CatalogueAddress): Promise<CatalogueReader> {
  const { database, databaseRead = database, databasePasswordFile: passwordFile } = address
  if (!isServer(database)) return openFile({ database })
  const { openReader } = await import('../postgres/reader.ts')
  return openReader({ url: database, passwordFile }, { url: databaseRead, passwordFile })
}

/**
 * Compares the counts with the records, and checks the integrity of a file; that of a server is the
 * server's matter.
 */
export async function checkConsistency(address: CatalogueAddress): Promise<ConsistencyReport> {
  const { database, databasePasswordFile: passwordFile } = address
  if (!isServer(database)) return checkFile(database)
  const { checkCounts } = await import('../postgres/reader.ts')
  return { differences: await checkCounts({ url: database, passwordFile }), damage: [] }
}

/**
 * Opens the catalogue for writing if no other process writes it.
 * @throws AlreadyRunning, UnusableDatabase
 */
export async function openWriter(
  address: CatalogueAddress,
  nowUs: () => number,
): Promise<CatalogueWriter> {
  const { database, databasePasswordFile: passwordFile } = address
  if (!isServer(database)) return openFileForWriting({ database, nowUs })
  const { openWriter } = await import('../postgres/writer.ts')
  const { signal } = new AbortController()
  const options = { url: database, passwordFile, nowUs, signal, waits: false }
  const opened = await openWriter({ ...options, onWaiting: () => undefined })
  if (opened === undefined) throw new Error('the waiting was ended')
  return opened.methods()
}
