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

/** The layout of each transaction: most find that of the one before. */
export class LastLayout {
  #text: string | null = null
  #layout = defaultLayout

  /** @param text the column `layout`; `null` before the first start of an indexer */
  from(text: string | null): Layout {
    if (text !== this.#text)
      this.#layout = text === null ? defaultLayout : createLayout(JSON.parse(text) as LayoutLists)
    this.#text = text
    return this.#layout
  }
}

/** The lists as the last indexer used them; `undefined` before the first start of an indexer. */
export function* storedLists(): Question<LayoutLists | undefined> {
  const text = yield* value<string>('SELECT layout FROM catalogue WHERE one = 1')
  return text === undefined ? undefined : (JSON.parse(text) as LayoutLists)
}

export function* storedLayout(): Question<Layout> {
  const lists = yield* storedLists()
  return lists === undefined ? defaultLayout : createLayout(lists)
}
