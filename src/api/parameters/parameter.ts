/** The parameters of resources, each declared once: reading, schema and field. Pure. */
import { parseDays } from '../../parse/calendar.ts'
import type { Format } from '../http/formats.ts'
import type { Schema } from '../openapi/schema.ts'
import type { FormField, Worded } from '../pages/active-filters.ts'
import { dateWords } from '../pages/date-words.ts'
import type { Field } from '../pages/filter-form.ts'
import type { Words } from './words.ts'
import { readerOf, themselves } from './words.ts'

/** The message for a client that sent an invalid value. */
export interface InvalidValue {
  readonly fault: string | readonly string[]
}

export interface ReadValue<Value> {
  readonly value: Value
  /** False if links to other pages do not repeat it. */
  readonly isKept?: boolean
}

export interface Parameter<Value> extends Worded {
  /** JSON schema with description and example. */
  readonly schema: Schema
  /** True if the text is read as it is, also a blank one. */
  readonly isExact?: boolean
  /** Reads the words of a request for a format; none if the parameter is missing or blank. */
  readonly read: (words: readonly string[], format?: Format) => ReadValue<Value> | InvalidValue
}

/** What a parameter means, with a value that is its example. */
export interface Meaning {
  readonly meaning: string
  readonly example?: string
  readonly field?: FormField
  readonly textOf?: Worded['textOf']
}

/** The message for every range that is reversed, whatever parameters it has. */
export const endsBeforeItBegins = 'The range ends before it begins.'

/** Django's message for a value that is not one of the choices. */
export function invalidChoice(text: string): InvalidValue {
  return { fault: `Select a valid choice. ${text} is not one of the available choices.` }
}

/** A field of a form whose options are the words themselves, or have texts. */
export function selection<Word extends string>(
  label: string,
  words: readonly Word[],
  textOf: (word: Word) => string = (word) => word,
): FormField {
  return { label, options: words.map((value) => ({ value, text: textOf(value) })) }
}

/** What a choice means; its field in the form has a label. */
interface ChoiceMeaning<Word extends string> extends Omit<Meaning, 'field' | 'textOf'> {
  readonly label?: string
  /** The text of a word in the form; without it, the word itself. */
  readonly textOf?: (word: Word) => string
  /** Further words that mean one of them. */
  readonly also?: Words<Word>
}

/** The schemas of parameters, by their names. */
export function schemasOf(
  parameters: Iterable<readonly [string, Pick<Parameter<unknown>, 'schema'>]>,
): Readonly<Record<string, Schema>> {
  return Object.fromEntries(Array.from(parameters, ([name, { schema }]) => [name, schema]))
}

/** The fields of a form. @param names in their order; by default all that have a field */
export function formFieldsOf(
  parameters: Iterable<readonly [string, Pick<Parameter<unknown>, 'takes' | 'field'>]>,
  names?: readonly string[],
): readonly Field[] {
  const fields = Array.from(parameters).flatMap(([name, { takes, field }]) =>
    field === undefined ? [] : [{ name, isList: takes === 'words', ...field }],
  )
  return (
    names?.map((name) => {
      const field = fields.find((each) => each.name === name)
      if (field === undefined) throw new Error(`no parameter has the field ${name}`)
      return field
    }) ?? fields
  )
}

/**
 * Some of these words, in upper or lower case, in the order of `words`; none for a request without
 * the parameter.
 */
export function choices<Word extends string>(
  words: readonly Word[],
  { meaning, example, label, textOf, also }: ChoiceMeaning<Word>,
): Parameter<readonly Word[]> {
  const wordOf = readerOf<Word>({ ...also, ...themselves(words) })
  return {
    schema: {
      type: 'array',
      description: meaning,
      items: { type: 'string', enum: words },
      examples: example && [[example]],
    },
    takes: 'words',
    read: (chosen) => {
      const bad = chosen.find((text) => !wordOf(text).isKnown)
      if (bad !== undefined) return invalidChoice(bad)
      const found = chosen.map((text) => wordOf(text).value)
      return { value: words.filter((word) => found.includes(word)) }
    },
    ...(label !== undefined && { field: selection(label, words, textOf) }),
  }
}

/** True if a choice has this word, or chooses nothing. */
export function isChosen<Word extends string>(chosen: readonly Word[], word: Word): boolean {
  return chosen.length === 0 || chosen.includes(word)
}

/** One of these words, in upper or lower case. */
export function choice<Word extends string>(
  words: readonly Word[],
  more: ChoiceMeaning<Word> & { readonly default: Word },
): Parameter<Word> {
  const { meaning, example, label, textOf, also } = more
  const wordOf = readerOf<Word>({ ...also, ...themselves(words) })
  return {
    schema: {
      type: 'string',
      description: meaning,
      enum: words,
      default: more.default,
      examples: example && [example],
    },
    takes: 'last',
    read: ([text]) => {
      if (text === undefined) return { value: more.default }
      const { value } = wordOf(text)
      return value === undefined ? invalidChoice(text) : { value }
    },
    ...(label !== undefined && {
      field: { ...selection(label, words, textOf), isRequired: true },
    }),
  }
}

/** A sort key with its direction. */
export interface SortOrder<Key extends string> {
  readonly key: Key
  readonly descending: boolean
}

/** A sort key; a minus before it reverses the order. */
export function ordering<Key extends string>(
  keys: readonly Key[],
  more: { readonly default: Key | `-${Key}`; readonly missing: string; readonly example: string },
): Parameter<SortOrder<Key>> {
  return {
    schema: {
      type: 'string',
      description: `The sort key; a minus before it reverses the order. ${more.missing}`.trim(),
      enum: keys.flatMap((key) => [key, `-${key}`]),
      default: more.default,
      examples: [more.example],
    },
    takes: 'last',
    read: ([text = more.default]) => {
      const descending = text.startsWith('-')
      const key = keys.find((name) => name === text.slice(descending ? 1 : 0))
      return key === undefined ? invalidChoice(text) : { value: { key, descending } }
    },
  }
}

/** The first day of a range, as days since 1970; a month or a year means its first day. */
export const firstDay = (of: Meaning) => day('from', of)

/** The last day of a range, as days since 1970; a month or a year means its last day. */
export const lastDay = (of: Meaning) => day('to', of)

/** `undefined` for a request without the parameter. */
function day(
  end: 'from' | 'to',
  { meaning, example, field }: Meaning,
): Parameter<number | undefined> {
  return {
    schema: {
      type: 'string',
      description: meaning,
      format: 'date',
      examples: example && [example],
    },
    takes: 'last',
    read: ([text]) => {
      const value = text === undefined ? undefined : parseDays(text)?.[end]
      return text !== undefined && value === undefined
        ? { fault: 'Enter a valid date.' }
        : { value }
    },
    field,
    textOf: dateWords,
  }
}

/** Any text; empty for a request without the parameter. */
export function anyText({ meaning, example, field }: Meaning): Parameter<string> {
  return {
    schema: { type: 'string', description: meaning, examples: example && [example] },
    takes: 'last',
    read: ([text = '']) => ({ value: text }),
    field,
  }
}
