/**
 * HTML as a tagged literal that escapes by type: a value of the type `Html` stays as it is, every
 * other value is escaped, quotes too.
 *
 *     html`<ul>${names.map((name) => html`<li>${name}</li>`)}</ul>`
 *
 * How a page is written:
 * - A page is a function from its data to a `Page`: `{ frame, body: html`…` }`. Its parts are
 *   functions that return `Html`; what all pages share is in `layout.ts`, `parts.ts`, `table.ts`,
 *   `filter-form.ts`, `search-field.ts` and `wire.ts`.
 * - What may be absent: `${note && html`<p>${note}</p>`}`. An empty text, `undefined`, null and
 *   `false` are nothing. A number is text, also 0: write `rows.length > 0 && …`.
 * - Values of attributes are quoted: `class="${name}"`. An attribute that may be absent:
 *   `<td${name && html` class="${name}"`}>`.
 * - The cell of a table is such a value: a text, or `html`<code>${path}</code>``.
 */
class Html {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

// The type alone: only the literal makes one.
export type { Html }

/** What may stand in a literal. */
export type Child = Html | string | number | false | null | undefined | readonly Child[]

export function html(strings: TemplateStringsArray, ...values: readonly Child[]): Html {
  let text = strings[0] ?? ''
  // A plain loop: a page has ten thousand literals.
  for (let index = 0; index < values.length; index++)
    text += textOf(values[index]) + (strings[index + 1] ?? '')
  return new Html(text)
}

function textOf(value: Child): string {
  if (typeof value === 'string') return escaped(value)
  if (typeof value === 'number') return String(value)
  if (value instanceof Html) return value.toString()
  return value ? value.map(textOf).join('') : ''
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Also for attributes, and for SVG. */
function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
}
