/** Estimates from the exact counts how much work each index is to find a selection. To be used within a read transaction. */
import type { OrderKey, Problem, TimeRange } from '../filter.ts'
import type { Counts } from './counts.ts'
import { conditionsOf, problemIds } from './filter-sql.ts'
import type { Selection } from './filter-sql.ts'
import { mostRanges, orders } from './slices.ts'
import type { Slices } from './slices.ts'
import type { Statements } from './statements.ts'

/** CPU microseconds, measured: an entry of an index, a row read in the order of ids, a row looked up elsewhere. */
export const entryUs = 0.1
export const rowUs = 0.25
export const lookupUs = 1.2

/** An index by which all files of a selection can be found. */
export interface Source {
  /** The table and its index, for FROM. */
  readonly from: string
  /** What of a selection, and which keys, the index itself knows: the others are looked up in the row. */
  readonly knows: ReadonlySet<string>
  readonly entries: number
  /** CPU microseconds to find all files of the selection, without what the order needs. */
  readonly costUs: number
  readonly slices: () => Iterable<Selection>
}

type Part = keyof Selection

/** Entries counted of an index whose counts are not kept; more are taken for all. */
const mostCounted = 50_000

export function cheapest<T extends { readonly costUs: number }>(all: readonly [T, ...T[]]): T {
  return all.reduce((best, each) => (each.costUs < best.costUs ? each : best))
}

/** @returns gives every source of a selection; the first of them is the table itself */
export function openCandidateIndexes(
  statements: Statements,
  { counts, slices }: { readonly counts: Counts; readonly slices: Slices },
): (selection: Selection) => [Source, ...Source[]] {
  const countUpTo = (key: OrderKey, selection: Selection): number => {
    const { sql, values } = conditionsOf(selection)
    const from = `SELECT 1 FROM ${orders[key].from} WHERE ${sql} LIMIT ${mostCounted}`
    return statements.value(`SELECT count(*) FROM (${from})`, values) as number
  }
  const source = (
    selection: Selection,
    facts: Pick<Source, 'from' | 'entries' | 'slices'> & { knows: readonly (Part | OrderKey)[] },
  ): Source => {
    const knows = new Set<string>([...facts.knows, 'id', 'ids'])
    const isCovered = (Object.keys(selection) as Part[]).every((part) => knows.has(part))
    const perEntry = isCovered ? entryUs : entryUs + lookupUs
    return { ...facts, knows, costUs: facts.entries * perEntry }
  }
  const along = (key: OrderKey, selection: Selection) => () => slices.along(key, selection, true)

  const timeSource = (
    key: 'created' | 'modified',
    range: TimeRange,
    { selection, total }: { selection: Selection; total: number },
  ): Source => {
    const counted = countUpTo(key, { [key]: range })
    const entries = counted < mostCounted ? counted : total
    return source(selection, {
      from: orders[key].from,
      knows: [key],
      entries,
      slices: along(key, selection),
    })
  }

  /** All at once where they are few, else in slices of ids. */
  const problemSource = (selection: Selection, problems: readonly Problem[]): Source => {
    const some = `SELECT count(*) FROM (${problemIds(problems)} LIMIT ${mostCounted})`
    const counted = statements.value(some, {}) as number
    const areFew = counted < mostCounted
    return source(selection, {
      from: orders.id.from,
      knows: ['problems'],
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
        knows: new Set(Object.keys(orders)),
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
          knows: ['dates', 'dateBounds', 'kinds', 'data_date'],
          entries: inDates,
          slices: along('data_date', selection),
        }),
      )
    if (stations !== undefined)
      sources.push(
        source(selection, {
          from: 'file f INDEXED BY file_station',
          knows: ['stations', 'dates', 'kinds', 'data_date'],
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
          knows: ['kinds'],
          entries: counts.ofIds(kinds, ids),
          slices: along('id', selection),
        }),
      )
    if (created !== undefined) sources.push(timeSource('created', created, { selection, total }))
    if (modified !== undefined) sources.push(timeSource('modified', modified, { selection, total }))
    if (problems !== undefined) sources.push(problemSource(selection, problems))
    // Parts of names are looked for in the table itself: its slices begin and end by numbers, which costs less than by names.
    const narrow = names?.filter(({ how }) => how !== 'contains') ?? []
    if (narrow.length > 0) {
      const counted = countUpTo('filename', { names: narrow })
      sources.push(
        source(selection, {
          from: orders.filename.from,
          knows: ['names', 'nameRange', 'filename'],
          entries: counted < mostCounted ? counted : total,
          slices: along('filename', selection),
        }),
      )
    }
    return sources
  }
}
