import { closest as nearest, distance } from 'fastest-levenshtein'

/** Letters in which a misspelt word may differ from the one that was meant. */
const mostLetters = 3
/** Longer words are none that was misspelt. */
const longest = 64

/** The candidate that was probably meant by a misspelt word, without regard to case and kind of dash. */
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
