/** An apply stage on an archive of its own, for tests. */
import type { Test } from 'tap'
import { openAcceptance } from '../../src/indexer/acceptance.ts'
import { openDirtyDirectories } from '../../src/indexer/state/dirty-directories.ts'
import { openDeletionGuard } from '../../src/indexer/state/deletion-guard.ts'
import { openApplyStage } from '../../src/indexer/apply-snapshot.ts'
import { openKnownDirectories } from '../../src/indexer/state/known-directories.ts'
import { openSettling } from '../../src/indexer/state/settling.ts'
import { noProblems, openParts } from './parts.ts'

/** Opens an apply stage with its real parts, on an archive of its own. */
export function openApplyStageOn(t: Test) {
  const parts = openParts(t)
  const dirty = openDirtyDirectories()
  const known = openKnownDirectories([])
  const deletionGuard = openDeletionGuard()
  const acceptance = openAcceptance({ ...parts, settling: openSettling(), deletionGuard })
  let closing = false
  /** Whether each directory may be watched. */
  const watched = new Map<string, boolean>()
  const areasBack: string[] = []
  const applyStage = openApplyStage({
    ...{ ...parts, dirty, known },
    accept: (snapshot, change) => acceptance.accept(snapshot, change),
    onDirectory: (path, isKnown) => watched.set(path, isKnown),
    onAreaRestored: (area) => areasBack.push(area),
    onFailed: () => undefined,
    onApplied: () => undefined,
    onFlushed: deletionGuard.confirmWritten,
    isClosing: () => closing,
  })
  /** Reads these directories and all that become dirty. */
  const readAndApply = async (...paths: string[]) => {
    for (const path of paths) dirty.add({ path, depth: 'facts', arrived: true }, 0)
    for (let next; (next = dirty.take(performance.now())) !== undefined;) {
      const snapshot = await parts.tree.snapshot(next)
      await applyStage.add({ snapshot, walked: false, arrived: next.arrived })
    }
    await applyStage.flush()
  }
  const status = () => parts.health.status(noProblems)
  const close = () => (closing = true)
  const withheld = () => [...deletionGuard.withheld()]
  return {
    ...parts,
    close,
    withheld,
    watched,
    dirty,
    known,
    applyStage,
    readAndApply,
    status,
    areasBack,
  }
}
