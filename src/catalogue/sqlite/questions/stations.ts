import type { Database } from 'better-sqlite3'
import type { StationSummary, StationsQuery } from '../../catalogue.ts'
import type { Segment } from './columns.ts'
import { openStationSums } from './station-sums.ts'
import type { Cell } from './station-sums.ts'
import type { Kind, Vocabulary } from './vocabulary.ts'

/** Answers about stations. To be used within a read transaction. */
export interface Stations {
  /** As for a tally: what follows is of the segments as they were then. */
  follow(segments: readonly Segment[], isTimeUp: () => boolean): boolean
  page(query: StationsQuery): { count: number; stations: StationSummary[] }
  one(code: string): StationSummary | undefined
}

export function openStations(db: Database, vocabulary: Vocabulary): Stations {
  const sums = openStationSums(db, vocabulary)
  return {
    follow: (segments, isTimeUp) => sums.follow(segments, isTimeUp),
    page({ limit, offset, countries, areas }) {
      const takes = ({ area }: Kind): boolean => areas?.includes(area) ?? true
      const listed: { id: number; code: string }[] = []
      for (const [id, code] of vocabulary.stations.entries()) {
        if (code === undefined || !(countries?.includes(code.slice(6)) ?? true)) continue
        if (sums.has(id, takes)) listed.push({ id, code })
      }
      listed.sort((a, b) => (a.code < b.code ? -1 : 1))
      const asked = listed.slice(offset, offset + limit)
      const stations = asked.map(({ id, code }) => summarise(code, sums.of(id, takes)))
      return { count: listed.length, stations }
    },
    one(code) {
      const cells = [...vocabulary.stations.entries()]
        .filter(([, known]) => known === code || known?.slice(0, 4) === code)
        .flatMap(([id]) => sums.of(id))
      return cells.length === 0 ? undefined : summarise(code, cells)
    },
  }
}

function summarise(code: string, cells: readonly Cell[]): StationSummary {
  const sumBy = <Key extends string>(keyOf: (kind: Kind) => Key) => {
    const sums: Partial<Record<Key, number>> = {}
    for (const { kind, files } of cells) sums[keyOf(kind)] = (sums[keyOf(kind)] ?? 0) + files
    return sums
  }
  return {
    code,
    firstDay: Math.min(...cells.map(({ firstDay }) => firstDay)),
    lastDay: Math.max(...cells.map(({ lastDay }) => lastDay)),
    files: cells.reduce((sum, { files }) => sum + files, 0),
    byArea: sumBy(({ area }) => area),
    byType: sumBy(({ type }) => type),
    byDuration: sumBy(({ duration }) => duration),
    byVersion: sumBy(({ version }) => version),
  }
}
