/** What the questions of a connection share. */
import type { Dialect } from '../dialect.ts'
import { Counts } from './counts.ts'
import { Lookups } from './lookups.ts'
import { Narrowest } from './narrowest.ts'

/** The words of an engine, and what its connection has read. */
export interface QuestionContext {
  readonly dialect: Dialect
  readonly lookups: Lookups
  readonly counts: Counts
  readonly narrowest: Narrowest
  readonly few: Few
}

/**
 * At most this many files are found and sorted, in some tenths of a second. A walk assumes that
 * matching files are spread evenly between the first and the last one, and may take seconds where
 * they are not. A chunk of a stream sorts less, because the next one sorts again.
 */
export interface Few {
  readonly ofPage: number
  readonly ofChunk: number
}
const usualFew: Few = { ofPage: 300_000, ofChunk: 50_000 }

/** For one connection. */
export function contextOf(dialect: Dialect, few = usualFew): QuestionContext {
  const counts = new Counts(dialect)
  const narrowest = new Narrowest(dialect, counts)
  return { dialect, lookups: new Lookups(), counts, narrowest, few }
}
