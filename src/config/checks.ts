/** What values options take, and the types that follow from that. Pure. */

export type Check<T> = (value: unknown) => value is T

/** The type of the values that a check lets through. */
export type Checked<C> = C extends Check<infer T> ? T : never

/** @param holds of the text besides: a pattern that finds something in it, or a function */
export function text(holds: RegExp | ((text: string) => boolean) = () => true): Check<string> {
  const test = holds instanceof RegExp ? (value: string) => holds.test(value) : holds
  return (value): value is string => typeof value === 'string' && test(value)
}

/** A whole number, both ends included. */
export function integer(least: number, most: number): Check<number> {
  return (value): value is number =>
    typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
}

export function oneOf<const T extends string>(words: readonly T[]): Check<T> {
  return (value): value is T => words.some((word) => word === value)
}

export function list<T>(of: Check<T>): Check<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every((one) => of(one))
}

/** Of an option that need not be set. */
export function optional<T>(check: Check<T>): Check<T | undefined> {
  return (value): value is T | undefined => value === undefined || check(value)
}
