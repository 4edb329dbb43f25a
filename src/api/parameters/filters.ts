/** Joins filters of files: a file matches any of them, or all of them. Pure. */
import type { FileFilter, TimeRange } from '../../catalogue/filter.ts'

/**
 * Joins the filters of all values of a choice. Each filter has one list, and the lists are joined
 * in one pass, because there may be many values. If one value has no condition, it matches every
 * file. Then the choice matches every file too, and the result has no filter.
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
  if (key === 'idBelow') return Math.min(a as number, b as number)
  if (key === 'stations') return intersectStations(a as string[], b as string[])
  if (!Array.isArray(a)) return intersectRanges(a as TimeRange, b as TimeRange)
  const others = b as unknown[]
  return key === 'names'
    ? [...(a as unknown[]), ...others]
    : a.filter((each) => others.includes(each))
}

function intersectRanges(a: TimeRange, b: TimeRange): TimeRange {
  const fromUs = Math.max(a.fromUs ?? -Infinity, b.fromUs ?? -Infinity)
  const toUs = Math.min(a.toUs ?? Infinity, b.toUs ?? Infinity)
  return {
    ...(fromUs === -Infinity ? {} : { fromUs }),
    ...(toUs === Infinity ? {} : { toUs }),
  }
}

/**
 * Returns the station codes that both lists include. A code of 4 characters includes all codes of 9
 * characters that start with it.
 */
function intersectStations(a: readonly string[], b: readonly string[]): string[] {
  const includes = (codes: readonly string[], code: string) =>
    codes.includes(code) || codes.includes(code.slice(0, 4))
  return [
    ...a.filter((code) => includes(b, code)),
    ...b.filter((code) => !a.includes(code) && includes(a, code)),
  ]
}
