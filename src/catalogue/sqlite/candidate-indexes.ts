/** Estimates the cost of finding a selection by each index, from the exact counts. Use within a read transaction. */
import type { OrderKey, Problem, TimeRange } from '../filter.ts'
import type { Counts } from './counts.ts'
import { conditionsOf, problemIds } from './filter-sql.ts'
import type { Selection } from './filter-sql.ts'
import { mostRanges, orders } from './slices.ts'
import type { Slices } from './slices.ts'
import type { Statements } from './statements.ts'

/** CPU microseconds, measured: an index entry, a row read in id order, a row looked up from an index entry. */
export const entryUs = 0.1
export const rowUs = 0.25
export const lookupUs = 1.2

/** An index that finds all files of a selection. */
export interface Source {
  /** The table and its index, for FROM. */
  readonly from: string
  /** Conditions of a selection and sort keys that the index contains; the others need a lookup of the row. */
  readonly covers: ReadonlySet<string>
  readonly entries: number
  /** CPU microseconds to find all files of the selection, without sorting. */
  readonly costUs: number
  readonly slices: () => Iterable<Selection>
}

type Condition = keyof Selection

/** Counts at most this number of entries of an index without a table of counts; from there on all files are assumed. */
const maxCounted = 50_000

export function cheapest<T extends { readonly costUs: number }>(all: readonly [T, ...T[]]): T {
  return all.reduce((best, each) => (each.costUs < best.costUs ? each : best))
}

/** @returns a function that lists the sources of a selection; the first one is the table itself */
export function openCandidateIndexes(
  statements: Statements,
  { counts, slices }: { readonly counts: Counts; readonly slices: Slices },
): (selection: Selection) => [Source, ...Source[]] {
  const countUpTo = (key: OrderKey, selection: Selection): number => {
    const { sql, values } = conditionsOf(selection)
    const from = `SELECT 1 FROM ${orders[key].from} WHERE ${sql} LIMIT ${maxCounted}`
    return statements.value(`SELECT count(*) FROM (${from})`, values) as number
  }
  const source = (
    selection: Selection,
    index: Pick<Source, 'from' | 'entries' | 'slices'> & {
      covers: readonly (Condition | OrderKey)[]
    },
  ): Source => {
    const covers = new Set<string>([...index.covers, 'id', 'ids'])
    const isCovered = Object.keys(selection).every((condition) => covers.has(condition))
    const perEntry = isCovered ? entryUs : entryUs + lookupUs
    return { ...index, covers, costUs: index.entries * perEntry }
  }
  const along = (key: OrderKey, selection: Selection) => () => slices.along(key, selection, true)

  const timeSource = (
    key: 'created' | 'modified',
    range: TimeRange,
    { selection, total }: { selection: Selection; total: number },
  ): Source => {
    const counted = countUpTo(key, { [key]: range })
    const entries = counted < maxCounted ? counted : total
    return source(selection, {
      from: orders[key].from,
      covers: [key],
      entries,
      slices: along(key, selection),
    })
  }

  /** One slice if there are few files with problems, otherwise slices of ids. */
  const problemSource = (selection: Selection, problems: readonly Problem[]): Source => {
    const sql = `SELECT count(*) FROM (${problemIds(problems)} LIMIT ${maxCounted})`
    const counted = statements.value(sql, {}) as number
    const areFew = counted < maxCounted
    return source(selection, {
      from: orders.id.from,
      covers: ['problems'],
      entries: areFew ? counted : counts.ofIds(undefined),
      slices: areFew ? () => [selection] : along('id', selection),
    })
  }

  return (selection) => {
    const { kinds, stations, dates, ids, created, modified, problems, names } = selection
    const total = counts.ofIds(undefined)
    const range = ids === undefined ? total : counts.ofIds(undefined, ids)
    const sources: [Source, ...Source[]] = [
      {
        from: orders.id.from,
        covers: new Set(Object.keys(orders)),
        entries: range,
        costUs: range * rowUs,
        slices: along('id', selection),
      },
    ]
    const inDates = dates === undefined ? Infinity : counts.ofDates(dates, undefined)
    if (dates !== undefined)
      sources.push(
        source(selection, {
          from: orders.data_date.from,
          covers: ['dates', 'dateBounds', 'kinds', 'data_date'],
          entries: inDates,
          slices: along('data_date', selection),
        }),
      )
    if (stations !== undefined)
      sources.push(
        source(selection, {
          from: 'file f INDEXED BY file_station',
          covers: ['stations', 'dates', 'kinds', 'data_date'],
          entries: Math.min(
            counts.ofStations(stations, undefined),
            dates !== undefined && dates.length <= mostRanges
              ? (2 * inDates * counts.ofStations(stations, undefined)) / Math.max(1, total) +
                  10 * stations.length * dates.length
              : Infinity,
          ),
          slices: () => slices.byStation(selection),
        }),
      )
    if (kinds !== undefined)
      sources.push(
        source(selection, {
          from: 'file f INDEXED BY file_kind',
          covers: ['kinds'],
          entries: counts.ofIds(kinds, ids),
          slices: along('id', selection),
        }),
      )
    if (created !== undefined) sources.push(timeSource('created', created, { selection, total }))
    if (modified !== undefined) sources.push(timeSource('modified', modified, { selection, total }))
    if (problems !== undefined) sources.push(problemSource(selection, problems))
    // `contains` scans the table itself: slices of ids cost less than slices of names.
    const narrow = names?.filter(({ how }) => how !== 'contains') ?? []
    if (narrow.length > 0) {
      const counted = countUpTo('filename', { names: narrow })
      sources.push(
        source(selection, {
          from: orders.filename.from,
          covers: ['names', 'nameRange', 'filename'],
          entries: counted < maxCounted ? counted : total,
          slices: along('filename', selection),
        }),
      )
    }
    return sources
  }
}
