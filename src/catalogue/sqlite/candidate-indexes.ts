/**
 * Estimates the cost of finding a selection with each index and with a scan: from the tables of counts, or for indexes without
 * one by counting their entries up to a limit. Use within a read transaction.
 */
import type { OrderKey } from '../filter.ts'
import type { Statements } from './connection.ts'
import type { Counts } from './counts.ts'
import { boundsOf } from './date-ranges.ts'
import { conditionsOf, orders, problemIds } from './filter-sql.ts'
import { hasAny, hasOnly } from './selection.ts'
import type { PagePosition, Selection } from './selection.ts'
import type { Slice, Slices } from './slices.ts'

/**
 * Measured CPU time in microseconds to read an index entry, to read a row in id order, and to look up the row of an index entry.
 */
const entryUs = 0.1
const rowUs = 0.25
const lookupUs = 1.2

/** An index, or the table itself, with which all files of a selection are found. */
export interface CandidateIndex {
  /** SQL after FROM. */
  readonly from: string
  readonly entries: number
  /** A sort key that each entry contains. */
  readonly key?: OrderKey
  /** CPU microseconds to find all files of the selection, without sorting. */
  readonly costUs: number
  readonly slices: () => Iterable<Slice>
}

/**
 * Maximum number of entries that are counted in an index without a table of counts. If an index has this number of matching
 * entries or more, all files are assumed to match.
 */
const maxCounted = 50_000

export function cheapest(indexes: readonly CandidateIndex[]): CandidateIndex {
  return indexes.reduce((best, each) => (each.costUs < best.costUs ? each : best))
}

/** @returns a function that lists the indexes for a selection; the first one is the table itself */
export function openCandidateIndexes(
  statements: Statements,
  { counts, slices }: { readonly counts: Counts; readonly slices: Slices },
): (selection: Selection) => CandidateIndex[] {
  const countUpTo = (rows: string, values = {}): number =>
    statements.value(`SELECT count(*) FROM (${rows} LIMIT ${maxCounted})`, values) as number
  const along = (key: OrderKey, selection: Selection) => () => slices.along(key, selection, true)

  return (selection) => {
    const { kinds, stations, dates, ids, created, modified, problems, names } = selection
    const total = counts.ofIds(undefined)
    const inIds = ids === undefined ? total : counts.ofIds(undefined, ids)
    const found: CandidateIndex[] = [
      {
        from: orders.id.from,
        entries: inIds,
        costUs: inIds * rowUs,
        slices: along('id', selection),
      },
    ]
    /** @param covers the conditions that the index contains, so that no row is looked up for them */
    const add = (
      covers: readonly (keyof Selection)[],
      index: Omit<CandidateIndex, 'costUs'>,
    ): void => {
      const isCovered = hasOnly(selection, [...covers, 'ids', 'after'])
      found.push({ ...index, costUs: index.entries * (isCovered ? entryUs : entryUs + lookupUs) })
    }
    /** Adds the index of a sort key. Only the entries that match the condition are read. */
    const addOrder = (key: 'created' | 'modified' | 'filename', condition: Selection): void => {
      const { sql, values } = conditionsOf(condition)
      const counted = countUpTo(`SELECT 1 FROM ${orders[key].from} WHERE ${sql}`, values)
      add([...(Object.keys(condition) as (keyof Selection)[]), 'nameRange'], {
        from: orders[key].from,
        entries: counted < maxCounted ? counted : total,
        slices: along(key, selection),
      })
    }
    if (dates !== undefined)
      add(['dates', 'kinds'], {
        from: orders.data_date.from,
        entries: counts.ofDates(dates, undefined),
        slices: along('data_date', selection),
      })
    if (stations !== undefined) {
      const all = counts.ofStations(stations, undefined)
      const share = dates ? counts.ofDates([boundsOf(dates)], undefined) / Math.max(1, total) : 1
      add(['stations', 'dates', 'kinds'], {
        from: 'file f INDEXED BY file_station',
        key: 'data_date',
        // The stations may have a larger share of their files in the range of dates than other stations have.
        entries: Math.min(all, 2 * share * all + 10 * stations.length),
        slices: () => slices.byStation(selection),
      })
    }
    if (kinds !== undefined)
      add(['kinds'], {
        from: 'file f INDEXED BY file_kind',
        entries: counts.ofIds(kinds, ids),
        slices: along('id', selection),
      })
    if (created !== undefined) addOrder('created', { created })
    if (modified !== undefined) addOrder('modified', { modified })
    // A part of a name is searched in the table itself, which takes less time than in the index.
    const narrow = names?.filter(({ how }) => how !== 'contains') ?? []
    if (narrow.length > 0) addOrder('filename', { names: narrow })
    if (problems !== undefined) {
      const counted = countUpTo(problemIds(problems))
      const areFew = counted < maxCounted
      add(['problems'], {
        from: orders.id.from,
        entries: areFew ? counted : total,
        slices: areFew ? () => [{ selection }] : along('id', selection),
      })
    }
    return found
  }
}

/**
 * CPU microseconds per file to sort the files of an index. If the index entries do not contain the sort key, each row must be
 * looked up.
 */
export function sortUs(
  index: CandidateIndex,
  { ordering }: Pick<PagePosition, 'ordering'>,
): number {
  return ordering.key === 'id' || ordering.key === index.key ? 0.2 : 3
}

/** CPU microseconds to scan the index of an order from its start to the end of a page. */
export function scanCostUs(
  counts: Counts,
  selection: Selection,
  { ordering: { key }, offset, limit, count }: PagePosition & { readonly count: number },
): number {
  const { dates, stations, ids } = selection
  const byDay = key === 'data_date' && hasOnly(selection, ['dates', 'kinds'])
  const bySite = key === 'filename' && hasOnly(selection, ['stations', 'kinds'])
  const entries =
    key === 'data_date' && dates !== undefined
      ? counts.ofDates(dates, undefined)
      : key === 'filename' && stations !== undefined
        ? counts.ofStations(stations, undefined)
        : counts.ofIds(undefined, key === 'id' ? ids : undefined)
  const passed = Math.min(limit, count) + (byDay || bySite ? Math.min(offset, 20_000) : offset)
  // `created` and `modified` are nearly in the order of ids, so the rows of consecutive entries are neighbours and cheap to read.
  const readUs = key === 'data_date' || key === 'filename' ? lookupUs : rowUs
  const passUs = byDay || !hasAny(selection) ? entryUs : entryUs + readUs
  return 100 + passed * Math.max(1, entries / Math.max(1, count)) * passUs
}
