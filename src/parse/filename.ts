/** Parses the name of a file in either form, and finds the reason to reject any other name. */
import { parseLongName } from './long-name.ts'
import { parseShortName } from './short-name.ts'
import type { ParsedName, Rejection, RejectionReason } from './types.ts'

/**
 * The version of the rules of file names (`parseFilename`) and of directory names
 * (`Layout.parseDirectory`). Raise it with every change after which names are accepted that were
 * rejected before, or have another reason: the indexer stores it, and after a start with another
 * version it looks at the rejected names again.
 */
export const nameRulesVersion = 2

/** Maximum length of a name on common file systems, in bytes. */
const maxNameBytes = 255

/** Stands for bytes that are not UTF-8 when names are read as text. */
const replacementCharacter = '\uFFFD'

/** What may follow the RINEX name of a file: gzip, compress (LZW), nothing for a plain file. */
export const knownSuffixes = ['.gz', '.Z', ''] as const
export type Suffix = (typeof knownSuffixes)[number]

export function isSuffix(text: string): text is Suffix {
  return knownSuffixes.some((suffix) => suffix === text)
}

/** The suffix of the name of a file: the compression that it names. */
export function suffixOf(name: string): Suffix {
  return name.endsWith('.gz') ? '.gz' : name.endsWith('.Z') ? '.Z' : ''
}

/** Files that hold other files. */
const archiveName = /\.(?:zip|tar|tgz|taz|tar\.\w{1,4}|7z|rar)$/i

/** The suffixes that are chosen by default. */
export const defaultSuffixes: readonly string[] = ['.gz']

/**
 * Parses the base name of a file. The whole name but its suffix must have the short or the long
 * form. Case is ignored, except in the suffix. Accepts any string; a string that is not a RINEX
 * name is a `Rejection`.
 * @param suffixes those that are chosen, of `knownSuffixes`
 */
export function parseFilename(
  name: string,
  suffixes: readonly string[] = defaultSuffixes,
): ParsedName | Rejection {
  // More characters are more bytes. Matching a name of any length could take long.
  if (name.length > maxNameBytes) return { kind: 'rejected', reason: 'unknown-form' }
  const result = parseForms(name, suffixes)
  if (typeof result !== 'string') return result
  return { kind: 'rejected', reason: unreadableReason(name) ?? result }
}

function parseForms(name: string, suffixes: readonly string[]): ParsedName | RejectionReason {
  const suffix = suffixOf(name)
  const found = suffixes.includes(suffix) ? formOf(stemOf(name, suffix)) : undefined
  if (found !== undefined) return found
  return otherReason(name, suffix, suffixes)
}

/** The reason to reject a name that is not a RINEX name with a chosen suffix. */
function otherReason(name: string, suffix: Suffix, suffixes: readonly string[]): RejectionReason {
  if (archiveName.test(name)) return 'archive'
  const stem = stemOf(name, suffix)
  const isKnown = !suffixes.includes(suffix) && typeof formOf(stem) === 'object'
  if (isKnown) return 'suffix'
  // A companion of a data file, such as a checksum, an unfinished copy or a hidden file, has no
  // known form. Any other name has another compression or none.
  const isCompanion = name.startsWith('.') || name.includes('.gz')
  return isCompanion || suffixes.join() !== defaultSuffixes.join() ? 'unknown-form' : 'not-gz'
}

function stemOf(name: string, suffix: Suffix): string {
  return suffix === '' ? name : name.slice(0, -suffix.length)
}

function formOf(stem: string): ParsedName | RejectionReason | undefined {
  return parseLongName(stem) ?? parseShortName(stem)
}

/**
 * The reason to reject a name regardless of its form: it is too long or not UTF-8. Valid names of
 * both forms are short and contain only ASCII characters, so only rejected names are checked.
 */
function unreadableReason(name: string): RejectionReason | undefined {
  // A replacement character counts as one byte, because it may stand for a single byte.
  const bytes = Buffer.byteLength(name.replaceAll(replacementCharacter, '?'))
  if (bytes > maxNameBytes) return 'unknown-form'
  return name.includes(replacementCharacter) ? 'not-utf8' : undefined
}
