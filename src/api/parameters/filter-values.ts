/** The types of the filter parameters: parsing and JSON schemas. Pure. */
import type { FileFilter, HeaderKey, TimeRange } from '../../catalogue/filter.ts'
import { inLowerCase } from '../../catalogue/filter.ts'
import type { parseDays } from '../../parse/calendar.ts'
import type { JsonSchema } from '../openapi/openapi.ts'
import { dateWords } from '../pages/date-words.ts'
import { boxParameter } from './bbox.ts'
import { union } from './joined-filters.ts'
import type { InvalidValue, Meaning, Parameter } from './parameter.ts'
import { endsBeforeItBegins, invalidChoice } from './parameter.ts'
import { parseSpan, readWhen, whenFault, whenSchema, whenWords } from './when.ts'
import type { Words } from './words.ts'
import { readerOf, themselves } from './words.ts'

/** A parameter that is a filter of files; a file must match all filters of a request. */
export interface FilterParameter extends Parameter<readonly FileFilter[]> {
  readonly example: string
  /** Set if it is an end of a range; the other end is another parameter. */
  readonly bound?: Bound
}

/** An end of a range that two parameters have together, such as `id__gt` and `id__lte`. */
export interface Bound {
  /** The range, for example `id`. */
  readonly of: string
  readonly end: 'from' | 'to'
  /** The number of a valid value. */
  readonly numberOf: (value: string) => number | undefined
}

/** A list of a filter: a file must match one of its values. */
type ListKey = {
  [Key in keyof FileFilter]-?: NonNullable<FileFilter[Key]> extends readonly (string | number)[]
    ? Key
    : never
}[keyof FileFilter]
type ListValue<Key extends ListKey> = NonNullable<FileFilter[Key]>[number]

/** Parses one value into a filter, or a fault for a value that is not valid. */
type Parse = (value: string) => FileFilter | InvalidValue

/** What a filter means, with a valid value. */
export type Described = Required<Pick<Meaning, 'meaning' | 'example'>> &
  Pick<Meaning, 'field' | 'textOf'>
/** The same, with the message for a value that is not valid. */
type WithFault = Described & { readonly fault: string }

/** A file must match any one of the values of a choice, and all values of other filters. */
function filterOf(
  takes: 'words' | 'values',
  schema: JsonSchema,
  { meaning: description, example, parse, ...shown }: Described & { readonly parse: Parse },
  isChoice = takes === 'words',
): FilterParameter {
  const isNumber = schema['type'] === 'integer' || schema['type'] === 'number'
  const value = isNumber ? Number(example) : example
  return {
    schema:
      takes === 'words'
        ? { type: 'array', description, items: schema, examples: [[example]] }
        : { ...schema, description, examples: [value] },
    takes,
    read: (words) => {
      const results = [...new Set(words)].map(parse)
      const faults = results.flatMap((result) => ('fault' in result ? result.fault : []))
      if (faults.length > 0) return { fault: [...new Set(faults)] }
      const filters = results as readonly FileFilter[]
      return { value: isChoice ? union(filters) : filters }
    },
    example,
    ...shown,
  }
}

const choice = (schema: JsonSchema, described: Described, parse: Parse): FilterParameter =>
  filterOf('words', schema, { ...described, parse })
const condition = (schema: JsonSchema, described: Described, parse: Parse): FilterParameter =>
  filterOf('values', schema, { ...described, parse })

/** The standard forms of a date or time, a month or a year; `parseSpan` accepts more. */
const daysOrTime: JsonSchema = {
  anyOf: [
    { type: 'string', format: 'date' },
    { type: 'string', format: 'date-time' },
    { type: 'string', pattern: String.raw`^\d{4}(-\d{2})?$` },
  ],
}

/** Words that mean values, which have words of their own: by default those of the form. */
type DescribedWords<Value> = Omit<Described, 'textOf'> & {
  readonly wordOf?: (value: Value) => string
}

/** A choice of several values, in upper or lower case. */
export function oneOf<Key extends ListKey>(
  key: Key,
  values: readonly (ListValue<Key> & string)[],
  described: DescribedWords<ListValue<Key> & string>,
): FilterParameter {
  return wordsOf(key, themselves(values), described)
}

/** The same with several words for a value. */
export function wordsOf<Key extends ListKey>(
  key: Key,
  words: Words<ListValue<Key> & string>,
  { wordOf, ...described }: DescribedWords<ListValue<Key> & string>,
): FilterParameter {
  const read = readerOf(words)
  const textOf = (text: string): string => {
    const { value } = read(text)
    const option = described.field?.options?.find((each) => each.value === value)
    return value === undefined ? text : (wordOf?.(value) ?? option?.text ?? value)
  }
  const schema = { type: 'string', enum: Object.keys(words) }
  return choice(schema, { ...described, textOf }, (text) => {
    const { isKnown, value } = read(text)
    if (!isKnown) return invalidChoice(text)
    return value === undefined ? {} : { [key]: [value] }
  })
}

/**
 * A code, in upper or lower case.
 * @param pattern without flags, which a schema cannot have
 * @param described.codesOf the codes that a text means, in upper case; none if it cannot be
 */
export function code(
  key: 'stations' | 'countries' | 'intervals' | 'contents' | 'systems' | 'signals',
  pattern: RegExp,
  described: WithFault & { readonly codesOf?: (text: string) => readonly string[] },
): FilterParameter {
  const { codesOf = (text: string): readonly string[] => [text.toUpperCase()], fault } = described
  return choice(
    { type: 'string', pattern: pattern.source },
    { textOf: (text) => text.toUpperCase(), ...described },
    (value): FileFilter | InvalidValue => {
      const codes = pattern.test(value) ? codesOf(value) : []
      return codes.length > 0 ? { [key]: codes } : { fault }
    },
  )
}

/** @param parse the days of a value, from the first to the last */
export function day(
  parse: typeof parseDays,
  schema: JsonSchema,
  described: WithFault,
): FilterParameter {
  return choice({ type: 'string', ...schema }, { textOf: dateWords, ...described }, (value) => {
    const parsed = parse(value)
    if (parsed === undefined) return described
    const { from, to } = parsed
    return { days: Array.from({ length: to - from + 1 }, (_, day) => from + day) }
  })
}

export function year(described: Described): FilterParameter {
  return choice(
    { type: 'string', pattern: String.raw`^(?:[013-9]\d{3}|20\d{2})$` },
    described,
    (value) => {
      if (!/^\d{4}$/.test(value)) return { fault: 'Enter a year such as 2026.' }
      if (isLateYear(value)) return { fault: noYear(value) }
      return { years: [Number(value)] }
    },
  )
}

/** The first moment of a value in microseconds. */
export const beginOf = (value: string): number | undefined => parseSpan(value)?.fromUs
/** The last moment of a value in microseconds. */
export const endOf = (value: string): number | undefined => parseSpan(value)?.toUs

/** @param add gets the moment; a bare date, a month or a year means its begin */
export function time(add: (us: number) => FileFilter, described: Described): FilterParameter {
  return dayOrTime(({ fromUs }) => add(fromUs), described)
}

/** A whole number, clamped to the safe integers. */
export function integer(add: (value: number) => FileFilter, described: Described): FilterParameter {
  return condition({ type: 'integer' }, described, (value) => {
    if (!/^[+-]?\d+$/.test(value)) return { fault: 'Enter a whole number.' }
    const max = Number.MAX_SAFE_INTEGER
    return add(Math.min(max, Math.max(-max, Number(value))))
  })
}

export function name(how: 'is' | 'starts' | 'contains', described: Described): FilterParameter {
  return condition({ type: 'string' }, described, (value) => ({
    names: [{ how, text: inLowerCase(value) }],
  }))
}

/** A text of the header, in upper or lower case; it may have commas. */
export function headerText(key: HeaderKey, described: Described): FilterParameter {
  const parse: Parse = (value) => ({ [key]: [inLowerCase(value)] })
  return filterOf('values', { type: 'string' }, { ...described, parse }, true)
}

/** A share above 0 and at most 1, with up to six decimals. @param add gets it in millionths */
export function share(add: (millionths: number) => FileFilter, described: Described) {
  const schema = { type: 'number', exclusiveMinimum: 0, maximum: 1 }
  return condition(schema, described, (value) => {
    const isShare = /^(?:0?\.\d{1,6}|1(?:\.0{1,6})?)$/.test(value) && Number(value) > 0
    const fault = 'Enter a share above 0 and at most 1, such as 0.95.'
    return isShare ? add(Math.round(Number(value) * 1e6)) : { fault }
  })
}

/** A box, as in the list of stations; of several the last one. */
export function box(described: Described): FilterParameter {
  const { read, schema } = boxParameter(described.meaning)
  return {
    ...described,
    schema,
    takes: 'last',
    read: (words) => {
      const found = read(words)
      if ('fault' in found) return found
      return { value: found.value === undefined ? [] : [{ box: found.value }] }
    },
  }
}

const rangePattern = String.raw`^[^/]+/[^/]+$`

/**
 * A range: two dates or times separated by a slash; a bare date, a month or a year at the end is
 * all of it. `..` in place of a time leaves this end open.
 */
export function range(
  add: (range: TimeRange) => FileFilter,
  described: Described,
): FilterParameter {
  const textOf = (text: string): string => text.split('/').map(dateWords).join(' to ')
  const schema = { type: 'string', pattern: rangePattern }
  return condition(schema, { textOf, ...described }, (value) => {
    const [from, to, ...more] = value.split('/')
    const parseEnd = (
      end: string | undefined,
      which: keyof TimeRange,
    ): number | 'open' | undefined => (end === '..' ? 'open' : parseSpan(end ?? '')?.[which])
    const [fromUs, toUs] = [parseEnd(from, 'fromUs'), parseEnd(to, 'toUs')]
    if (fromUs === undefined || toUs === undefined || more.length > 0)
      return { fault: 'Enter two dates or times separated by a slash; either may be "..".' }
    if (fromUs !== 'open' && toUs !== 'open' && fromUs > toUs) return { fault: endsBeforeItBegins }
    return add({
      ...(fromUs === 'open' ? {} : { fromUs }),
      ...(toUs === 'open' ? {} : { toUs }),
    })
  })
}

/** @param add gets the first and the last moment of `parseSpan` in microseconds */
export function dayOrTime(
  add: (span: Required<TimeRange>) => FileFilter,
  described: Described,
): FilterParameter {
  return condition(daysOrTime, { textOf: dateWords, ...described }, (value) => {
    if (isLateYear(value)) return { fault: noYear(value) }
    const span = parseSpan(value)
    return span === undefined ? { fault: 'Enter a valid date/time.' } : add(span)
  })
}

/** A GPS week that is given as a year. */
function isLateYear(text: string): boolean {
  return /^2[1-9]\d\d$/.test(text)
}

function noYear(text: string): string {
  return `Enter a year of data; GPS week ${text} is written "when=${text}".`
}

/** @param add gets the range of a time in any form that people write (`when.ts`) */
export function when(add: (range: TimeRange) => FileFilter, described: Described): FilterParameter {
  return condition(whenSchema, { textOf: whenWords, ...described }, (value) => {
    const read = readWhen(value)
    if (read === undefined) return { fault: whenFault }
    return 'fault' in read ? read : add(read.range)
  })
}
