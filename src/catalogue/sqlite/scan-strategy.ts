/** Reads the index of an order from the start of a page, and skips files that do not match. To be used within a read transaction. */
import { secondsPerDay } from '../../parse/calendar.ts'
import type { OrderKey } from '../filter.ts'
import type { Counts } from './counts.ts'
import { intersect } from './date-ranges.ts'
import type { DateRange } from './date-ranges.ts'
import { afterAll, conditionsOf, hasOnly } from './filter-sql.ts'
import type { Selection } from './filter-sql.ts'
import { orderBy, orders, siteOf } from './slices.ts'
import { entryUs, lookupUs, rowUs } from './candidate-indexes.ts'
import type { Statements } from './statements.ts'
import type { CheckDeadline, StrategyParts, Wanted } from './strategy.ts'

/** A strategy that may be stopped in favour of another. */
export interface Scan {
  readonly costUs: number
  /** @returns `undefined` when its time was over */
  ids(checkDeadline: CheckDeadline, mostMs: number): readonly number[] | undefined
}

/** Maximum files to skip when the counts contain the day or the site on which a page begins. */
const restBy = { days: 20_000, sites: 15_000, index: 15_000 }

type Place = Pick<Wanted, 'ordering' | 'offset'>

/** The first part of a selection that is read, and the count of its files before the page. */
interface Start {
  readonly selection: Selection
  readonly skip: number
}

export function openScan(
  statements: Statements,
  { counts, lookups, slices }: StrategyParts,
): (selection: Selection, wanted: Wanted) => Scan {
  /** The counts that contain the start of a page in an order. */
  const skipsBy = (selection: Selection, key: OrderKey): 'days' | 'sites' | 'index' | undefined => {
    if (key === 'data_date' && hasOnly(selection, ['dates', 'kinds'])) return 'days'
    if (key === 'filename' && hasOnly(selection, ['stations', 'kinds'])) return 'sites'
    if (key === 'filename' && hasOnly(selection, ['stations', 'kinds', 'dates', 'ids']))
      return 'index'
    return undefined
  }

  const startOf = (
    selection: Selection,
    { ordering, offset }: Wanted,
    checkDeadline: CheckDeadline,
  ): Start => {
    const by = skipsBy(selection, ordering.key)
    const at = { ordering, offset }
    if (by === 'days') return startByDay(selection, at)
    if (by === 'sites')
      return startBySite(selection, counts.byStation(selection.stations, selection.kinds), at)
    if (by === 'index' && offset > 0)
      return startBySite(selection, countStations(selection, checkDeadline), at)
    return { selection, skip: offset }
  }

  const startByDay = (selection: Selection, { ordering, offset }: Place): Start => {
    const { dates, kinds } = selection
    const { descending } = ordering
    let skip = offset
    for (const { day, files } of counts.byDay(dates, kinds, descending)) {
      const whole = { from: day * secondsPerDay, to: (day + 1) * secondsPerDay - 1 }
      // A range may contain only a part of the day, or only some kinds.
      const isWhole = dates === undefined || dates.every((range) => has(range, whole))
      const taken = isWhole ? files : counts.ofDates(intersect(dates, [whole]), kinds)
      if (skip < taken) {
        const rest = descending ? { from: -1e15, to: whole.to } : { from: whole.from, to: 1e15 }
        return { selection: { ...selection, dates: intersect(dates ?? [rest], [rest]) }, skip }
      }
      skip -= taken
    }
    return { selection, skip }
  }

  /** Files of each station, with its index. */
  const countStations = (
    selection: Selection,
    checkDeadline: CheckDeadline,
  ): ReadonlyMap<number, number> => {
    const files = new Map<number, number>()
    for (const slice of slices.byStation(selection)) {
      const { sql, values } = conditionsOf(slice)
      const rows = statements.rows(
        `SELECT f.station, count(*) FROM file f INDEXED BY file_station WHERE ${sql} GROUP BY f.station`,
        values,
      ) as [number, number][]
      for (const [station, count] of rows) files.set(station, (files.get(station) ?? 0) + count)
      checkDeadline()
    }
    return files
  }

  const startBySite = (
    selection: Selection,
    byStation: ReadonlyMap<number, number>,
    { ordering, offset }: Place,
  ): Start => {
    const bySite = new Map<string, number>()
    for (const [station, files] of byStation) {
      const site = siteOf(lookups.stations.get(station) ?? '')
      bySite.set(site, (bySite.get(site) ?? 0) + files)
    }
    const sites = [...bySite].sort(([a], [b]) => (a < b ? -1 : 1))
    let skip = offset
    for (const [site, files] of ordering.descending ? sites.toReversed() : sites) {
      if (skip < files) {
        const nameRange = ordering.descending ? { to: site + afterAll } : { from: site }
        return { selection: { ...selection, nameRange }, skip }
      }
      skip -= files
    }
    return { selection, skip }
  }

  /** Reads the index from the beginning of the order, or from the start in the counts, and skips files that do not match. */
  const scan = (selection: Selection, wanted: Wanted, matchesPer: number): Scan => {
    const { ordering, offset, limit } = wanted
    const { from } = orders[ordering.key]
    const by = skipsBy(selection, ordering.key)
    const passed =
      (Math.min(limit, wanted.count) + (by === undefined ? offset : Math.min(offset, restBy[by]))) /
      matchesPer
    return {
      costUs: (by === undefined ? 100 : 2000) + passed * passUs(selection, ordering.key),
      ids(checkDeadline, mostMs) {
        const endMs = performance.now() + mostMs
        const { selection: rest, skip: before } = startOf(selection, wanted, checkDeadline)
        let skip = before
        const found: number[] = []
        for (const slice of slices.along(ordering.key, rest, ordering.descending)) {
          const { sql, values } = conditionsOf(slice)
          const where = `FROM ${from} WHERE ${sql}`
          const files =
            skip > 0 ? (statements.value(`SELECT count(*) ${where}`, values) as number) : 0
          if (skip > 0 && files <= skip) skip -= files
          else {
            const ids = statements.column(
              `SELECT f.id ${where} ORDER BY ${orderBy(ordering)} LIMIT +@limit OFFSET +@skip`,
              { ...values, limit: limit - found.length, skip },
            ) as number[]
            skip = 0
            found.push(...ids)
            if (found.length === limit) break
          }
          checkDeadline()
          if (performance.now() > endMs) return undefined
        }
        return found
      },
    }
  }

  /** Files with data of some days have no ids above the highest id of these days. */
  function withLastId(selection: Selection, key: OrderKey): Selection {
    const { dates, ids } = selection
    if (dates === undefined || key !== 'id') return selection
    const to = Math.min(ids?.to ?? Infinity, counts.lastIdOf(dates))
    return { ...selection, ids: { from: ids?.from ?? -Infinity, to } }
  }
  /** Reads from the first file of the order; returns `undefined` if that takes too long. */
  return (selection, wanted) => {
    const { key } = wanted.ordering
    const total = totalAlong(counts, selection, key)
    return scan(withLastId(selection, key), wanted, Math.min(1, wanted.count / Math.max(1, total)))
  }
}

function has({ from, to, kinds }: DateRange, other: DateRange): boolean {
  return kinds === undefined && from <= other.from && to >= other.to
}

/** The cost of a skipped file: the index or the row contains whether it matches. */
function passUs(selection: Selection, key: OrderKey): number {
  const known: Readonly<Record<OrderKey, readonly (keyof Selection)[]>> = {
    id: [],
    data_date: ['dates', 'kinds', 'ids'],
    created: ['created', 'ids'],
    modified: ['modified', 'ids'],
    filename: ['names', 'ids'],
  }
  if (key === 'id') return rowUs
  if (hasOnly(selection, known[key])) return entryUs
  // Times are nearly in the order of ids, so their rows are neighbours and cheap to read.
  return entryUs + (key === 'created' || key === 'modified' ? rowUs : lookupUs)
}

/** Count of the index entries that a scan in this order must read to find all files of the selection. */
function totalAlong(counts: Counts, selection: Selection, key: OrderKey): number {
  const { dates, stations, ids } = selection
  if (key === 'data_date' && dates !== undefined) return counts.ofDates(dates, undefined)
  if (key === 'filename' && stations !== undefined) return counts.ofStations(stations, undefined)
  return counts.ofIds(undefined, key === 'id' ? ids : undefined)
}
