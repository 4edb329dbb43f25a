/**
 * The areas of the archive in descriptions and examples. These are written once, with words in
 * braces for the areas, in place of which the document of an archive has its own. Pure.
 */
import type { Layout } from '../../parse/layout.ts'
import { hasSeedAreas } from '../../parse/layout.ts'

/** The first area. */
export const firstArea = '{area}'
/** Each other area, as a name or an item; within a text the second one, or the only one. */
export const otherArea = '{other_area}'
/** The areas as the items of a list. */
export const allAreas = [firstArea, otherArea]
/** What the paths of files begin with in the first area, and in the second one. */
export const inFirst = '{in_area}'
export const inOther = '{in_other_area}'
/** Where a directory is that is in no area. */
export const inNone = '{in_no_area}'

export type Described = Pick<Layout, 'areas' | 'roots'>

/** A value with the areas of an archive in place of the words. */
export function withAreas<T>(value: T, layout: Described): T {
  const { areas, roots } = layout
  const [first = '', second = first] = areas
  const [firstRoot = '', secondRoot = firstRoot] = roots
  const words: Readonly<Record<string, string>> = {
    [firstArea]: first,
    [otherArea]: second,
    [inFirst]: prefixOf(firstRoot),
    [inOther]: prefixOf(secondRoot),
    [inNone]: hasSeedAreas(layout) ? 'neither in `obs` nor in `nrt`' : 'in none of the areas',
  }
  return written(value, { words, others: areas.slice(1) }) as T
}

interface Writing {
  readonly words: Readonly<Record<string, string>>
  readonly others: readonly string[]
}

function written(value: unknown, writing: Writing): unknown {
  if (typeof value === 'string')
    return value.replace(/\{\w+\}/g, (word) => writing.words[word] ?? word)
  if (Array.isArray(value))
    return value.flatMap((each: unknown) =>
      eachOther(each, writing).map((own) => written(each, own)),
    )
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      eachOther(name, writing).map((own) => [
        name === firstArea || name === otherArea ? written(name, own) : name,
        written(inner, own),
      ]),
    ),
  )
}

/** What stands for the other areas is written once for each of them. */
function eachOther(item: unknown, writing: Writing): readonly Writing[] {
  if (item !== otherArea) return [writing]
  return writing.others.map((area) => ({
    ...writing,
    words: { ...writing.words, [otherArea]: area },
  }))
}

const prefixOf = (root: string): string => (root === '' ? '' : `${root}/`)
