import type { Database } from 'better-sqlite3'
import type { Area } from '../../parse/archive-path.ts'
import type { ParsedName } from '../../parse/types.ts'

/** The ids of stations and kinds in their lookup tables; unknown ones are added. */
export interface LookupTables {
  station(code: string): number
  kind(area: Area, parsed: ParsedName): number
  /** Clears the cache: a rolled back transaction may have added some of its rows. */
  reset(): void
}

export function openLookupTables(db: Database): LookupTables {
  const stations = new Map<string, number>()
  const kinds = new Map<string, number>()
  const insertStation = db.prepare('INSERT INTO station (code) VALUES (?) ON CONFLICT DO NOTHING')
  const selectStation = db.prepare('SELECT id FROM station WHERE code = ?').pluck()
  const insertKind = db.prepare(
    `INSERT INTO kind (area, file_version, file_duration, file_type, source, period, interval, content)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  )
  const selectKind = db
    .prepare(
      `SELECT id FROM kind WHERE area = ? AND file_version = ? AND file_duration = ? AND file_type = ?
       AND source = ? AND period = ? AND interval = ? AND content = ?`,
    )
    .pluck()
  return {
    station(code) {
      let id = stations.get(code)
      if (id === undefined) {
        insertStation.run(code)
        id = selectStation.get(code) as number
        stations.set(code, id)
      }
      return id
    },
    kind(area, parsed) {
      const parts = [
        area,
        parsed.version,
        parsed.duration,
        parsed.type,
        parsed.source ?? '',
        parsed.period ?? '',
        parsed.interval ?? '',
        parsed.content ?? '',
      ]
      const key = parts.join()
      let id = kinds.get(key)
      if (id === undefined) {
        insertKind.run(parts)
        id = selectKind.get(parts) as number
        kinds.set(key, id)
      }
      return id
    },
    reset() {
      stations.clear()
      kinds.clear()
    },
  }
}
