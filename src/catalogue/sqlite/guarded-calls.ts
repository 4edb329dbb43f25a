import { statSync } from 'node:fs'
import { CatalogueRuined } from '../writer.ts'
import { quarantine } from './open.ts'
import { isCorruption, corruption } from './corruption.ts'

/**
 * Lets a synchronous engine keep the promises of the seam: what it throws becomes a rejection. A database that
 * turns out to be ruined is set aside first.
 * @param knownFault what is wrong with it, once somebody has found out
 * @param renew puts a copy in its place
 */
export function openGuard(path: string, knownFault: () => string | undefined, renew: () => void) {
  const checkPlace = placeChecker(path, renew)
  const checkSound = (): void => {
    const fault = knownFault()
    if (fault === undefined) return
    checkPlace()
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
        const words = `the database is ruined (${error.message}), set aside as ${quarantine(path)}`
        throw new CatalogueRuined(words, { cause: error })
      }
    }
  return { promised, checkPlace }
}

/**
 * Nobody reads what is written to a file that was removed or replaced. Of the side files that is not all: readers
 * would go on with those that were removed for ever, unless they see that the database is another.
 */
function placeChecker(path: string, renew: () => void): () => void {
  const opened = [path, `${path}-wal`, `${path}-shm`].flatMap((file) => {
    const stats = statSync(file, { throwIfNoEntry: false })
    return stats === undefined ? [] : [{ file, stats }]
  })
  return () => {
    for (const { file, stats } of opened) {
      const now = statSync(file, { throwIfNoEntry: false })
      if (now?.ino === stats.ino && now.dev === stats.dev) continue
      if (file !== path) renew()
      throw new CatalogueRuined(`${file} was removed or replaced while it was in use`)
    }
  }
}
