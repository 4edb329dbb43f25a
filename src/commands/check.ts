/**
 * The command `check`: compares the counts with the records, and checks the integrity of the
 * database.
 */
import { checkConsistency, openWriter } from '../catalogue/engines/engine.ts'
import type { ConfigOf } from '../config/command-options.ts'
import { askIndexer } from '../control-socket/client.ts'
import { IndexerUnreachable } from '../control-socket/protocol.ts'
import { createClock } from '../runtime/clock.ts'
import { print } from '../runtime/program.ts'
import { controlOf } from './control.ts'

/**
 * Longest wait for the repair. The indexer recounts ten million records within a minute, and does
 * nothing else meanwhile.
 */
const repairTimeoutMs = 600_000

/**
 * Compares the counts of the catalogue with its records and checks the integrity of the database;
 * `repair` recomputes wrong counts.
 * @returns the exit code: 0 if nothing differs and nothing is damaged, at once or after the repair;
 * otherwise 1
 */
export async function check(
  config: ConfigOf<'check'>,
  { repair }: { readonly repair: boolean },
): Promise<number> {
  const found = await report(config)
  if (found.isClean) return 0
  if (!repair || found.differences === 0) return 1
  await repairCounts(config)
  await print('the counts were recomputed')
  return (await report(config)).isClean ? 0 : 1
}

/** Makes the comparison and the check, and prints the differences and the damage that they find. */
async function report(config: ConfigOf<'check'>) {
  const { differences, damage } = await checkConsistency(config)
  for (const line of differences) await print(line)
  for (const line of damage) await print(`damaged: ${line}`)
  const isClean = differences.length + damage.length === 0
  if (isClean) await print('nothing differs')
  return { isClean, differences: differences.length }
}

/**
 * Recomputes the counts. Only one process may write, so the running indexer recomputes the counts.
 * If no indexer runs, this process does it, under the write lock.
 */
async function repairCounts(config: ConfigOf<'check'>): Promise<void> {
  try {
    await askIndexer(controlOf(config), { command: 'repair' }, repairTimeoutMs)
  } catch (error) {
    if (!(error instanceof IndexerUnreachable)) throw error
    const writer = await openWriter(config, createClock())
    await writer.repairCounts()
    // A file is not closed, because closing would remove the -wal and -shm files, which
    // readers of another user need. The process ends now.
    await writer.checkpoint()
  }
}
