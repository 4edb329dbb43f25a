/**
 * The words that values may be written with, in upper or lower case: our own codes, and those of
 * other archives and of names. All parameters understand the same words. Pure.
 */
import type { FileDuration, FileType, FileVersion } from '../../parse/types.ts'
import type { Period } from '../../series/series.ts'

/** Words, each with its value; `undefined` adds no condition. */
export type Words<Value extends string> = Readonly<Record<string, Value | undefined>>

/** Words that two national archives share. */
export const sharedTypes = { obs: 'o', nav: 'n', met: 'm' } as const
export const sharedPeriods = { '01D': 'd', '24H': 'd', '01H': 'h', '60M': 'h', '15M': 'm' } as const
export const sharedVersions = {
  '2': 'r2',
  '3': 'r3',
  '4': 'r3',
  latest: 'r3',
  all: undefined,
} as const

export const typeWords: Words<FileType> = { o: 'o', n: 'n', m: 'm', ...sharedTypes }

export const durationWords: Words<FileDuration> = {
  m: 'm',
  h: 'h',
  d: 'd',
  y: 'y',
  u: 'u',
  ...sharedPeriods,
}

export const versionWords: Words<FileVersion> = { r2: 'r2', r3: 'r3', ...sharedVersions }

/** Of periods that have series. */
export const periodWords: Words<Period> = {
  '15M': '15M',
  '01H': '01H',
  '01D': '01D',
  '60M': '01H',
  '24H': '01D',
  m: '15M',
  h: '01H',
  d: '01D',
}

/** Finds the value of a word in any case; `isKnown` is false for a text that is none. */
export function readerOf<Value extends string>(
  words: Words<Value>,
): (text: string) => { readonly isKnown: boolean; readonly value?: Value | undefined } {
  const values = new Map(Object.entries(words).map(([word, value]) => [word.toLowerCase(), value]))
  return (text) => {
    const word = text.toLowerCase()
    return { isKnown: values.has(word), value: values.get(word) }
  }
}

/** Words that mean themselves. */
export function themselves<Word extends string>(words: readonly Word[]): Words<Word> {
  return Object.fromEntries(words.map((word) => [word, word]))
}
