/** Finds the known name that a misspelt name probably means. */
import { closest as nearest, distance } from 'fastest-levenshtein'

/**
 * Largest edit distance at which a candidate counts as similar; for short words, half of their
 * length.
 */
const mostLetters = 3
/** Longest word that is compared (characters). */
const longest = 64

/**
 * Returns the candidate that is most similar to a misspelt word, ignoring case and the difference
 * between `-` and `_`; `undefined` if none is similar enough.
 */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > longest) return undefined
  const byPlain = new Map(candidates.map((candidate) => [plain(candidate), candidate]))
  const best = nearest(plain(word), [...byPlain.keys()])
  const isNear = distance(plain(word), best) <= Math.min(mostLetters, word.length / 2)
  return isNear ? byPlain.get(best) : undefined
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll('-', '_')
}
