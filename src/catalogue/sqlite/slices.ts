/**
 * Cuts a selection into slices along an index, so that a long query consists of many short ones, and its deadline is checked between
 * them. To be used within a read transaction.
 */
import { secondsPerDay } from '../../parse/calendar.ts'
import type { OrderKey, OrderStep, Ordering } from '../filter.ts'
import type { Counts } from './counts.ts'
import { boundsOf, intersect } from './date-ranges.ts'
import { afterAll, conditionsOf, modifiedUs } from './filter-sql.ts'
import type { NameRange, Selection } from './filter-sql.ts'
import type { Lookups } from './lookup-cache.ts'
import type { Statements } from './statements.ts'

/** Index entries of a slice. Equal keys stay together; the first slices are smaller. */
export interface SliceSizes {
  readonly first: number
  readonly most: number
  /** Rows in the order of the table take less time than entries of an index with a lookup each. */
  readonly idsPerEntry: number
}

const defaultSizes: SliceSizes = { first: 1024, most: 65_536, idsPerEntry: 64 }

function* growing({ first, most }: SliceSizes): Generator<number, never> {
  for (let entries = first; ; entries = Math.min(entries * 4, most)) yield entries
}

/** Maximum ranges of dates that are looked up in each station; with more, all files of the stations are read. */
export const mostRanges = 50

/** The SQL of an order, and the index with that order. */
export const orders: Readonly<Record<OrderKey, { readonly key: string; readonly from: string }>> = {
  id: { key: 'f.id', from: 'file f NOT INDEXED' },
  data_date: { key: 'f.data_date', from: 'file f INDEXED BY file_date' },
  created: { key: 'f.created_us', from: 'file f INDEXED BY file_created' },
  modified: { key: modifiedUs, from: 'file f INDEXED BY file_modified' },
  filename: { key: 'f.name COLLATE NOCASE', from: 'file f INDEXED BY file_name' },
}

/** A key for comparisons in JavaScript: ASCII case is ignored. */
export function sortKey(key: OrderKey): string {
  return key === 'filename' ? 'lower(f.name)' : orders[key].key
}

/** For ORDER BY. */
export function orderBy(ordering: Ordering): string {
  const steps = [ordering, ...(ordering.then ?? [])]
  const isById = steps.some(({ key }) => key === 'id')
  const last: OrderStep = { key: 'id', descending: steps.at(-1)?.descending ?? true }
  return (isById ? steps : [...steps, last])
    .map(({ key, descending }) => `${orders[key].key} ${descending ? 'DESC' : 'ASC'}`)
    .join(', ')
}

export interface Slices {
  /** Slices of the whole selection, in the order of a key. */
  along(key: OrderKey, selection: Selection, descending: boolean): Iterable<Selection>
  /** Slices of stations, for the index `file_station`. */
  byStation(selection: Selection): Iterable<Selection>
}

export function openSlices(
  statements: Statements,
  { counts, lookups }: { readonly counts: Counts; readonly lookups: Lookups },
  sizes = defaultSizes,
): Slices {
  /** Consecutive days, so that a slice is one range of the index. */
  function* dateSlices(selection: Selection, descending: boolean): Generator<Selection> {
    const { dates } = selection
    let run: { first: number; last: number; files: number } | undefined
    const sliceOf = ({ first, last }: { first: number; last: number }): Selection => {
      const [from, to] = [Math.min(first, last), Math.max(first, last)]
      const range = { from: from * secondsPerDay, to: (to + 1) * secondsPerDay - 1 }
      const cut = intersect(dates ?? [range], [range])
      return { ...selection, dates: cut, dateBounds: boundsOf(cut) }
    }
    for (const { day, files } of counts.byDay(dates, undefined, descending)) {
      const isNext = run !== undefined && Math.abs(day - run.last) === 1
      if (run !== undefined && (!isNext || run.files >= sizes.most)) {
        yield sliceOf(run)
        run = undefined
      }
      run = { first: run?.first ?? day, last: day, files: (run?.files ?? 0) + files }
    }
    if (run !== undefined) yield sliceOf(run)
  }

  /** Ranges of ids; the first ones are small. */
  function* idSlices(selection: Selection, descending: boolean): Generator<Selection> {
    const windows = counts.idWindows(selection.ids ?? { from: -Infinity, to: Infinity })
    const size = growing(sizes)
    for (const { from, to } of descending ? windows : windows.toReversed())
      for (let next = descending ? to : from; descending ? next >= from : next <= to;) {
        const entries = sizes.idsPerEntry * size.next().value
        const end = descending
          ? Math.max(from, next - entries + 1)
          : Math.min(to, next + entries - 1)
        yield { ...selection, ids: descending ? { from: end, to: next } : { from: next, to: end } }
        next = descending ? end - 1 : end + 1
      }
  }

  /** Ranges of integers, each up to the key of the last entry of a slice. */
  function* timeSlices(key: 'created' | 'modified', selection: Selection, descending: boolean) {
    const { key: column, from: source } = orders[key]
    const way = descending ? 'DESC' : 'ASC'
    const sql = `SELECT ${column} FROM ${source} WHERE ${column} BETWEEN @from AND @to
      ORDER BY ${column} ${way} LIMIT 1 OFFSET +@entries`
    let { fromUs = -1e18, toUs = 1e18 } = selection[key] ?? {}
    for (const entries of growing(sizes)) {
      const last = statements.value(sql, { from: fromUs, to: toUs, entries }) as number | undefined
      const end = last ?? (descending ? fromUs : toUs)
      yield {
        ...selection,
        [key]: descending ? { fromUs: end, toUs } : { fromUs, toUs: end },
      }
      if (last === undefined) return
      if (descending) toUs = end - 1
      else fromUs = end + 1
    }
  }

  /** One slice per site, by its names; several for a site with many files. */
  function* nameSlices(selection: Selection, descending: boolean): Generator<Selection> {
    const way = descending ? 'DESC' : 'ASC'
    const { key: column, from: source } = orders.filename
    const parts = nameParts(selection)
    for (const { files, ...part } of descending ? parts.toReversed() : parts) {
      let range = part.nameRange
      for (let isLast = files <= sizes.most; ; isLast = false) {
        const { sql: inRange, values } = conditionsOf({ nameRange: range })
        const sql = `SELECT f.name FROM ${source} WHERE ${inRange}
          ORDER BY ${column} ${way} LIMIT 1 OFFSET ${sizes.most}`
        const last = isLast ? undefined : (statements.value(sql, values) as string | undefined)
        if (last === undefined) {
          yield { ...part, nameRange: range }
          break
        }
        yield { ...part, nameRange: { ...range, ...(descending ? { after: last } : { to: last }) } }
        if (descending) range = { ...range, to: last }
        else {
          const { before, to = afterAll } = range
          range = { after: last, to, ...(before !== undefined && { before }) }
        }
      }
    }
  }

  /** Ranges of names in ascending order that contain the selection. */
  const nameParts = (selection: Selection): NamePart[] => {
    const { stations, names, nameRange } = selection
    const narrow = names?.find(({ how }) => how !== 'contains')
    if (narrow !== undefined)
      return [
        { ...selection, nameRange: cut(beginningWith(narrow.text), nameRange), files: Infinity },
      ]
    const sites = new Map<string, { files: number; isWhole: boolean }>()
    const wanted = stations && new Set(stations)
    for (const [station, count] of counts.byStation(undefined, undefined)) {
      const site = siteOf(lookups.stations.get(station) ?? '')
      const isWanted = wanted?.has(station) ?? true
      const { files = 0, isWhole = true } = sites.get(site) ?? {}
      sites.set(site, { files: files + count, isWhole: isWhole && isWanted })
    }
    const isAny = new Set(stations?.map((id) => siteOf(lookups.stations.get(id) ?? '')))
    const others: Selection = { ...selection }
    delete (others as { stations?: unknown }).stations
    return [...sites]
      .filter(([site]) => stations === undefined || isAny.has(site))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([site, { files, isWhole }]) => ({
        // If the selection has all stations of a site, the names are sufficient.
        ...(isWhole ? others : selection),
        nameRange: cut(beginningWith(site), nameRange),
        files,
      }))
      .filter(({ nameRange: { from = '', to = afterAll } }) => from <= to)
  }

  return {
    along(key, selection, descending) {
      switch (key) {
        case 'id':
          return idSlices(selection, descending)
        case 'data_date':
          return dateSlices(selection, descending)
        case 'created':
        case 'modified':
          return timeSlices(key, selection, descending)
        case 'filename':
          return nameSlices(selection, descending)
      }
    },
    byStation(selection) {
      const { dates } = selection
      const ranges =
        dates === undefined || dates.length > mostRanges ? [dates] : dates.map((range) => [range])
      const slices: Selection[] = []
      const add = (stations: readonly number[]): void => {
        for (const range of ranges)
          slices.push({ ...selection, stations, ...(range && { dates: range }) })
      }
      let [stations, files]: [number[], number] = [[], 0]
      for (const [station, count] of counts.byStation(selection.stations, undefined)) {
        stations.push(station)
        if ((files += count) < 4 * sizes.most) continue
        add(stations)
        ;[stations, files] = [[], 0]
      }
      if (stations.length > 0) add(stations)
      return slices
    },
  }
}

/** The first four characters of a station code; the names of its files begin with them, in any case. */
export function siteOf(code: string): string {
  return code.slice(0, 4).toLowerCase()
}

type NamePart = Selection & { readonly nameRange: NameRange; readonly files: number }

function beginningWith(text: string): NameRange {
  return { from: text, to: text + afterAll }
}

/** Both are in lower case. */
function cut(range: NameRange, other: NameRange = {}): NameRange {
  const [from, otherFrom] = [range.from ?? '', other.from ?? '']
  const [to, otherTo] = [range.to ?? afterAll, other.to ?? afterAll]
  return { ...other, from: from > otherFrom ? from : otherFrom, to: to < otherTo ? to : otherTo }
}
