/** How values of the list's parameters are read, and what they look like. Pure. */
import type { FileFilter, TimeRange } from '../../catalogue/filter.ts'
import { dayStartSeconds, daysInYear, secondsPerDay } from '../../parse/calendar.ts'
import { parseDay, parseTimeUs } from './times.ts'

type JsonSchema = Readonly<Record<string, unknown>>

/** What is wrong with a value, in words for the client. */
export interface Fault {
  readonly fault: string
}

/** How the values of a parameter are read, each by itself. */
export interface Values {
  readonly read: (value: string) => FileFilter | Fault
  /** Lists, and values of a repeated parameter, mean any of them; otherwise all must hold. */
  readonly isChoice: boolean
  /** What one value looks like, as JSON schema has it. */
  readonly schema: JsonSchema
}

export function isFault(result: FileFilter | Fault): result is Fault {
  return 'fault' in result
}

type Read = Values['read']

const choice = (schema: JsonSchema, read: Read): Values => ({ read, isChoice: true, schema })
const condition = (schema: JsonSchema, read: Read): Values => ({ read, isChoice: false, schema })

/** A day as it is best written; times as people type them are understood besides. */
const dateOrTime: JsonSchema = {
  anyOf: [
    { type: 'string', format: 'date' },
    { type: 'string', format: 'date-time' },
  ],
}

/** One of a few words, as they are written here. */
export function oneOfWords<T extends string>(words: readonly T[], add: (word: T) => FileFilter) {
  return choice({ type: 'string', enum: words }, (text) => {
    const word = words.find((each) => each === text)
    return word === undefined ? notAChoice(text) : add(word)
  })
}

/**
 * One of a few words in any case, each standing for a value of the filter.
 * @param words `undefined` stands for no condition at all
 */
export function oneOfAnyCase<T>(
  words: Readonly<Record<string, T | undefined>>,
  add: (value: T) => FileFilter,
): Values {
  const values = new Map(Object.entries(words).map(([word, value]) => [word.toLowerCase(), value]))
  return choice({ type: 'string', enum: Object.keys(words) }, (text) => {
    if (!values.has(text.toLowerCase())) return notAChoice(text)
    const value = values.get(text.toLowerCase())
    return value === undefined ? {} : add(value)
  })
}

function notAChoice(text: string): Fault {
  return { fault: `Select a valid choice. ${text} is not one of the available choices.` }
}

/** A code that must look like this, in any case. @param pattern without flags, which a schema cannot have */
export function code(pattern: RegExp, fault: string, add: (code: string) => FileFilter): Values {
  return choice({ type: 'string', pattern: pattern.source }, (value) =>
    pattern.test(value) ? add(value.toUpperCase()) : { fault },
  )
}

export function day(
  schema: JsonSchema,
  parse: (text: string) => number | undefined,
  fault: string,
): Values {
  return choice({ type: 'string', ...schema }, (value) => {
    const found = parse(value)
    return found === undefined ? { fault } : { days: [found] }
  })
}

/** Years that follow each other need not be: each is a list of its days. */
export function year(): Values {
  return choice({ type: 'string', pattern: String.raw`^\d{4}$` }, (value) => {
    if (!/^\d{4}$/.test(value)) return { fault: 'Enter a year such as 2026.' }
    const first = dayStartSeconds(Number(value), 1) / secondsPerDay
    return { days: Array.from({ length: daysInYear(Number(value)) }, (_, day) => first + day) }
  })
}

export function time(add: (us: number) => FileFilter): Values {
  return condition(dateOrTime, (value) => {
    const us = parseTimeUs(value)
    return us === undefined ? { fault: 'Enter a valid date/time.' } : add(us)
  })
}

export function whole(add: (value: number) => FileFilter): Values {
  return condition({ type: 'integer' }, (value) => {
    if (!/^[+-]?\d+$/.test(value)) return { fault: 'Enter a whole number.' }
    const end = Number.MAX_SAFE_INTEGER
    return add(Math.min(end, Math.max(-end, Number(value))))
  })
}

export function name(how: 'is' | 'starts' | 'contains'): Values {
  // ASCII only, as names are: other letters have small forms that are ASCII.
  const lower = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
  return condition({ type: 'string' }, (value) => ({ names: [{ how, text: lower(value) }] }))
}

const rangePattern = String.raw`^[^/]+/[^/]+$`

/** Two times with a slash between them. */
export function range(add: (range: TimeRange) => FileFilter): Values {
  return condition({ type: 'string', pattern: rangePattern }, (value) => {
    const [from, to, ...more] = value.split('/')
    const read = (end: string | undefined): number | 'open' | undefined =>
      end === '..' ? 'open' : parseTimeUs(end ?? '')
    const [fromUs, toUs] = [read(from), read(to)]
    if (fromUs === undefined || toUs === undefined || more.length > 0)
      return { fault: 'Enter two dates or times with a slash between them; either may be "..".' }
    if (fromUs !== 'open' && toUs !== 'open' && fromUs > toUs)
      return { fault: 'Enter a range that does not end before it begins.' }
    return add({
      ...(fromUs === 'open' ? {} : { fromUs }),
      ...(toUs === 'open' ? {} : { toUs }),
    })
  })
}

/**
 * A date-time is that moment, a bare date its whole day up to the last second, since data start on whole seconds.
 * @param add gets the first and the last microsecond that the value stands for
 */
export function dayOrTime(add: (span: Required<TimeRange>) => FileFilter): Values {
  return condition(dateOrTime, (value) => {
    const fromUs = parseTimeUs(value)
    if (fromUs === undefined) return { fault: 'Enter a valid date/time.' }
    const isDay = parseDay(value) !== undefined
    return add({ fromUs, toUs: isDay ? fromUs + usPerDay - usPerSecond : fromUs })
  })
}

export const usPerSecond = 1e6
export const usPerDay = secondsPerDay * usPerSecond
