/** Schemas of numbers of flagged files, and their values. */
import { flagMeanings, flagNames } from '../../rinex/facts.ts'
import type { FlagCount } from '../../series/flags.ts'
import * as schema from './schema.ts'

const meanings = flagNames.map((flag) => `\`${flag}\`: ${flagMeanings[flag]}`).join('; ')

/** What the flags mean, for descriptions. */
export const flagWords = `${meanings}.`

/** Numbers of files by flag. @param what says which files */
export function flagCounts(what: string, example: readonly FlagCount[]) {
  return schema.list(
    `${what}, by flag; a file with several flags counts for each.`,
    schema.object('The files with a flag.', {
      flag: schema.oneOf(flagWords, flagNames, 'short'),
      files: schema.integer('Number of these files.', 3),
    }),
    example,
  )
}
