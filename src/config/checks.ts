/** Checks of option values, from which their types follow. Pure. */

export type Check<T> = (value: unknown) => value is T

/** The type of the values that a check accepts. */
export type Checked<C> = C extends Check<infer T> ? T : never

/** @param accepts a pattern or a function that the text must satisfy */
export function text(accepts: RegExp | ((text: string) => boolean) = () => true): Check<string> {
  const test = accepts instanceof RegExp ? (value: string) => accepts.test(value) : accepts
  return (value): value is string => typeof value === 'string' && test(value)
}

/** A whole number between both limits, inclusive. */
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

/** For an option that need not be set. */
export function optional<T>(check: Check<T>): Check<T | undefined> {
  return (value): value is T | undefined => value === undefined || check(value)
}
