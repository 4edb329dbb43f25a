/** Caches the stations, sites and kinds of the catalogue for queries. */
import type { Database } from 'better-sqlite3'
import type { Area } from '../../parse/archive-path.ts'
import type { FileDuration, FileType, FileVersion } from '../../parse/types.ts'
import { openSites } from './sites.ts'
import type { Sites } from './sites.ts'

/** A row of `kind`. Parts that only long names have are '' for short names. */
export interface Kind {
  readonly area: Area
  readonly version: FileVersion
  readonly duration: FileDuration
  readonly type: FileType
  readonly source: string
  readonly period: string
  readonly interval: string
  readonly content: string
}

/**
 * The tables `station` and `kind` in memory, whose rows are only added, so `refresh` reads only new
 * rows. The sites are read again when they are needed after the catalogue has changed.
 */
export interface Lookups {
  /** Call at the start of a read transaction. */
  refresh(): void
  /** Station codes by id. */
  readonly stations: ReadonlyMap<number, string>
  readonly kinds: ReadonlyMap<number, Kind>
  readonly sites: Sites
}

export function openLookups(db: Database): Lookups {
  const newStations = db.prepare('SELECT id, code FROM station WHERE id > ? ORDER BY id').raw()
  const newKinds = db.prepare(
    `SELECT id, area, file_version AS version, file_duration AS duration, file_type AS type, source, period,
       interval, content FROM kind WHERE id > ? ORDER BY id`,
  )
  const stations = new Map<number, string>()
  const kinds = new Map<number, Kind>()
  const sites = openSites(db)
  let [lastStation, lastKind] = [0, 0]
  return {
    stations,
    kinds,
    sites,
    refresh() {
      sites.refresh()
      for (const [id, code] of newStations.all(lastStation) as [number, string][]) {
        stations.set(id, code)
        lastStation = id
      }
      for (const { id, ...kind } of newKinds.all(lastKind) as ({ id: number } & Kind)[]) {
        kinds.set(id, kind)
        lastKind = id
      }
    },
  }
}
