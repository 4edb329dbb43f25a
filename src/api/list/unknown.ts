import { closest, distance } from 'fastest-levenshtein'

/** Letters in which a name may differ from the one that was meant. */
const mostLetters = 3

/** What is said of a parameter that means nothing. @param known all that mean something there */
export function unknownParameter(name: string, known: readonly string[]): string {
  if (name.length > 64) return 'Unknown parameter.'
  const meant = closest(name, known)
  const isNear = distance(name, meant) <= Math.min(mostLetters, name.length / 2)
  return isNear ? `Unknown parameter. Did you mean ${meant}?` : 'Unknown parameter.'
}
