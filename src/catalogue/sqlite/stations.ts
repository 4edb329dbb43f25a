/** Queries about stations, from the counts of each station and kind. To be used within a read transaction. */
import type { Database } from 'better-sqlite3'
import { secondsPerDay } from '../../parse/calendar.ts'
import { countryOf } from '../../parse/countries.ts'
import type { StationOrdering, StationsPage, StationsQuery } from '../reader.ts'
import type { Head, StationSummary } from '../records.ts'
import { prepareCounts } from './counts.ts'
import { select } from './selection.ts'
import { openLookups } from './lookup-cache.ts'
import type { Kind } from './lookup-cache.ts'

export interface StationAnswer {
  readonly head: Head
  readonly station: StationSummary | undefined
}

/** Both methods throw `NotBuilt` while `station_count` is not built. */
export interface Stations {
  page(query: StationsQuery): StationsPage
  one(code: string): StationAnswer
}

/** The counts of the files of one kind that a station has. */
interface StationKind {
  readonly kind: number
  readonly files: number
  readonly firstDate: number
  readonly lastDate: number
}

/** The counts of all files of a station. */
interface StationTotal extends Omit<StationKind, 'kind'> {
  readonly station: number
}

/** A row of the list of stations: a long code with the short code that belongs only to it, or a single code. */
interface Site {
  readonly code: string
  readonly codes: string[]
  readonly ids: readonly number[]
  readonly count: number
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
  const allStations = db.prepare(
    `SELECT station, sum(files) AS files, min(first_date) AS firstDate, max(last_date) AS lastDate FROM station_count
     WHERE @all OR kind IN (SELECT value FROM json_each(@kinds)) GROUP BY station ORDER BY station`,
  )
  const refresh = (): Head => {
    counts.require('station_count')
    lookups.refresh()
    return head()
  }
  const summarise = (
    code: string,
    { codes, ids }: { readonly codes: readonly string[]; readonly ids: readonly number[] },
    kinds?: readonly number[],
  ): StationSummary | undefined => {
    const rows = ofStations.all({
      stations: JSON.stringify(ids),
      all: kinds === undefined ? 1 : 0,
      kinds: JSON.stringify(kinds ?? []),
    }) as StationKind[]
    return rows.length === 0 ? undefined : { ...summaryOf(rows, lookups.kinds), code, codes }
  }
  /** The matching stations with their counts, not sorted, and the kinds of the files that are counted (`undefined`: all). */
  const totals = (
    query: StationsQuery,
  ): { sites: Site[]; kinds: readonly number[] | undefined } => {
    const { countries, areas, codes, search = '' } = query
    const selection = select({ ...(countries && { countries }), ...(areas && { areas }) }, lookups)
    if (selection === undefined) return { sites: [], kinds: undefined }
    const { stations, kinds } = selection
    const wanted = stations && new Set(stations)
    const sites = new Map<string, Site>()
    const rows = allStations.all({
      all: kinds === undefined ? 1 : 0,
      kinds: JSON.stringify(kinds ?? []),
    }) as StationTotal[]
    for (const { station, files, firstDate, lastDate } of rows) {
      if (wanted?.has(station) === false) continue
      const own = lookups.stations.get(station) ?? ''
      const code = lookups.sites.longCode(own) ?? own
      const known = sites.get(code)
      sites.set(code, {
        code,
        codes: [...(known?.codes ?? []), own],
        ids: [...(known?.ids ?? []), station],
        count: files + (known?.count ?? 0),
        firstDate: Math.min(firstDate, known?.firstDate ?? Infinity),
        lastDate: Math.max(lastDate, known?.lastDate ?? -Infinity),
      })
    }
    const listed = codes && new Set(codes)
    const found = [...sites.values()].filter(
      (site) =>
        site.codes.some((code) => code.includes(search)) && listed?.has(site.code) !== false,
    )
    return { sites: found, kinds }
  }
  return {
    page(query) {
      const now = refresh()
      const { limit, offset, ordering = byCode } = query
      const { sites, kinds } = totals(query)
      const listed = sites.sort((a, b) => compare(a, b, ordering))
      const found = listed
        .slice(offset, offset + limit)
        .map(({ code, codes, ids }) => summarise(code, { codes: codes.sort(), ids }, kinds))
      return {
        head: now,
        count: listed.length,
        stations: found.filter((station) => station !== undefined),
      }
    },
    one(code) {
      const now = refresh()
      const selection = select({ stations: [code] }, lookups)
      const ids = [...counts.byStation(selection?.stations ?? [], undefined).keys()]
      const codes = ids.map((id) => lookups.stations.get(id) ?? '').sort()
      return { head: now, station: summarise(code, { codes, ids }) }
    },
  }
}

const byCode: StationOrdering = { key: 'code', descending: false }

/** Sort keys of stations. */
const sortKeys: Readonly<Record<StationOrdering['key'], (site: Site) => number | string>> = {
  code: ({ code }) => code,
  country: ({ code }) => countryOf(code) ?? '',
  count: ({ count }) => count,
  first_data_date: ({ firstDate }) => firstDate,
  last_data_date: ({ lastDate }) => lastDate,
}

function compare(a: Site, b: Site, { key, descending }: StationOrdering): number {
  const [first, second] = [sortKeys[key](a), sortKeys[key](b)]
  // Stations without a country come last in both directions.
  if (first === '' || second === '')
    return first === second ? (a.code < b.code ? -1 : 1) : first === '' ? 1 : -1
  if (first !== second) return first < second === descending ? 1 : -1
  return a.code < b.code ? -1 : 1
}

function summaryOf(
  rows: readonly StationKind[],
  kinds: ReadonlyMap<number, Kind>,
): Omit<StationSummary, 'code' | 'codes'> {
  const sumBy = <Key extends string>(keyOf: (kind: Kind) => Key): Partial<Record<Key, number>> => {
    const sums: Partial<Record<Key, number>> = {}
    for (const { kind: id, files } of rows) {
      const kind = kinds.get(id)
      if (kind !== undefined) sums[keyOf(kind)] = (sums[keyOf(kind)] ?? 0) + files
    }
    return sums
  }
  return {
    firstDay: Math.floor(Math.min(...rows.map(({ firstDate }) => firstDate)) / secondsPerDay),
    lastDay: Math.floor(Math.max(...rows.map(({ lastDate }) => lastDate)) / secondsPerDay),
    files: rows.reduce((sum, { files }) => sum + files, 0),
    byArea: sumBy(({ area }) => area),
    byType: sumBy(({ type }) => type),
    byDuration: sumBy(({ duration }) => duration),
    byVersion: sumBy(({ version }) => version),
  }
}
