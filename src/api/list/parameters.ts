/**
 * What each parameter of the list may hold, and what it adds to the filter. The names are those of the records' fields
 * with Django's lookups, some words of the field, and names that two national archives share.
 */
import type { FileFilter, TimeRange } from '../../catalogue/filter.ts'
import { areas } from '../../parse/archive-path.ts'
import { secondsPerDay } from '../../parse/calendar.ts'
import { parseDay, parseDayOfYear, parseTimeUs } from './times.ts'

/** What is wrong with a value, in words for the client. */
export interface Fault {
  readonly fault: string
}

/** Reads one value of a parameter, as often as it is given. */
export interface Parameter {
  readonly read: (value: string) => FileFilter | Fault
  /** Lists, and values of a repeated parameter, mean any of them; otherwise all must hold. */
  readonly isChoice: boolean
}

export function isFault(result: FileFilter | Fault): result is Fault {
  return 'fault' in result
}

const usPerSecond = 1e6
const usPerDay = secondsPerDay * usPerSecond

const choice = (read: Parameter['read']): Parameter => ({ read, isChoice: true })
const condition = (read: Parameter['read']): Parameter => ({ read, isChoice: false })

/** One of a few words, each standing for a value of the filter. */
function oneOf<T>(words: Readonly<Record<string, T>>, add: (value: T) => FileFilter): Parameter {
  return choice((word) => {
    const value = Object.hasOwn(words, word) ? words[word] : undefined
    if (value !== undefined) return add(value)
    return { fault: `Select a valid choice. ${word} is not one of the available choices.` }
  })
}

function oneOfWords<T extends string>(words: readonly T[], add: (value: T) => FileFilter) {
  const themselves = Object.fromEntries(words.map((word) => [word, word])) as Record<string, T>
  return oneOf(themselves, add)
}

/** A code that must look like this, in any case. */
function code(pattern: RegExp, fault: string, add: (code: string) => FileFilter): Parameter {
  return choice((value) => (pattern.test(value) ? add(value.toUpperCase()) : { fault }))
}

function day(parse: (text: string) => number | undefined, fault: string): Parameter {
  return choice((value) => {
    const found = parse(value)
    return found === undefined ? { fault } : { days: [found] }
  })
}

function time(add: (us: number) => FileFilter): Parameter {
  return condition((value) => {
    const us = parseTimeUs(value)
    return us === undefined ? { fault: 'Enter a valid date/time.' } : add(us)
  })
}

/**
 * The five parameters of a time: itself and Django's four lookups.
 * @param stepUs what times of this kind are multiples of. Of dates of data it is a second: names may tell of years in
 * which a double no longer counts every microsecond.
 */
function times(
  name: string,
  stepUs: number,
  add: (range: TimeRange) => FileFilter,
): Record<string, Parameter> {
  return {
    [name]: time((us) => add({ fromUs: us, toUs: us })),
    [`${name}__gt`]: time((us) => add({ fromUs: (Math.floor(us / stepUs) + 1) * stepUs })),
    [`${name}__gte`]: time((us) => add({ fromUs: us })),
    [`${name}__lt`]: time((us) => add({ toUs: (Math.ceil(us / stepUs) - 1) * stepUs })),
    [`${name}__lte`]: time((us) => add({ toUs: us })),
  }
}

function whole(add: (value: number) => FileFilter): Parameter {
  return condition((value) => {
    if (!/^[+-]?\d+$/.test(value)) return { fault: 'Enter a whole number.' }
    const end = Number.MAX_SAFE_INTEGER
    return add(Math.min(end, Math.max(-end, Number(value))))
  })
}

function name(how: 'is' | 'starts' | 'contains'): Parameter {
  // ASCII only, as names are: other letters have small forms that are ASCII.
  const lower = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
  return condition((value) => ({ names: [{ how, text: lower(value) }] }))
}

const station = code(
  /^[A-Z0-9]{4}(?:[A-Z0-9]{5})?$/i,
  'Enter station codes of 4 or 9 characters.',
  (value) => ({ stations: [value] }),
)

const overlaps = condition((value) => {
  const [from, to, ...more] = value.split('/')
  const read = (end: string | undefined): number | 'open' | undefined =>
    end === '..' ? 'open' : parseTimeUs(end ?? '')
  const [fromUs, toUs] = [read(from), read(to)]
  if (fromUs === undefined || toUs === undefined || more.length > 0)
    return { fault: 'Enter two dates or times with a slash between them; either may be "..".' }
  if (fromUs !== 'open' && toUs !== 'open' && fromUs > toUs)
    return { fault: 'Enter a range that does not end before it begins.' }
  const range: TimeRange = {
    ...(fromUs === 'open' ? {} : { fromUs }),
    ...(toUs === 'open' ? {} : { toUs }),
  }
  return { overlaps: range }
})

/** A whole day is meant, also by a time on it. */
function dayOfTime(add: (day: number) => FileFilter): Parameter {
  return condition((value) => {
    const us = parseTimeUs(value)
    return us === undefined ? { fault: 'Enter a valid date.' } : add(Math.floor(us / usPerDay))
  })
}

export const filterParameters: ReadonlyMap<string, Parameter> = new Map(
  Object.entries({
    filename: name('is'),
    filename__startswith: name('starts'),
    filename__contains: name('contains'),
    ...times('data_date', usPerSecond, (dataDate) => ({ dataDate })),
    ...times('created', 1, (created) => ({ created })),
    ...times('modified', 1, (modified) => ({ modified })),
    id__gt: whole((idAbove) => ({ idAbove })),
    id__lt: whole((idBelow) => ({ idBelow })),
    file_duration: oneOfWords(['m', 'h', 'd', 'y', 'u'], (value) => ({
      durations: [value],
    })),
    file_version: oneOfWords(['r2', 'r3'], (value) => ({ versions: [value] })),
    file_type: oneOfWords(['o', 'n', 'm'], (value) => ({ types: [value] })),
    station,
    area: oneOfWords(areas, (value) => ({ areas: [value] })),
    country: code(/^[A-Z]{3}$/i, 'Enter country codes of 3 letters.', (value) => ({
      countries: [value],
    })),
    date: day(parseDay, 'Enter a valid date.'),
    doy: day(parseDayOfYear, 'Enter a year and a day of it, such as 2026-022.'),
    interval: code(/^\d\d[A-Z]$/i, 'Enter intervals such as 30S.', (value) => ({
      intervals: [value],
    })),
    content: code(/^[A-Z]{2}$/i, 'Enter contents such as MO.', (value) => ({ contents: [value] })),
    source: oneOfWords(['R', 'S', 'U'], (value) => ({ sources: [value] })),
    overlaps,
    stationId: station,
    startDate: dayOfTime((first) => ({ overlaps: { fromUs: first * usPerDay } })),
    endDate: dayOfTime((last) => ({ overlaps: { toUs: (last + 1) * usPerDay - usPerSecond } })),
    rinexVersion: oneOf({ '2': 'r2', '3': 'r3' } as const, (value) => ({ versions: [value] })),
    filePeriod: oneOf({ '01D': 'd', '01H': 'h' } as const, (value) => ({ durations: [value] })),
    fileType: oneOf({ obs: 'o', nav: 'n', met: 'm' } as const, (value) => ({ types: [value] })),
  }),
)
