/**
 * Drops the indexes before a first scan, and builds indexes and counts after it. Building them once
 * takes a third of the work of updating them with each new row.
 */
import type { Database } from 'better-sqlite3'
import type { BuiltIndexes } from '../writer.ts'
import { deferredCounts } from '../selection/count-tables.ts'
import { recount } from '../updates/recount.ts'
import { dialect } from './dialect.ts'
import type { Driver } from './driver.ts'
import { indexes } from './schema.ts'

/**
 * With fewer files than this, all indexes and counts are built in one transaction, which takes less
 * than a second.
 */
const allAtOnceBelow = 100_000

export function prepareIndexes(db: Database, driver: Driver) {
  const built = db.prepare('SELECT name FROM built').pluck()
  const setBuilt = db.prepare('INSERT INTO built (name) VALUES (?)')
  const clearBuilt = db.prepare('DELETE FROM built')
  const firstFile = db.prepare('SELECT id FROM file LIMIT 1').pluck()
  const filesSoFar = db.prepare('SELECT coalesce(sum(files), 0) FROM area').pluck()

  /**
   * Names of the missing indexes and counts, in the order in which to build them. The indexes come
   * first, because the counts are read from them.
   */
  const missing = (): string[] => {
    const complete = new Set(built.all())
    return [...Object.keys(indexes), ...deferredCounts].filter((name) => !complete.has(name))
  }
  const build = db.transaction((names: readonly string[]): void => {
    for (const name of names) {
      const count = deferredCounts.find((table) => table === name)
      if (count === undefined) db.exec(indexes[name] ?? '')
      else driver.write(recount(dialect, count))
      setBuilt.run(name)
    }
  })
  const drop = db.transaction((): void => {
    if (firstFile.get() !== undefined) return
    for (const name of Object.keys(indexes)) db.exec(`DROP INDEX IF EXISTS ${name}`)
    clearBuilt.run()
  })
  return {
    /** Drops the indexes, and marks the counts as not built, if there is no file yet. */
    defer: (): void => {
      drop.immediate()
    },
    /**
     * Builds the next missing index or count, or all if there are few files, in one transaction.
     */
    buildNext: (): BuiltIndexes => {
      const names = missing()
      const isSmall = (filesSoFar.get() as number) < allAtOnceBelow
      const next = isSmall ? names : names.slice(0, 1)
      if (next.length > 0) build.immediate(next)
      return { names: next, left: names.length - next.length }
    },
  }
}
