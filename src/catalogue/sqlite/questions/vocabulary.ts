import type { Database } from 'better-sqlite3'
import type { Area } from '../../../parse/archive-path.ts'
import type { FileDuration, FileType, FileVersion } from '../../../parse/types.ts'

/** What many names have in common: a row of `kind`. Parts that only long names have are '' for short ones. */
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

/** What the numbers of stations and kinds stand for. To be used within a read transaction. */
export interface Vocabulary {
  follow(): void
  /** Codes by number; there is no number 0. */
  readonly stations: readonly (string | undefined)[]
  readonly kinds: readonly (Kind | undefined)[]
  /** Grows whenever there is a new word. */
  readonly size: number
}

export function openVocabulary(db: Database): Vocabulary {
  const newStations = db.prepare('SELECT id, code FROM station WHERE id >= ? ORDER BY id')
  const newKinds = db.prepare(
    `SELECT id, area, file_version AS version, file_duration AS duration, file_type AS type, source, period,
       interval, content FROM kind WHERE id >= ? ORDER BY id`,
  )
  const stations: (string | undefined)[] = []
  const kinds: (Kind | undefined)[] = []
  return {
    stations,
    kinds,
    get size() {
      return stations.length + kinds.length
    },
    follow() {
      for (const { id, code } of newStations.all(stations.length) as { id: number; code: string }[])
        stations[id] = code
      for (const { id, ...kind } of newKinds.all(kinds.length) as ({ id: number } & Kind)[])
        kinds[id] = kind
    },
  }
}
