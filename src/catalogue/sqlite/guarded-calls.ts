import { statSync } from 'node:fs'
import { CatalogueCorrupt } from '../writer.ts'
import { quarantine } from './open.ts'
import { isCorruption, corruption } from './corruption.ts'

/**
 * Makes synchronous calls asynchronous, as the seam requires: errors become rejections. A corrupt database is quarantined
 * first.
 * @param knownFault returns the fault that the startup check found
 * @param renew replaces the database by a copy of itself
 */
export function guardCalls(path: string, knownFault: () => string | undefined, renew: () => void) {
  const checkNotReplaced = openReplacementCheck(path, renew)
  const checkSound = (): void => {
    const fault = knownFault()
    if (fault === undefined) return
    checkNotReplaced()
    throw corruption(fault)
  }
  const promised =
    <Args extends unknown[], T>(work: (...args: Args) => T | Promise<T>) =>
    async (...args: Args): Promise<T> => {
      try {
        checkSound()
        return await work(...args)
      } catch (error) {
        if (!isCorruption(error)) throw error
        const message = `the database is corrupt (${error.message}), quarantined as ${quarantine(path)}`
        throw new CatalogueCorrupt(message, { cause: error })
      }
    }
  return { promised, checkNotReplaced }
}

/**
 * Detects that the database or a side file was removed or replaced: nothing would read what is written to it. For a side file
 * the database is also replaced by a copy; otherwise readers would use the removed side files for ever.
 */
function openReplacementCheck(path: string, renew: () => void): () => void {
  const opened = [path, `${path}-wal`, `${path}-shm`].flatMap((file) => {
    const stats = statSync(file, { throwIfNoEntry: false })
    return stats === undefined ? [] : [{ file, stats }]
  })
  return () => {
    for (const { file, stats } of opened) {
      const now = statSync(file, { throwIfNoEntry: false })
      if (now?.ino === stats.ino && now.dev === stats.dev) continue
      if (file !== path) renew()
      throw new CatalogueCorrupt(`${file} was removed or replaced while it was in use`)
    }
  }
}
