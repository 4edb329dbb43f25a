/** Templates that are strings, as long as there are pages that are not functions yet. */
import { Eta } from 'eta/core'
import { chips } from './filter-form.ts'
import { html, Html } from './html.ts'
import type { Child } from './html.ts'
import type { Page, PageFrame } from './layout.ts'
import { factList, ignoredNotice, picture, prose } from './parts.ts'
import { searchField } from './search-field.ts'
import { table } from './table.ts'

const eta = new Eta({ autoTrim: false })

export function partial(name: string, template: string): void {
  eta.loadTemplate(`@${name}`, template)
}

export function fragment(name: string, template: string): (data: object) => Html {
  eta.loadTemplate(`@${name}`, template)
  return (data) => new Html(eta.render(`@${name}`, data))
}

export function page(name: string, template: string): (frame: PageFrame, data: object) => Page {
  const render = fragment(name, template)
  return (frame, data) => ({ frame, body: render(data) })
}

const shared: Readonly<Record<string, (data: never) => Child>> = {
  table,
  facts: ({ facts }: { readonly facts: Parameters<typeof factList>[0] }) => factList(facts),
  ignored: ({ ignored }: { readonly ignored: readonly string[] }) => ignoredNotice(ignored),
  picture: ({ label, svg }: { readonly label: string; readonly svg: Html }) => picture(label, svg),
  prose: ({ text }: { readonly text: string }) => prose(text),
  chips: ({ active }: { readonly active: Parameters<typeof chips>[0] }) => chips(active),
  'search-field': ({ up, text }: { readonly up: string; readonly text?: string }) =>
    searchField(up, text),
}
for (const [name, render] of Object.entries(shared))
  eta.loadTemplate(`@${name}`, (data) => html`${render(data as never)}`.toString())
