/**
 * The same text, in one piece. One that was put together stays its pieces until somebody reads it, and who uses it in other
 * texts, thousands of times, has all of them gone through each time.
 */
export function inOnePiece(text: string): string {
  return Buffer.from(text).toString()
}
