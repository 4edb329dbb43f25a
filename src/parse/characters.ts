/**
 * Reads fixed columns of a name. Case is ignored. Only ASCII letters count as letters, so that no other character becomes one by
 * case folding. A column after the end of the text holds neither a letter nor a digit.
 */

/** Kinds of characters, as bits. A lower-case letter is both `letter` and `lowerCase`. */
const digit = 1
const letter = 2
const lowerCase = 4
const dot = 8

/** The kind of each ASCII character, by its code; all other characters have none. */
const kinds = Uint8Array.from({ length: 128 }, (_, code) => kindOf(String.fromCharCode(code)))

function kindOf(character: string): number {
  if (/[0-9]/.test(character)) return digit
  if (/[A-Z]/.test(character)) return letter
  if (/[a-z]/.test(character)) return letter + lowerCase
  return character === '.' ? dot : 0
}

/** The allowed kinds of each column. */
export type Mask = Uint8Array

/** @param symbols one per column: `A` a letter, `9` a digit, `X` either, `.` a dot */
export function maskOf(symbols: string): Mask {
  return Uint8Array.from(symbols, (symbol) => (symbol === 'X' ? letter + digit : kindOf(symbol)))
}

/** The part from column `at` in upper case; `undefined` if a character does not match the mask. */
export function partAt(text: string, at: number, mask: Mask): string | undefined {
  let found = 0
  for (let column = 0; column < mask.length; column++) {
    const kind = kinds[text.charCodeAt(at + column)] ?? 0
    if ((kind & (mask[column] ?? 0)) === 0) return undefined
    found |= kind
  }
  const part = text.slice(at, at + mask.length)
  return (found & lowerCase) === 0 ? part : part.toUpperCase()
}

/** The number in `width` decimal digits from column `at`; -1 if one of them is not a digit. */
export function numberAt(text: string, at: number, width: number): number {
  let number = 0
  for (let column = at; column < at + width; column++) {
    const value = text.charCodeAt(column) - 48
    // The condition is negated with `!`, because the value after the end of the text is NaN, and every comparison with NaN is
    // false.
    if (!(value >= 0 && value <= 9)) return -1
    number = number * 10 + value
  }
  return number
}

/** The letter in column `at` in upper case; if the column holds no letter, the result is no letter either. */
export function letterAt(text: string, at: number): string {
  // Lower and upper case differ only in bit 5.
  return String.fromCharCode(text.charCodeAt(at) & ~32)
}

/** Position in the alphabet of the letter in column `at`, 0 to 25; 26 if the column holds no letter. */
export function letterIndexAt(text: string, at: number): number {
  const index = (text.charCodeAt(at) | 32) - 97
  return index >= 0 && index < 26 ? index : 26
}
