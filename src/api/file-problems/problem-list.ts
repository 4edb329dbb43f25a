/** All files with problems: from the indexer (settling), the API and the catalogue. */
import type { Problem } from '../../catalogue/filter.ts'
import { damagedStream, listedProblems, problemWords } from '../../catalogue/filter.ts'
import type { ProblemEntry } from '../../catalogue/questions/problems.ts'
import type { CatalogueReader } from '../../catalogue/questions/reader.ts'
import type { RejectionCount } from '../../catalogue/questions/summary.ts'
import type { EntryRejectionReason, FileProblemReason } from '../../catalogue/records.ts'
import type { Asker } from '../../catalogue/turns.ts'
import type { SettlingFile } from '../../control-socket/protocol.ts'
import { microsecondsToIso } from '../../parse/calendar.ts'
import { maxDirectoryDepth } from '../../parse/directories.ts'
import { suffixOf } from '../../parse/filename.ts'
import type { Layout } from '../../parse/layout.ts'
import type { FlagName } from '../../rinex/facts.ts'
import { flagMeanings, flagNames } from '../../rinex/facts.ts'
import { counted } from '../../runtime/readable.ts'
import type { UnservedReason } from '../downloads/unserved-files.ts'
import { inNone, withAreas } from '../openapi/area-words.ts'

/** The kinds of problems, in the order of the list. */
export const problemNames = ['settling', 'unservable', ...listedProblems] as const
export type FileProblemName = (typeof problemNames)[number]

/** A problem as clients get it. */
export interface WireProblem extends Pick<ProblemEntry, 'path' | 'reason'> {
  readonly problem: FileProblemName
  readonly since: string
}

interface ProblemSources {
  readonly reader: Pick<CatalogueReader, 'problems'>
  /** At most 1,000 files that are not complete or not readable; none without an answer. */
  readonly settling: () => Promise<readonly SettlingFile[]>
  /** Files that could not be served; only the API reports them. */
  readonly unservable: () => readonly Omit<ProblemEntry, 'problem'>[]
}

interface ProblemsRequest {
  readonly names: readonly FileProblemName[]
  readonly limit: number
  readonly offset: number
}

/** Returns a page of the problems, and the count of all. */
export async function listProblems(
  { reader, settling, unservable }: ProblemSources,
  { names, limit, offset }: ProblemsRequest,
  asker?: Asker,
): Promise<{ readonly count: number; readonly items: readonly WireProblem[] }> {
  const withName = <Name extends FileProblemName>(
    problem: Name,
    files: readonly Omit<ProblemEntry, 'problem'>[],
  ) => files.map((file) => ({ ...file, problem }))
  // The catalogue does not have these problems.
  const transient = [
    ...withName('settling', names.includes('settling') ? await settling() : []),
    ...withName('unservable', names.includes('unservable') ? unservable() : []),
  ]
  const first = transient.slice(offset, offset + limit)
  const query = {
    kinds: listedProblems.filter((kind) => names.includes(kind)),
    limit: limit - first.length,
    offset: Math.max(0, offset - transient.length),
  }
  const { count, entries } = await reader.problems(query, asker)
  return {
    count: transient.length + count,
    items: [...first, ...entries].map(({ problem, path, reason, sinceUs }) => ({
      problem,
      path,
      reason,
      since: microsecondsToIso(sinceUs),
    })),
  }
}

type ProblemReason =
  EntryRejectionReason | FileProblemReason | SettlingFile['reason'] | UnservedReason

/** Each reason in a few words, for tables. */
const reasonWords: Readonly<Record<ProblemReason, string>> = {
  'not-gz': 'the name does not end in .gz',
  suffix: 'a RINEX name with a suffix that is not chosen',
  archive: 'an archive of files',
  'not-utf8': 'the name is not UTF-8',
  'unknown-form': 'not the form of a RINEX name',
  'bad-station': 'the station in the name is not valid',
  'bad-source': 'the data source in the name is not valid',
  'bad-day': 'the year has no such day',
  'bad-hour': 'the hour in the name is not valid',
  'bad-minute': 'the minute in the name is not valid',
  'bad-session': 'the session in the name is not valid',
  'bad-period': 'the period in the name is not valid',
  'bad-frequency': 'the interval in the name is not valid',
  'bad-type': 'the data type in the name is not valid',
  'not-in-area': inNone,
  excluded: 'excluded by the configuration',
  'too-deep': 'the directory is too deep',
  'bad-directory-name': 'the name of the directory is not valid',
  symlink: 'a symbolic link that may not be followed',
  'not-a-file': 'neither a file nor a directory',
  'unreadable-directory': 'the directory cannot be read',
  'no-end': problemWords.incomplete.what,
  damaged: damagedStream,
  'no-bytes': 'the file is empty',
  ...flagMeanings,
  'other-compression': problemWords.disguised.what,
  'other-date': problemWords.misplaced.what,
  'no-end-yet': 'still being written',
  unreadable: 'the indexer cannot read it',
  'not-there': 'it was not on disk',
  'no-permission': 'the API may not read it',
  'lies-elsewhere': 'behind a link that may not be followed',
  'not-regular': 'no regular file any more',
}

/** A reason in a few words; one of an earlier release in those of its code. */
export function reasonLabel(reason: string, layout: Layout): string {
  return Object.hasOwn(reasonWords, reason)
    ? withAreas(reasonWords[reason as ProblemReason], layout).replaceAll('`', '')
    : reason.replaceAll(/[-_]/g, ' ')
}

/**
 * `3,412 files end in .Z`, of RINEX names with suffixes that are not chosen, as far as the examples
 * tell them; `undefined` without any.
 */
export function suffixWords({ count, examples }: RejectionCount): string | undefined {
  const ends = new Set(examples.map((path) => suffixOf(path) || 'nothing'))
  if (ends.size === 0) return undefined
  return `${counted(count, 'file ends', 'files end')} in ${[...ends].join(' or ')}`
}

function sentenceOf(problem: Problem): string {
  const { what, advice } = problemWords[problem]
  return sentence(what, advice)
}

function sentence(what: string, advice: string): string {
  return `${what.replace('the', 'The')}. ${advice}`
}

/** Of the flags that make files damaged, which are chosen by the configuration. */
const flagSentences = Object.fromEntries(
  flagNames.map((flag) => [
    flag,
    `By what is inside: ${flagMeanings[flag]}. ${problemWords.broken.advice}`,
  ]),
) as Readonly<Record<FlagName, string>>

/** A sentence for each reason, with code in backticks, and with words for the areas. */
export const reasonMeanings: Readonly<Record<ProblemReason, string>> = {
  'not-gz': 'The name of the file does not end in `.gz`; only gzip files are catalogued.',
  suffix:
    'The name is that of a RINEX file, but its suffix (`.Z`, `.gz`, or none) is not among the `suffixes` of the configuration.',
  archive:
    'The file is an archive of other files, such as `.zip` or `.tar`; only single files are catalogued.',
  'not-utf8': 'The name has bytes that are not UTF-8.',
  'unknown-form':
    'The name has neither the short nor the long form of RINEX file names, or more than one part of it is wrong.',
  'bad-station':
    'The long name does not begin with 4 letters or digits of the site, 2 digits of monument and receiver, and 3 letters of the country.',
  'bad-source': 'The data source of the long name is not `R`, `S` or `U`.',
  'bad-day': 'The year of the name does not have this day.',
  'bad-hour': 'The hour of the long name is not 00 to 23.',
  'bad-minute': 'The minute of the name is not 00 to 59.',
  'bad-session':
    'The session of the short name is not a valid character: `a` to `x` for an hour, or a digit.',
  'bad-period': 'The file period of the long name is not valid; `01D` and `15M` are valid.',
  'bad-frequency': 'The sampling interval of the long name is not valid; `30S` is valid.',
  'bad-type':
    'The data type of the name is not valid; only observation, navigation and meteorological files are catalogued.',
  'not-in-area': `The directory is ${inNone}, so its files are not read.`,
  excluded: 'The configuration excludes the path (`exclude`), so nothing of it is listed.',
  'too-deep': `The directory is more than ${maxDirectoryDepth} levels below the archive root, so its files are not read.`,
  'bad-directory-name':
    'The name of the directory is not valid, so its files are not read; valid are at most 64 letters, digits, `.`, `_` and `-`, with a letter, a digit or `_` first.',
  symlink:
    'The symbolic link does not lead to a file or a directory in one of the `linked_directories`.',
  'not-a-file': 'The entry is neither a file nor a directory; it may be a socket or a pipe.',
  'unreadable-directory':
    'The indexer cannot read the directory: it has no permission, the disk is away, or the directory has more than 500,000 entries.',
  'no-end': sentenceOf('incomplete'),
  damaged: sentence(damagedStream, problemWords.broken.advice),
  'no-bytes': sentence('the file has no byte', problemWords.broken.advice),
  ...flagSentences,
  'other-compression': sentenceOf('disguised'),
  'other-date': sentenceOf('misplaced'),
  'no-end-yet':
    'The file is still being written: its gzip stream has no end yet; or, of another file, it has not stood still for a minute, or its period has not ended.',
  unreadable: 'The indexer cannot read the file, so it does not know if the file is complete.',
  'not-there': 'The listed file was not on disk at the last download.',
  'no-permission': 'The API has no permission to read the file.',
  'lies-elsewhere': 'The file is behind a symbolic link that may not be followed.',
  'not-regular': 'The path of the listed file has no regular file any more.',
}
