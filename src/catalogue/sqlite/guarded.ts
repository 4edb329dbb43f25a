import { statSync } from 'node:fs'
import { CatalogueRuined } from '../catalogue-writer.ts'
import { isRuin, ruin, setAside } from './open.ts'

/**
 * Lets a synchronous engine keep the promises of the seam: what it throws becomes a rejection. A database that
 * turns out to be ruined is set aside first.
 * @param knownFault what is wrong with it, once somebody has found out
 */
export function openGuard(path: string, knownFault: () => string | undefined) {
  const checkPlace = placeChecker(path)
  const checkSound = (): void => {
    const fault = knownFault()
    if (fault === undefined) return
    checkPlace()
    throw ruin(fault)
  }
  const promised =
    <Args extends unknown[], T>(work: (...args: Args) => T | Promise<T>) =>
    async (...args: Args): Promise<T> => {
      try {
        checkSound()
        return await work(...args)
      } catch (error) {
        if (!isRuin(error)) throw error
        const words = `the database is ruined (${error.message}), set aside as ${setAside(path)}`
        throw new CatalogueRuined(words, { cause: error })
      }
    }
  return { promised, checkPlace }
}

/** Nobody reads what is written to a file that was removed or replaced. */
function placeChecker(path: string): () => void {
  const opened = statSync(path)
  return () => {
    const now = statSync(path, { throwIfNoEntry: false })
    if (now?.ino !== opened.ino || now.dev !== opened.dev)
      throw new CatalogueRuined(`${path} was removed or replaced while it was in use`)
  }
}
