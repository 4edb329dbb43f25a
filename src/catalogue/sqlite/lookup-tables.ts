/** Finds the ids of stations, kinds and series for the writer, and adds missing rows to these tables. */
import type { Database } from 'better-sqlite3'
import type { Area } from '../../parse/archive-path.ts'
import type { ParsedName } from '../../parse/types.ts'

/** The ids of stations and kinds in their lookup tables. Unknown stations and kinds are added. */
export interface LookupTables {
  station(code: string): number
  kind(area: Area, parsed: ParsedName): number
  /** Clears the cache, because it may contain rows that a rolled-back transaction had added. */
  reset(): void
}

export function openLookupTables(db: Database): LookupTables {
  const stations = openLookup(db, 'station', ['code'])
  const kinds = openLookup(db, 'kind', [
    ...['area', 'file_version', 'file_duration', 'file_type'],
    ...['source', 'period', 'interval', 'content'],
  ])
  return {
    station: (code) => stations.idOf(code, [code]),
    kind(area, { version, duration, type, source, period, interval, content }) {
      const parts = [area, version, duration, type, source, period, interval, content]
      return kinds.idOf(
        parts.join(),
        parts.map((part) => part ?? ''),
      )
    },
    reset() {
      stations.clear()
      kinds.clear()
    },
  }
}

/**
 * Finds the ids of the rows of a table by their values, with a cache.
 * @returns `idOf`, which adds an unknown row, and `clear`, which empties the cache. Different values need different keys.
 */
export function openLookup(db: Database, table: string, columns: readonly string[]) {
  const ids = new Map<string, number>()
  const insert = db.prepare(
    `INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map(() => '?').join()}) ON CONFLICT DO NOTHING`,
  )
  const select = db
    .prepare(`SELECT id FROM ${table} WHERE ${columns.map((name) => `${name} = ?`).join(' AND ')}`)
    .pluck()
  return {
    idOf(key: string, values: readonly (string | number)[]): number {
      let id = ids.get(key)
      if (id === undefined) {
        insert.run(values)
        id = select.get(values) as number
        ids.set(key, id)
      }
      return id
    },
    clear: () => {
      ids.clear()
    },
  }
}
