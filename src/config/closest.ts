/** More changed letters than this, and the word was meant otherwise. */
const maxDistance = 2
/** Longer words are no slips of the pen; it bounds the work, too. */
const maxLength = 60

/** The candidate that was probably meant by a misspelt word, without regard to case and kind of dash. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > maxLength) return undefined
  const plain = (text: string): string => text.toLowerCase().replaceAll('-', '_')
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(plain(word), plain(candidate)) }))
    .sort((a, b) => a.distance - b.distance)
  const [best] = ranked
  return best !== undefined && best.distance <= maxDistance ? best.candidate : undefined
}

/** Letters to insert, remove or replace to come from one word to the other (Levenshtein). */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = from[row - 1] === to[column - 1] ? 0 : 1
      current.push(
        Math.min(
          (previous[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (previous[column - 1] ?? 0) + replaced,
        ),
      )
    }
    previous = current
  }
  return previous[to.length] ?? 0
}
