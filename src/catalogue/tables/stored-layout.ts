/** The layout of the tree as the last indexer used it: what `area` means in the records. */
import type { Layout, LayoutLists } from '../../parse/layout.ts'
import { createLayout, defaultLayout } from '../../parse/layout.ts'
import type { Question } from '../question.ts'
import { value } from '../question.ts'

/** The lists of a layout as the catalogue stores them. */
export function storedText(lists: LayoutLists): string {
  const { areas, suffixes, exclude } = lists
  return JSON.stringify({ areas, suffixes, exclude })
}

/** The last one that was read: most transactions find the same. */
let last: { readonly text: string; readonly layout: Layout } | undefined

/** @param text the column `layout`; `null` before the first start of an indexer */
export function layoutFrom(text: string | null): Layout {
  if (text === null) return defaultLayout
  if (last?.text !== text) last = { text, layout: createLayout(JSON.parse(text) as LayoutLists) }
  return last.layout
}

export function* storedLayout(): Question<Layout> {
  return layoutFrom((yield* value<string>('SELECT layout FROM catalogue WHERE one = 1')) ?? null)
}
