import { checkConsistency } from '../catalogue/sqlite/consistency-check.ts'
import { openWriter } from '../catalogue/sqlite/writer.ts'
import { openClock } from '../runtime/clock.ts'
import type { ConfigOf } from '../config/command-options.ts'
import { askIndexer } from '../control/client.ts'
import { IndexerAway } from '../control/protocol.ts'
import { print } from '../runtime/output.ts'

/** An indexer counts ten million records anew within a minute, and does nothing else meanwhile. */
const repairTimeoutMs = 600_000

/**
 * Compares the counts of the catalogue with its records, and the database with itself; with `repair` it makes counts that
 * differ anew. @returns the exit code: 0 when nothing differs, or nothing any more
 */
export async function check(
  config: ConfigOf<'check'>,
  { repair }: { readonly repair: boolean },
): Promise<number> {
  const found = await report(config.database)
  if (found.isClean) return 0
  if (!repair || found.differences === 0) return 1
  await repairCounts(config)
  await print('the counts were made anew')
  return (await report(config.database)).isClean ? 0 : 1
}

/** Prints what is found. */
async function report(database: string): Promise<{ isClean: boolean; differences: number }> {
  const { differences, damage } = checkConsistency(database)
  for (const line of differences) await print(line)
  for (const line of damage) await print(`damaged: ${line}`)
  const isClean = differences.length + damage.length === 0
  if (isClean) await print('nothing differs')
  return { isClean, differences: differences.length }
}

/** Has the running indexer do it, which alone may write; without one it is done here, under the lock. */
async function repairCounts({ controlSocket, database }: ConfigOf<'check'>): Promise<void> {
  try {
    await askIndexer(controlSocket, { command: 'repair' }, repairTimeoutMs)
  } catch (error) {
    if (!(error instanceof IndexerAway)) throw error
    const writer = openWriter({ database, nowUs: openClock() })
    await writer.repairCounts()
    // It is not closed: the side files that readers of another user need would go. The process ends now.
    await writer.checkpoint()
  }
}
