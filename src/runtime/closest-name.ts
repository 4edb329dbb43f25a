import { closest as nearest, distance } from 'fastest-levenshtein'

/** Largest edit distance of a misspelt word. */
const mostLetters = 3
/** Longer words are not compared. */
const longest = 64

/** The most similar candidate for a misspelt word, ignoring case and the difference between `-` and `_`. */
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
