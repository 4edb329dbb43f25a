/** Answers about stations, from the counts of each station and kind. To be used within a read transaction. */
import type { Database } from 'better-sqlite3'
import { secondsPerDay } from '../../parse/calendar.ts'
import type { Head, StationSummary, StationsPage, StationsQuery } from '../catalogue.ts'
import { prepareCounts } from './counts.ts'
import { select } from './filter-sql.ts'
import { openLookups } from './lookups.ts'
import type { Kind } from './lookups.ts'

export interface StationAnswer {
  readonly head: Head
  readonly station: StationSummary | undefined
}

/** Both throw NotBuilt while the counts are being built. */
export interface Stations {
  page(query: StationsQuery): StationsPage
  one(code: string): StationAnswer
}

/** What a station has of a kind. */
interface StationKind {
  readonly kind: number
  readonly files: number
  readonly firstDate: number
  readonly lastDate: number
}

export function prepareStations(db: Database, head: () => Head): Stations {
  const counts = prepareCounts(db)
  const lookups = openLookups(db)
  const ofStations = db.prepare(
    `SELECT kind, files, first_date AS firstDate, last_date AS lastDate FROM station_count
     WHERE station IN (SELECT value FROM json_each(@stations))
       AND (@all OR kind IN (SELECT value FROM json_each(@kinds)))`,
  )
  const refresh = (): Head => {
    counts.require('station_count')
    lookups.refresh()
    return head()
  }
  const summarise = (
    code: string,
    stations: readonly number[],
    kinds?: readonly number[],
  ): StationSummary | undefined => {
    const rows = ofStations.all({
      stations: JSON.stringify(stations),
      all: kinds === undefined ? 1 : 0,
      kinds: JSON.stringify(kinds ?? []),
    }) as StationKind[]
    return rows.length === 0 ? undefined : summaryOf(code, rows, lookups.kinds)
  }
  return {
    page({ limit, offset, countries, areas }) {
      const now = refresh()
      const selection = select(
        { ...(countries && { countries }), ...(areas && { areas }) },
        lookups,
      )
      if (selection === undefined) return { head: now, count: 0, stations: [] }
      const { stations, kinds } = selection
      const listed = [...counts.byStation(stations, kinds).keys()]
        .map((id) => ({ id, code: lookups.stations.get(id) ?? '' }))
        .sort((a, b) => (a.code < b.code ? -1 : 1))
      const found = listed
        .slice(offset, offset + limit)
        .map(({ id, code }) => summarise(code, [id], kinds))
      return {
        head: now,
        count: listed.length,
        stations: found.filter((station) => station !== undefined),
      }
    },
    one(code) {
      const now = refresh()
      const selection = select({ stations: [code] }, lookups)
      return { head: now, station: selection && summarise(code, selection.stations ?? []) }
    },
  }
}

function summaryOf(
  code: string,
  rows: readonly StationKind[],
  kinds: ReadonlyMap<number, Kind>,
): StationSummary {
  const sumBy = <Key extends string>(keyOf: (kind: Kind) => Key): Partial<Record<Key, number>> => {
    const sums: Partial<Record<Key, number>> = {}
    for (const { kind: id, files } of rows) {
      const kind = kinds.get(id)
      if (kind !== undefined) sums[keyOf(kind)] = (sums[keyOf(kind)] ?? 0) + files
    }
    return sums
  }
  return {
    code,
    firstDay: Math.floor(Math.min(...rows.map(({ firstDate }) => firstDate)) / secondsPerDay),
    lastDay: Math.floor(Math.max(...rows.map(({ lastDate }) => lastDate)) / secondsPerDay),
    files: rows.reduce((sum, { files }) => sum + files, 0),
    byArea: sumBy(({ area }) => area),
    byType: sumBy(({ type }) => type),
    byDuration: sumBy(({ duration }) => duration),
    byVersion: sumBy(({ version }) => version),
  }
}
