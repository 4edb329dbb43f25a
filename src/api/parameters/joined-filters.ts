/** Joins filters of files: the values of a choice, and all filters of a request. Pure. */
import type { FileFilter } from '../../catalogue/filter.ts'
import { stationMatcher } from '../../catalogue/filter.ts'

/**
 * Joins the filters of the values of a choice, each of one list, in one pass: there may be many. If
 * one has no condition, the choice matches every file and is no filter.
 */
export function union(filters: readonly FileFilter[]): readonly FileFilter[] {
  if (filters.some((filter) => Object.keys(filter).length === 0)) return []
  const merged = new Map<string, Set<unknown>>()
  for (const filter of filters)
    for (const [key, list] of Object.entries(filter) as [string, readonly unknown[]][]) {
      const values = merged.get(key) ?? new Set()
      merged.set(key, values)
      for (const value of list) values.add(value)
    }
  return [Object.fromEntries([...merged].map(([key, values]) => [key, [...values]]))]
}

/** Returns the filter that matches a file if both filters match it. */
export function intersection(a: FileFilter, b: FileFilter): FileFilter {
  const merged: Record<string, unknown> = { ...a }
  for (const [key, value] of Object.entries(b)) {
    const other = merged[key]
    merged[key] = other === undefined ? value : intersect(key as keyof FileFilter, other, value)
  }
  return merged
}

function intersect(key: keyof FileFilter, a: unknown, b: unknown): unknown {
  if (key === 'idAbove') return Math.max(a as number, b as number)
  if (key === 'idBelow' || key === 'shareBelow') return Math.min(a as number, b as number)
  if (key === 'stations') return intersectStations(a as string[], b as string[])
  if (!Array.isArray(a)) return intersectRanges(a as Range, b as Range)
  const others = b as unknown[]
  return key === 'names'
    ? [...(a as unknown[]), ...others]
    : a.filter((each) => others.includes(each))
}

/** A range of times or of other numbers: `fromUs` or `from` is its begin, the other its end. */
type Range = Readonly<Record<string, number>>

function intersectRanges(a: Range, b: Range): Range {
  const merged = { ...a }
  for (const [end, value] of Object.entries(b)) {
    const other = merged[end] ?? value
    merged[end] = end.startsWith('from') ? Math.max(other, value) : Math.min(other, value)
  }
  return merged
}

/**
 * The codes that both lists include. A code of 4 characters includes those that start with it, and
 * `GR*` all that start with `GR`.
 */
function intersectStations(a: readonly string[], b: readonly string[]): string[] {
  const includes = (codes: readonly string[], code: string) => stationMatcher(codes)(code)
  return [
    ...a.filter((code) => includes(b, code)),
    ...b.filter((code) => !a.includes(code) && includes(a, code)),
  ]
}
