/** Caches the stations and kinds of the catalogue for queries, and finds the long code and the country of a station code. */
import type { Database } from 'better-sqlite3'
import type { Area } from '../../parse/archive-path.ts'
import { countryOf } from '../../parse/countries.ts'
import type { FileDuration, FileType, FileVersion } from '../../parse/types.ts'

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

/** The tables `station` and `kind` in memory. Rows are only added, so `refresh` reads only new rows. */
export interface Lookups {
  /** Call at the start of a read transaction. */
  refresh(): void
  /** Station codes by id. */
  readonly stations: ReadonlyMap<number, string>
  readonly kinds: ReadonlyMap<number, Kind>
}

export function openLookups(db: Database): Lookups {
  const newStations = db.prepare('SELECT id, code FROM station WHERE id > ? ORDER BY id').raw()
  const newKinds = db.prepare(
    `SELECT id, area, file_version AS version, file_duration AS duration, file_type AS type, source, period,
       interval, content FROM kind WHERE id > ? ORDER BY id`,
  )
  const stations = new Map<number, string>()
  const kinds = new Map<number, Kind>()
  let [lastStation, lastKind] = [0, 0]
  return {
    stations,
    kinds,
    refresh() {
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

/** Station codes of the catalogue by id, of 4 and 9 characters. */
type Codes = ReadonlyMap<number, string>

/**
 * Returns a function that finds the long code of a code. A code of 9 characters is its own long code. A code of 4 characters has
 * the only long code that begins with it; `undefined` if there is none or more than one.
 */
export function prepareLongCodes(codes: Codes): (code: string) => string | undefined {
  /** The long code of each site; `undefined` if there are several. */
  const bySite = new Map<string, string | undefined>()
  for (const code of codes.values())
    if (code.length === 9) {
      const site = code.slice(0, 4)
      bySite.set(site, bySite.has(site) ? undefined : code)
    }
  return (code) => (code.length === 9 ? code : bySite.get(code))
}

/** Returns a function that finds the country of a code, from the code itself or from its long code. */
export function prepareCountries(codes: Codes): (code: string) => string | undefined {
  const longCode = prepareLongCodes(codes)
  return (code) => countryOf(longCode(code) ?? code)
}
