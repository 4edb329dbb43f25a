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

/** @param text the column `layout`; `null` before the first start of an indexer */
function layoutFrom(text: string | null): Layout {
  return text === null ? defaultLayout : createLayout(JSON.parse(text) as LayoutLists)
}

/** The layout of each transaction: most find that of the one before. */
export class LastLayout {
  #text: string | null = null
  #layout = defaultLayout

  /** @param text the column `layout` */
  from(text: string | null): Layout {
    if (text !== this.#text) this.#layout = layoutFrom(text)
    this.#text = text
    return this.#layout
  }
}

export function* storedLayout(): Question<Layout> {
  return layoutFrom((yield* value<string>('SELECT layout FROM catalogue WHERE one = 1')) ?? null)
}
