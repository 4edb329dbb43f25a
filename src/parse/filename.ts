/** Parses the name of a file in either form, and finds the reason to reject any other name. */
import { parseLongName } from './long-name.ts'
import { hasShortLength, parseShortName } from './short-name.ts'
import type { ParsedName, Rejection, RejectionReason } from './types.ts'

/** Maximum length of a name on common file systems, in bytes. */
const maxNameBytes = 255

/** Stands for bytes that are not UTF-8 when names are read as text. */
const replacementCharacter = '\uFFFD'

/**
 * Parses the base name of a file. The whole name must have the short or the long form. Case is ignored, except in the final
 * `.gz`. Accepts any string; a string that is not a RINEX name is a `Rejection`.
 */
export function parseFilename(name: string): ParsedName | Rejection {
  const result = name.endsWith('.gz') ? parseForms(name) : reasonWithoutGz(name)
  if (typeof result !== 'string') return result
  return { kind: 'rejected', reason: unreadableReason(name) ?? result }
}

/**
 * The reason to reject a name without a final `.gz`: it has another compression or none, or it is a companion of a data file,
 * such as a checksum, an unfinished copy or a hidden file.
 */
function reasonWithoutGz(name: string): RejectionReason {
  return name.startsWith('.') || name.includes('.gz') ? 'unknown-form' : 'not-gz'
}

function parseForms(name: string): ParsedName | RejectionReason {
  return hasShortLength(name) ? parseShortName(name) : parseLongName(name)
}

/**
 * The reason to reject a name regardless of its form: it is too long or not UTF-8. Valid names of both forms are short and
 * contain only ASCII characters, so only rejected names are checked.
 */
function unreadableReason(name: string): RejectionReason | undefined {
  if (isTooLong(name)) return 'unknown-form'
  return name.includes(replacementCharacter) ? 'not-utf8' : undefined
}

/**
 * True if the name has too many bytes in UTF-8. A replacement character counts as one byte, because it may stand for a single
 * byte.
 */
function isTooLong(name: string): boolean {
  // A UTF-16 code unit becomes at most 3 bytes in UTF-8.
  if (name.length * 3 <= maxNameBytes) return false
  if (name.length > maxNameBytes) return true
  let bytes = 0
  for (const character of name) bytes += bytesOf(character)
  return bytes > maxNameBytes
}

function bytesOf(character: string): number {
  if (character === replacementCharacter || character <= '\u007F') return 1
  if (character.length === 2) return 4
  return character <= '\u07FF' ? 2 : 3
}
