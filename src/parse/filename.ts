import { parseLongName } from './long-name.ts'
import { hasShortLength, parseShortName } from './short-name.ts'
import type { ParsedName, Rejection, RejectionReason } from './types.ts'

/** The longest name that common file systems hold. */
const maxNameBytes = 255

/** What stands for bytes that are no UTF-8 where names are read as text. */
const replacementCharacter = '\uFFFD'

/**
 * Reads the base name of a file. The whole name must be of the short or of the long form; letters count without
 * regard to case, except in the final `.gz`. Any string may be given: what is no name of ours is a `Rejection`.
 */
export function parseFilename(name: string): ParsedName | Rejection {
  const result = name.endsWith('.gz') ? parseForms(name) : reasonWithoutGz(name)
  if (typeof result !== 'string') return result
  return { kind: 'rejected', reason: unreadableReason(name) ?? result }
}

/**
 * A name without its final `.gz`: data that are packed otherwise or not at all, or something that lies beside
 * data, such as a checksum, a copy under way or a hidden file.
 */
function reasonWithoutGz(name: string): RejectionReason {
  return name.startsWith('.') || name.includes('.gz') ? 'unknown-form' : 'not-gz'
}

function parseForms(name: string): ParsedName | RejectionReason {
  return hasShortLength(name) ? parseShortName(name) : parseLongName(name)
}

/**
 * Why a name is rejected whatever it looks like. The forms admit neither long names nor characters outside of
 * ASCII, so that only names they rejected need be asked.
 */
function unreadableReason(name: string): RejectionReason | undefined {
  if (isTooLong(name)) return 'unknown-form'
  return name.includes(replacementCharacter) ? 'not-utf8' : undefined
}

/** Counts the bytes of the name in UTF-8, and one for a replacement character, which may stand for a single byte. */
function isTooLong(name: string): boolean {
  // No UTF-16 code unit takes more than 3 bytes.
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
