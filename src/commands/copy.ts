/** The command `copy`: copies the catalogue to another database. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { isServer, serverName, urlFault } from '../catalogue/database-url.ts'
import { copyCatalogue } from '../catalogue/engines/copy.ts'
import type { CatalogueAddress } from '../catalogue/engines/engine.ts'
import { openTarget, openWriter } from '../catalogue/engines/engine.ts'
import { AlreadyRunning, UnusableDatabase } from '../catalogue/errors.ts'
import { ConfigError } from '../config/checks.ts'
import type { ConfigOf } from '../config/command-options.ts'
import type { Clock } from '../runtime/clock.ts'
import { createClock } from '../runtime/clock.ts'
import { print } from '../runtime/program.ts'
import { readableNumber } from '../runtime/readable.ts'
import { realPath } from '../runtime/real-path.ts'
import { copyProgress } from './progress.ts'

/**
 * Copies a catalogue or continues that, compares both, and prints the figures of each table.
 * @returns the exit code: 1 if a table differs
 */
export async function copy(
  { databasePasswordFile }: ConfigOf<'copy'>,
  given: { readonly from: string; readonly to: string },
): Promise<number> {
  const [from, to] = [databaseOf('--from', given.from), databaseOf('--to', given.to)]
  if (from === to || (!isServer(from) && !existsSync(from)))
    throw new UnusableDatabase(
      `${serverName(from)} ${from === to ? 'is also the target' : 'does not exist'}`,
    )
  const source = await opened(openWriter, { database: from, databasePasswordFile })
  const target = await opened(openTarget, { database: to, databasePasswordFile })
  const progress = copyProgress()
  const onStep = (words: string): void => void (process.stdout.isTTY || print(words))
  const run = copyCatalogue({ source, target, onStep, onProgress: progress.update })
  const tables = await run.finally(progress.stop)
  for (const { name, count, sha256, isEqual } of tables)
    await print(
      `${name}: ${readableNumber(count)} rows, ${isEqual ? `sha256 ${sha256}` : 'DIFFERENT'}`,
    )
  const differ = tables.filter(({ isEqual }) => !isEqual).map(({ name }) => name)
  if (differ.length > 0)
    throw new UnusableDatabase(
      `the target differs in ${differ.join(', ')}: remove it and copy again`,
    )
  // No file is closed, see `restore`.
  await Promise.all([source.checkpoint(), target.checkpoint()])
  await print(`${serverName(to)} equals ${serverName(from)}`)
  return 0
}

/** @throws ConfigError */
function databaseOf(source: string, database: string): string {
  const fault = database === '' ? 'must not be empty' : urlFault(database)
  if (fault !== undefined)
    throw new ConfigError([{ source, key: undefined, message: `the database ${fault}` }])
  return isServer(database) ? database : realPath(resolve(database))
}

/** Opens a database; if an indexer uses it, names the remedy. */
async function opened<T>(
  open: (address: CatalogueAddress, nowUs: Clock) => Promise<T>,
  address: CatalogueAddress,
): Promise<T> {
  try {
    return await open(address, createClock())
  } catch (error) {
    if (!(error instanceof AlreadyRunning) || !error.message.includes('another')) throw error
    const message = `${error.message}; stop it first: systemctl stop rinex-catalogue-indexer`
    throw new AlreadyRunning(message, { cause: error })
  }
}
