/** The command `restore`: replaces the database by a copy. */
import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { AlreadyRunning, UnusableDatabase } from '../catalogue/errors.ts'
import type { OpenedWriter } from '../catalogue/sqlite/writer.ts'
import { openWriter } from '../catalogue/sqlite/writer.ts'
import type { ConfigOf } from '../config/command-options.ts'
import { createClock } from '../runtime/clock.ts'
import { print } from '../runtime/program.ts'
import { readableNumber, readableSize } from '../runtime/readable.ts'
import { refuseServer } from './server-backup.ts'

/** Replaces the database by a copy of it, and prints what to do next. @returns the exit code */
export async function restore({ database }: ConfigOf<'restore'>, file: string): Promise<number> {
  refuseServer('restore', database)
  refuseOtherUser(database, file)
  const writer = openRestored(database, resolve(file))
  const { quarantined, restored } = writer.recovery
  const files = await writer.count()
  // The database is not closed, because closing would remove the -wal and -shm files, which readers
  // of another user need. The process ends now.
  await writer.checkpoint()
  const made = new Date((restored?.madeUs ?? 0) / 1000).toISOString()
  await print(`restored ${readableNumber(files)} records; the copy was made at ${made}`)
  if (quarantined !== undefined)
    await print(`the former database is ${quarantined}: remove it when all is well`)
  await print('next: systemctl start rinex-catalogue-indexer')
  await print('it finds the changes since then in the archive; mirrors start again')
  return 0
}

function openRestored(database: string, restoreFrom: string): OpenedWriter {
  try {
    return openWriter({
      database,
      restoreFrom,
      nowUs: createClock(),
      onRestoring: ({ backup, bytes }) =>
        void print(`copying and checking ${backup}, ${readableSize(bytes)}`),
    })
  } catch (error) {
    if (!(error instanceof AlreadyRunning)) throw error
    const remedy = 'stop it first: systemctl stop rinex-catalogue-indexer'
    throw new AlreadyRunning(`${error.message}; ${remedy}`, { cause: error })
  }
}

/**
 * Refuses a restore by another user, such as root, because the indexer could not use files of that
 * user.
 */
function refuseOtherUser(database: string, file: string): void {
  const stats = [database, dirname(database)].map((path) =>
    statSync(path, { throwIfNoEntry: false }),
  )
  const owner = stats.find((each) => each !== undefined)?.uid
  if (owner === undefined || owner === process.geteuid?.()) return
  throw new UnusableDatabase(
    `${database} belongs to the user with id ${owner}, who must restore it: sudo -u '#${owner}' rinex-catalogue restore ${file}`,
  )
}
