/** A filter of files in words, for headlines: `GRAZ, observation, January 2026`. Pure. */
import type { FileFilter, NameCondition, TimeRange } from '../../catalogue/filter.ts'
import { dayStartSeconds, secondsPerDay, secondsToIso } from '../../parse/calendar.ts'
import { countryName } from '../../parse/countries.ts'
import type { FileSizes } from '../../catalogue/sums.ts'
import type { FileDuration } from '../../parse/types.ts'
import { dayWords, spanWords } from '../pages/date-words.ts'
import { counted, readableSize, shortened, typeLabel } from '../pages/labels.ts'
import { usPerDay, usPerSecond } from '../parameters/filter-values.ts'

/** At most this many values of a list are named; the others are counted. */
const mostNamed = 3

/** What a headline says about a list. */
interface Listed {
  readonly filter: FileFilter
  readonly count: number
  /** `undefined` if it was not counted. */
  readonly sizes: FileSizes | undefined
}

/** `GRAZ, observation, January 2026: 31 files, 12.3 MB`; `All 222,108 files, 34 GB`. */
export function headline({ filter, count, sizes }: Listed): string {
  const words = filterWords(filter)
  const files = counted(count, 'file', 'files')
  const size = sizeWords(count, sizes)
  const total = size === '' ? files : `${files}, ${size}`
  if (words.length > 0) return `${words.join(', ')}: ${total}`
  return count === 0 ? 'No files' : `All ${total}`
}

/** `12.3 MB`, or `at least 12.3 MB` if some sizes are not known; empty if none is. */
export function sizeWords(count: number, sizes: FileSizes | undefined): string {
  if (sizes === undefined || sizes.sized === 0) return ''
  return `${sizes.sized < count ? 'at least ' : ''}${readableSize(sizes.bytes)}`
}

/** The conditions of a filter, each in few words; none for all files. */
export function filterWords(filter: FileFilter): readonly string[] {
  const { stations, countries, types, durations, versions, areas } = filter
  const { intervals, contents, sources, problems, years, days } = filter
  return [
    anyOf(stations, (code) => code, 'stations'),
    anyOf(countries, countryName, 'countries'),
    anyOf(types, typeLabel, 'types'),
    anyOf(durations, (value) => durationWords[value], 'periods'),
    anyOf(versions, (value) => (value === 'r2' ? 'short names' : 'long names'), 'forms'),
    anyOf(areas, (area) => area, 'areas'),
    anyOf(intervals, (interval) => interval, 'intervals'),
    anyOf(contents, (content) => content, 'contents'),
    anyOf(sources, (source) => sourceWords[source] ?? source, 'sources'),
    anyOf(problems, (problem) => problem, 'problems'),
    ...(filter.names ?? []).map(nameWords),
    anyOf(years && runs(years), ([first, last]) => yearsWords(first, last), 'years'),
    anyOf(days && runs(days), ([first, last]) => spanWords(first, last), 'days'),
    ...rangeWords(filter.overlaps, ''),
    ...rangeWords(filter.dataDate, 'data '),
    ...rangeWords(filter.created, 'arrived '),
    ...rangeWords(filter.modified, 'modified '),
    filter.idAbove === undefined ? '' : `records above ${filter.idAbove}`,
    filter.idBelow === undefined ? '' : `records below ${filter.idBelow}`,
  ].filter((words) => words !== '')
}

const durationWords: Readonly<Record<FileDuration, string>> = {
  m: 'minute files',
  h: 'hour files',
  d: 'day files',
  y: 'year files',
  u: 'files of unspecified periods',
}

const sourceWords: Readonly<Record<string, string>> = {
  R: 'from receivers',
  S: 'from streams',
  U: 'from unknown sources',
}

/** `a`, `a or b`, `a, b, c and 5 more stations`; `no stations` for an empty list. */
function anyOf<T>(
  list: readonly T[] | undefined,
  wordOf: (value: T) => string,
  noun: string,
): string {
  if (list === undefined) return ''
  if (list.length === 0) return `no ${noun}`
  const words = list.slice(0, mostNamed).map(wordOf)
  const more = list.length - words.length
  if (more > 0) return `${words.join(', ')} and ${more} more ${noun}`
  return [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(' or ')
}

const howWords = { is: 'named', starts: 'name begins with', contains: 'name contains' } as const

function nameWords({ how, text }: NameCondition): string {
  return `${howWords[how]} “${shortened(text)}”`
}

/** @param last included */
function yearsWords(first: number, last: number): string {
  const startOf = (year: number) => dayStartSeconds(year, 1) / secondsPerDay
  return spanWords(startOf(first), startOf(last + 1) - 1)
}

/** Consecutive numbers as one run: its first and its last number. */
function runs(numbers: readonly number[]): readonly (readonly [number, number])[] {
  const found: [number, number][] = []
  for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
    const last = found.at(-1)
    if (last?.[1] === number - 1) last[1] = number
    else found.push([number, number])
  }
  return found
}

/** `January 2026`, `from 22 January 2026`, `until 3 March 2026 05:13`; none for any time. */
function rangeWords(range: TimeRange | undefined, prefix: string): readonly string[] {
  const { fromUs, toUs } = range ?? {}
  if (fromUs === undefined && toUs === undefined) return []
  const firstDay = fromUs !== undefined && fromUs % usPerDay === 0 ? fromUs / usPerDay : undefined
  const lastDay = toUs === undefined ? undefined : lastDayOf(toUs)
  if (firstDay !== undefined && lastDay !== undefined && firstDay <= lastDay)
    return [`${prefix}${spanWords(firstDay, lastDay)}`]
  if (fromUs === toUs && fromUs !== undefined) return [`${prefix}at ${timeWords(fromUs)}`]
  const from = fromUs === undefined ? '' : `from ${timeWords(fromUs)}`
  const end = lastDay === undefined ? toUs && timeWords(toUs) : dayWords(lastDay)
  const to = toUs === undefined ? '' : `until ${end ?? ''}`
  return [`${prefix}${[from, to].filter((words) => words !== '').join(' ')}`]
}

/** The day that ends after this second, or after this microsecond. */
function lastDayOf(us: number): number | undefined {
  const end = [us + 1, us + usPerSecond].find((next) => next % usPerDay === 0)
  return end === undefined ? undefined : end / usPerDay - 1
}

/** `22 January 2026`, `22 January 2026 05:13`, with seconds if they are not 0. */
function timeWords(us: number): string {
  const time = secondsToIso(Math.floor(us / usPerSecond)).split('T')[1] ?? ''
  const clock = time.slice(0, time.endsWith(':00Z') ? 5 : 8)
  const day = dayWords(Math.floor(us / usPerDay))
  return clock === '00:00' ? day : `${day} ${clock}`
}
