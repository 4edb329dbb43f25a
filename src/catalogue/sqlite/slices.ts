/**
 * Cuts a selection into slices along an index, so that a long query consists of many short ones, and its deadline is checked
 * between them. To be used within a read transaction.
 */
import { secondsPerDay } from '../../parse/calendar.ts'
import type { OrderKey } from '../filter.ts'
import type { Statements } from './connection.ts'
import type { Counts } from './counts.ts'
import { intersect } from './date-ranges.ts'
import { conditionsOf, orders } from './filter-sql.ts'
import type { Lookups } from './lookup-cache.ts'
import { afterAll, hasOnly } from './selection.ts'
import type { NameRange, Selection } from './selection.ts'

/** A part of a selection. */
export interface Slice {
  readonly selection: Selection
  /** Counts the files of the slice with less work than reading the index of the order. */
  readonly count?: () => number
}

/**
 * Numbers of index entries in a slice. Entries with equal keys are always in one slice. The slices by id and by time begin with
 * `first` entries and grow to `most`. The slices by date have whole days and end when they have `most` files, those by station
 * end at four times `most`. A slice by name has all names of a site (see `siteOf`).
 */
export interface SliceSizes {
  readonly first: number
  readonly most: number
  /**
   * A slice by id has this number of ids for each entry, because reading rows in id order takes less time than looking up a row
   * for each index entry.
   */
  readonly idsPerEntry: number
}

const defaultSizes: SliceSizes = { first: 1024, most: 16_384, idsPerEntry: 4 }

function* growing({ first, most }: SliceSizes): Generator<number, never> {
  for (let entries = first; ; entries = Math.min(entries * 4, most)) yield entries
}

/** Consecutive days, and the number of their files. */
interface Days {
  readonly first: number
  readonly last: number
  readonly files: number
}

export interface Slices {
  /** Cuts the whole selection into slices, in the order of a key. */
  along(key: OrderKey, selection: Selection, descending: boolean): Iterable<Slice>
  /** Cuts the whole selection into slices by station, for the index `file_station`. */
  byStation(selection: Selection): Iterable<Slice>
}

export function openSlices(
  statements: Statements,
  { counts, lookups }: { readonly counts: Counts; readonly lookups: Lookups },
  sizes = defaultSizes,
): Slices {
  /** Slices by date: each is one range of consecutive days in the index. */
  function* dateSlices(selection: Selection, descending: boolean): Generator<Slice> {
    const { dates, kinds } = selection
    const isCounted = hasOnly(selection, ['dates', 'kinds'])
    let run: Days | undefined
    const sliceOf = ({ first, last, files }: Days): Slice => {
      const [from, to] = [Math.min(first, last), Math.max(first, last)]
      const range = { from: from * secondsPerDay, to: (to + 1) * secondsPerDay - 1 }
      const cut = dates === undefined ? [range] : intersect(dates, [range])
      // The dates of the selection may contain only a part of a day; then its files must be counted again.
      const count = dates === undefined ? () => files : () => counts.ofDates(cut, kinds)
      return { selection: { ...selection, dates: cut }, ...(isCounted && { count }) }
    }
    for (const { day, files } of counts.byDay(dates, isCounted ? kinds : undefined, descending)) {
      const isNext = run !== undefined && Math.abs(day - run.last) === 1
      if (run !== undefined && (!isNext || run.files >= sizes.most)) {
        yield sliceOf(run)
        run = undefined
      }
      run = { first: run?.first ?? day, last: day, files: (run?.files ?? 0) + files }
    }
    if (run !== undefined) yield sliceOf(run)
  }

  function* idSlices(selection: Selection, descending: boolean): Generator<Slice> {
    const windows = counts.idWindows(selection.ids ?? { from: -Infinity, to: Infinity })
    const size = growing(sizes)
    for (const { from, to } of descending ? windows : windows.toReversed())
      for (let next = descending ? to : from; descending ? next >= from : next <= to;) {
        const length = sizes.idsPerEntry * size.next().value
        const end = descending ? Math.max(from, next - length + 1) : Math.min(to, next + length - 1)
        const ids = descending ? { from: end, to: next } : { from: next, to: end }
        yield { selection: { ...selection, ids } }
        next = descending ? end - 1 : end + 1
      }
  }

  /** Slices by time: each ends at the time of its last index entry. */
  function* timeSlices(
    key: 'created' | 'modified',
    selection: Selection,
    descending: boolean,
  ): Generator<Slice> {
    const { key: column, from: source } = orders[key]
    const way = descending ? 'DESC' : 'ASC'
    const sql = `SELECT ${column} FROM ${source} WHERE ${column} BETWEEN @from AND @to
      ORDER BY ${column} ${way} LIMIT 1 OFFSET +@entries`
    let { fromUs = -1e18, toUs = 1e18 } = selection[key] ?? {}
    for (const entries of growing(sizes)) {
      const last = statements.value(sql, { from: fromUs, to: toUs, entries }) as number | undefined
      const end = last ?? (descending ? fromUs : toUs)
      const range = descending ? { fromUs: end, toUs } : { fromUs, toUs: end }
      yield { selection: { ...selection, [key]: range } }
      if (last === undefined) return
      if (descending) toUs = end - 1
      else fromUs = end + 1
    }
  }

  /** Slices by name: one for each site. The names of its files begin with the same four characters. */
  function* nameSlices(selection: Selection, descending: boolean): Generator<Slice> {
    const { names, nameRange } = selection
    const begin = names?.find(({ how }) => how !== 'contains')?.text ?? ''
    const whole = cut(beginningWith(begin), nameRange)
    const isByStation = hasOnly(selection, ['stations', 'kinds', 'dates'])
    const sites = new Map<string, number[]>()
    for (const station of counts.byStation(selection.stations, undefined).keys()) {
      const site = siteOf(lookups.stations.get(station) ?? '')
      sites.set(site, [...(sites.get(site) ?? []), station])
    }
    const sorted = [...sites].sort(([a], [b]) => (a < b ? -1 : 1))
    for (const [site, stations] of descending ? sorted.toReversed() : sorted) {
      const range = cut(beginningWith(site), whole)
      if (range.from <= range.to)
        yield {
          selection: { ...selection, nameRange: range },
          ...(isByStation && { count: () => countOfStations({ ...selection, stations }) }),
        }
    }
  }

  /** Counts the files of stations: by the tables of counts, or with dates by an index that contains station, date and kind. */
  const countOfStations = (selection: Selection & { readonly stations: number[] }): number => {
    if (selection.dates === undefined) return counts.ofStations(selection.stations, selection.kinds)
    const { sql, values } = conditionsOf(selection)
    const from = 'file f INDEXED BY file_station'
    return statements.value(`SELECT count(*) FROM ${from} WHERE ${sql}`, values) as number
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
    *byStation(selection) {
      let [stations, files]: [number[], number] = [[], 0]
      for (const [station, count] of counts.byStation(selection.stations, undefined)) {
        stations.push(station)
        if ((files += count) < 4 * sizes.most) continue
        yield { selection: { ...selection, stations } }
        ;[stations, files] = [[], 0]
      }
      if (stations.length > 0) yield { selection: { ...selection, stations } }
    },
  }
}

/** The first four characters of a station code, in lower case. The names of its files begin with them, in upper or lower case. */
function siteOf(code: string): string {
  return code.slice(0, 4).toLowerCase()
}

/** The range of the names that begin with a text in lower case. */
function beginningWith(text: string): NameRange {
  return { from: text, to: text + afterAll }
}

/** The intersection of two ranges. */
function cut(a: NameRange, b: NameRange = a): NameRange {
  return { from: a.from > b.from ? a.from : b.from, to: a.to < b.to ? a.to : b.to }
}
