/**
 * Opens the catalogue that a configuration names: in an SQLite file, or on a PostgreSQL server. The
 * driver of a server is loaded only if it is needed.
 */
import type { Clock } from '../../runtime/clock.ts'
import { isServer } from '../database-url.ts'
import type { CatalogueReader } from '../questions/reader.ts'
import { checkConsistency as checkFile } from '../sqlite/consistency-check.ts'
import { openTarget as openFileTarget } from '../sqlite/copy-target.ts'
import { sqliteVersion } from '../sqlite/open.ts'
import { openReader as openFile } from '../sqlite/reader.ts'
import { openWriter as openFileForWriting } from '../sqlite/writer.ts'
import type { CatalogueWriter, ConsistencyReport, CopyTarget } from '../updates/writer.ts'

/** Where the catalogue is. */
export interface CatalogueAddress {
  /** Path of an SQLite file, or URL of a PostgreSQL server. */
  readonly database: string
  /** A hot standby of the server, from which to read. */
  readonly databaseRead?: string | undefined
  /** File with the password of the server. */
  readonly databasePasswordFile?: string | undefined
}

/** Names the engine with its version, for the log. That of a server is unknown while it is away. */
export async function engineOf(
  address: CatalogueAddress,
): Promise<{ readonly sqlite: string } | { readonly postgresql: string | undefined }> {
  const { database, databaseRead = database, databasePasswordFile: passwordFile } = address
  if (!isServer(database)) return { sqlite: sqliteVersion() }
  const { inspectServer } = await import('../postgres/schema.ts')
  const server = { url: databaseRead, passwordFile }
  const found = await inspectServer(server, { writes: false }).catch(() => undefined)
  return { postgresql: found?.version }
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
  if (!isServer(address.database)) return checkFile(address.database)
  const reader = await openReader(address)
  try {
    return { differences: await reader.countFaults(), damage: [] }
  } finally {
    await reader.close()
  }
}

/**
 * Opens the catalogue for writing if no other process writes it.
 * @throws AlreadyRunning, UnusableDatabase
 */
export async function openWriter(
  address: CatalogueAddress,
  nowUs: Clock,
): Promise<CatalogueWriter> {
  if (!isServer(address.database)) return openFileForWriting({ ...address, nowUs })
  return openServer(address, { nowUs })
}

/**
 * Opens the target of a copy: an unfinished copy, a catalogue, or an empty database.
 * @throws AlreadyRunning, UnusableDatabase
 */
export async function openTarget(address: CatalogueAddress, nowUs: Clock): Promise<CopyTarget> {
  if (!isServer(address.database)) return openFileTarget(address.database)
  return openServer(address, { nowUs, isTarget: true })
}

async function openServer(
  { database: url, databasePasswordFile: passwordFile }: CatalogueAddress,
  how: { readonly nowUs: Clock; readonly isTarget?: boolean },
): Promise<CatalogueWriter> {
  const { openWriter } = await import('../postgres/writer.ts')
  const { signal } = new AbortController()
  const options = { url, passwordFile, ...how, signal, waits: false }
  const opened = await openWriter({ ...options, onWaiting: () => undefined })
  if (opened === undefined) throw new Error('the waiting was ended')
  return opened.methods()
}
