/**
 * Reading fixed columns of a name. Letters count without regard to case, and only those of ASCII are letters: no
 * other character becomes one by folding its case. Past the end of a text there is neither letter nor digit.
 */

/** Kinds of characters, to be added up: a lower-case letter is both `letter` and `lowerCase`. */
const digit = 1
const letter = 2
const lowerCase = 4
const dot = 8

/** The kind of every ASCII character by its code; all others have none. */
const kinds = Uint8Array.from({ length: 128 }, (_, code) => kindOf(String.fromCharCode(code)))

function kindOf(character: string): number {
  if (/[0-9]/.test(character)) return digit
  if (/[A-Z]/.test(character)) return letter
  if (/[a-z]/.test(character)) return letter + lowerCase
  return character === '.' ? dot : 0
}

/** What may stand in each of a row of columns. */
export type Mask = Uint8Array

/** @param symbols for each column `A` a letter, `9` a digit, `X` either, or `.` itself. */
export function maskOf(symbols: string): Mask {
  return Uint8Array.from(symbols, (symbol) => (symbol === 'X' ? letter + digit : kindOf(symbol)))
}

/** The part from column `at` in upper case, when all its characters fit the picture. */
export function partAt(text: string, at: number, picture: Mask): string | undefined {
  let found = 0
  for (let column = 0; column < picture.length; column++) {
    const kind = kinds[text.charCodeAt(at + column)] ?? 0
    if ((kind & (picture[column] ?? 0)) === 0) return undefined
    found |= kind
  }
  const part = text.slice(at, at + picture.length)
  return (found & lowerCase) === 0 ? part : part.toUpperCase()
}

/** Whether all characters from column `at` fit the picture: `partAt` without making the part. */
export function fitsAt(text: string, at: number, picture: Mask): boolean {
  for (let column = 0; column < picture.length; column++) {
    const kind = kinds[text.charCodeAt(at + column)] ?? 0
    if ((kind & (picture[column] ?? 0)) === 0) return false
  }
  return true
}

/** The number that `width` decimal digits from column `at` write; -1 when one of them is no digit. */
export function numberAt(text: string, at: number, width: number): number {
  let number = 0
  for (let column = at; column < at + width; column++) {
    const value = text.charCodeAt(column) - 48
    // Asked this way round for the sake of NaN, the code past the end.
    if (!(value >= 0 && value <= 9)) return -1
    number = number * 10 + value
  }
  return number
}

/** The letter in column `at` in upper case; some character that is no letter when there is none. */
export function letterAt(text: string, at: number): string {
  // Lower case differs from upper case in bit 5 alone.
  return String.fromCharCode(text.charCodeAt(at) & ~32)
}

/** Place in the alphabet of the letter in column `at`, 0 to 25; 26 when there is none. */
export function letterIndexAt(text: string, at: number): number {
  const index = (text.charCodeAt(at) | 32) - 97
  return index >= 0 && index < 26 ? index : 26
}
