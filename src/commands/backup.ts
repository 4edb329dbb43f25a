/** The command `backup`: copies the database to a file. */
import { resolve } from 'node:path'
import { copyDatabase } from '../catalogue/sqlite/backup.ts'
import type { ConfigOf } from '../config/command-options.ts'
import { print } from '../runtime/program.ts'
import { readableNumber, readableSize } from '../runtime/readable.ts'
import { copyProgress } from './progress.ts'
import { refuseServer } from './server-backup.ts'

/** Signals that abort the copy, so that no unfinished file is left. */
const abortingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Copies the database to a file, and shows the progress on a terminal. @returns the exit code */
export async function backup(
  { database }: ConfigOf<'backup'>,
  { file, force }: { readonly file: string; readonly force: boolean },
): Promise<number> {
  refuseServer('backup', database)
  const stop = new AbortController()
  for (const signal of abortingSignals)
    process.once(signal, () => {
      stop.abort()
    })
  const target = resolve(file)
  const progress = copyProgress()
  const { update: onProgress } = progress
  const options = { database, file: target, force, signal: stop.signal, onProgress }
  const { records, bytes } = await copyDatabase(options).finally(progress.stop)
  await print(
    `${target}: ${readableNumber(records)} records, ${readableSize(bytes)}, integrity checked`,
  )
  return 0
}
