import { checkConsistency } from '../catalogue/sqlite/consistency-check.ts'
import { openWriter } from '../catalogue/sqlite/writer.ts'
import { openClock } from '../runtime/clock.ts'
import type { ConfigOf } from '../config/command-options.ts'
import { askIndexer } from '../control/client.ts'
import { IndexerUnreachable } from '../control/protocol.ts'
import { print } from '../runtime/program.ts'

/** An indexer recounts ten million records within a minute; it does nothing else meanwhile. */
const repairTimeoutMs = 600_000

/**
 * Compares the counts of the catalogue with its records and checks the integrity of the database; `repair` recomputes
 * wrong counts. @returns the exit code: 0 when nothing differs, or nothing after the repair
 */
export async function check(
  config: ConfigOf<'check'>,
  { repair }: { readonly repair: boolean },
): Promise<number> {
  const found = await report(config.database)
  if (found.isClean) return 0
  if (!repair || found.differences === 0) return 1
  await repairCounts(config)
  await print('the counts were recomputed')
  return (await report(config.database)).isClean ? 0 : 1
}

/** Prints the differences and damage that are found. */
async function report(database: string): Promise<{ isClean: boolean; differences: number }> {
  const { differences, damage } = checkConsistency(database)
  for (const line of differences) await print(line)
  for (const line of damage) await print(`damaged: ${line}`)
  const isClean = differences.length + damage.length === 0
  if (isClean) await print('nothing differs')
  return { isClean, differences: differences.length }
}

/** The running indexer alone may write, so it does the repair; without an indexer this process does, under the lock. */
async function repairCounts({ controlSocket, database }: ConfigOf<'check'>): Promise<void> {
  try {
    await askIndexer(controlSocket, { command: 'repair' }, repairTimeoutMs)
  } catch (error) {
    if (!(error instanceof IndexerUnreachable)) throw error
    const writer = openWriter({ database, nowUs: openClock() })
    await writer.repairCounts()
    // Not closed: that would remove the -wal and -shm files, which readers of another user need. The process ends now.
    await writer.checkpoint()
  }
}
