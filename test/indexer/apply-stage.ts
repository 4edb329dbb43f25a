/** An apply stage on an archive of its own, for tests. */
import type { Test } from 'tap'
import { DeletionGuard, loadPersistedRemovals } from '../../src/indexer/guard/deletion-guard.ts'
import { ApplyStage } from '../../src/indexer/write/apply-snapshot.ts'
import { defaultLayout } from '../../src/parse/layout.ts'
import { noProblems, openParts } from './parts.ts'

/** Opens an apply stage with its real parts, on an archive of its own or on that of a folder. */
export async function openApplyStageOn(t: Test, folder?: string) {
  const opened = await openParts(t, folder)
  const { writer, nowUs, purgedAfterDays } = opened
  const directories = await writer.directories()
  const deletionGuard = new DeletionGuard(
    await loadPersistedRemovals({
      layout: defaultLayout,
      writer,
      withheld: directories,
      purgedAfterDays,
      nowUs,
    }),
  )
  const parts = { ...opened, deletionGuard }
  const { dirty } = parts
  /** Whether each directory may be watched. */
  const watched = new Map<string, boolean>()
  /** How often an area was read again after it was lost. */
  const restored = { count: 0 }
  const applyStage = new ApplyStage(
    parts,
    { update: (path, isKnown) => void watched.set(path, isKnown) },
    () => restored.count++,
  )
  const readAll = async (untilMs: () => number, requestedMs: () => number) => {
    for (let next; (next = dirty.take(untilMs())) !== undefined;) {
      const read = { requestedMs: requestedMs(), snapshot: await parts.tree.snapshot(next) }
      await applyStage.add({ ...read, walked: false })
    }
    await applyStage.flush()
  }
  /** Reads these directories and all that become dirty. */
  const readAndApply = async (...paths: string[]) => {
    for (const path of paths) dirty.add(path, 0)
    await readAll(
      () => performance.now(),
      () => performance.now(),
    )
  }
  /** Reads the dirty directories as if it were three seconds later: their stamps are sure then. */
  const confirmAll = () =>
    readAll(
      () => Infinity,
      () => Infinity,
    )
  const status = () => parts.health.status(noProblems)
  const withheld = () => [...deletionGuard.withheld()]
  return {
    ...parts,
    closeAll: parts.close,
    close: () => {
      applyStage.close()
    },
    withheld,
    watched,
    applyStage,
    readAndApply,
    confirmAll,
    status,
    restored,
  }
}
