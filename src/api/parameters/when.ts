/** The time of data as people write it: days, months, years, GPS weeks, ranges, moments. Pure. */
import type { TimeRange } from '../../catalogue/filter.ts'
import type { Days } from '../../parse/calendar.ts'
import { gpsWeek, parseDays, parseTimeUs, secondsPerDay } from '../../parse/calendar.ts'
import { months } from '../../runtime/readable.ts'
import type { JsonSchema } from '../openapi/openapi.ts'
import { dateWords } from '../pages/date-words.ts'
import type { InvalidValue, Parameter } from './parameter.ts'
import { endsBeforeItBegins } from './parameter.ts'

/** What a time means, and its words. */
interface When {
  readonly range: TimeRange
  readonly words: string
}

export const whenSchema: JsonSchema = { type: 'string' }

export const whenFault = 'Enter a day, a month, a year, a range, a GPS week or a time.'

export const whenField = {
  label: 'When',
  hint: '2026-022, March 2026, week 2402',
} as const

export const usPerSecond = 1e6
export const usPerDay = secondsPerDay * usPerSecond

/** Four digits that are no year of data are a week. */
const weekPattern = /^(?:gps[ -]?)?(?:week|w)[ -]?(\d{1,4})$|^(\d{4})$/i
/** Between the ends of a range. */
const between = /^(.+?)(?:\/| to | - | ?– ?)(.+)$/i

/** Years of four digits that names of two digits and their archives have. */
export function isYearOfData(year: number): boolean {
  return year >= 1980 && year < 2080
}

/** @returns `undefined` for a text that is no time */
export function readWhen(text: string): When | InvalidValue | undefined {
  const { 1: named, 2: bare } = weekPattern.exec(text) ?? []
  if (named !== undefined || (bare !== undefined && !isYearOfData(Number(bare)))) {
    const { number, fromDay, toDay } = gpsWeek(Number(named ?? bare))
    return {
      range: startsOn({ from: fromDay, to: toDay }),
      words: `GPS week ${number}`,
    }
  }
  const one = spanOf(text)
  if (one !== undefined) return { range: one, words: dateWords(isoForm(text)) }
  const [, first = '', last = ''] = between.exec(text) ?? []
  const [from, to] = [endOf(first), endOf(last)]
  if (from === undefined || to === undefined) return undefined
  const range = {
    ...(from !== 'open' && { fromUs: from.fromUs }),
    ...(to !== 'open' && { toUs: to.toUs }),
  }
  if ((range.fromUs ?? -Infinity) > (range.toUs ?? Infinity)) return { fault: endsBeforeItBegins }
  return { range, words: [first, last].map((end) => dateWords(isoForm(end.trim()))).join(' to ') }
}

/** The time of some days up to their last second, because data start on whole seconds. */
export function startsOn({ from, to }: Days): Required<TimeRange> {
  return { fromUs: from * usPerDay, toUs: (to + 1) * usPerDay - usPerSecond }
}

function endOf(text: string): Required<TimeRange> | 'open' | undefined {
  return text.trim() === '..' ? 'open' : spanOf(text.trim())
}

function spanOf(text: string): Required<TimeRange> | undefined {
  return parseSpan(isoForm(text))
}

/**
 * A date-time is one moment. A bare date, a month or a year is all of it, up to its last second.
 */
export function parseSpan(text: string): Required<TimeRange> | undefined {
  const days = parseDays(text)
  if (days !== undefined) return startsOn(days)
  const us = parseTimeUs(text)
  return us === undefined ? undefined : { fromUs: us, toUs: us }
}

/** `22 Jan 2026 (022)` and `March 2026` as pages write them, and `2026/022`, with hyphens. */
function isoForm(text: string): string {
  const [, day, name = '', year, clock = ''] =
    /^(?:(\d\d?) )?([a-z]{3,9}) (\d{4})(?: \(\d{3}\))?( \d\d:\d\d(?::\d\d)?)?$/i.exec(text) ?? []
  const month = months.findIndex((each) => each.toLowerCase().startsWith(name.toLowerCase()))
  if (year !== undefined && month !== -1)
    return [year, String(month + 1).padStart(2, '0'), ...(day ? [day.padStart(2, '0')] : [])]
      .join('-')
      .concat(clock)
  return /^\d{4}[/ ][\d/ ]+$/.test(text) && !/[/ ]\d{4}/.test(text)
    ? text.replaceAll(/[/ ]/g, '-')
    : text
}

/** The days of a time, each end open without one. */
export interface WhenDays {
  readonly from: number | undefined
  readonly to: number | undefined
}

/** The same for what has days: a moment means its day. `undefined` without the parameter. */
export function whenDays(meaning: string): Parameter<WhenDays | undefined> {
  return {
    schema: { ...whenSchema, description: meaning, examples: ['2026-01'] },
    takes: 'last',
    field: whenField,
    textOf: whenWords,
    read: ([text]) => {
      if (text === undefined) return { value: undefined }
      const read = readWhen(text)
      if (read === undefined) return { fault: whenFault }
      if ('fault' in read) return read
      const dayOf = (us: number | undefined) =>
        us === undefined ? undefined : Math.floor(us / 1e6 / secondsPerDay)
      return { value: { from: dayOf(read.range.fromUs), to: dayOf(read.range.toUs) } }
    },
  }
}

export function whenWords(text: string): string {
  const read = readWhen(text)
  return read !== undefined && 'words' in read ? read.words : text
}
