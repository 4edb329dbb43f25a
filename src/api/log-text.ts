/** Longest text of a client that goes into a log line. */
const maxLength = 1024

/**
 * Text from outside, fit for a log: printable ASCII, cut to a fair length. JSON escapes only some of the
 * control characters, and a terminal acts on the others.
 */
export function printable(text: string): string {
  return text
    .slice(0, maxLength)
    .replaceAll(/[^\x20-\x7e]/g, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`)
}
