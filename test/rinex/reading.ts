/** The reader of the program, as the tests use it. */
import assert from 'node:assert/strict'
import { parseFilename } from '../../src/parse/filename.ts'
import type { Content } from '../../src/rinex/content-reader.ts'
import { ContentReader } from '../../src/rinex/content-reader.ts'
import type { Facts } from '../../src/rinex/facts.ts'
import { factsOf } from '../../src/rinex/facts-of.ts'

/** @param pieceOf the size of each piece in which the text is read */
export function contentOf(bytes: Uint8Array, pieceOf: () => number = () => 65_536): Content {
  const reader = new ContentReader()
  for (let at = 0; at < bytes.length && !reader.isSatisfied;) {
    const end = Math.min(bytes.length, at + pieceOf())
    reader.push(bytes.subarray(at, end))
    at = end
  }
  return reader.end()
}

/** The facts of a content under the name of a file. */
export function judged(
  content: Content,
  name: string,
  state: 'complete' | 'incomplete' | 'broken' = 'complete',
): Facts {
  const parsed = parseFilename(name)
  assert(parsed.kind === 'parsed', name)
  return factsOf(content, parsed, state)
}

export function factsIn(bytes: Uint8Array, name: string, pieceOf?: () => number): Facts {
  return judged(contentOf(bytes, pieceOf), name)
}

export function flagsOf(facts: Facts): string[] {
  return facts.flags.map(({ flag }) => flag)
}
