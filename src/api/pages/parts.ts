/** Small parts of pages. */
import type { Child, Html } from './html.ts'
import { html } from './html.ts'

/** Names the unknown parameters, so that people notice a typing error in a filter. */
export function ignoredNotice(names: readonly string[]): Child {
  return (
    names.length > 0 &&
    html`<p class="notice" role="status">Unknown parameters, ignored:
${names.map((name) => html`<code>${name}</code> `)}</p>
`
  )
}

/** A fact: a name, and a value with perhaps a link. */
interface Fact {
  readonly name: string
  readonly value: Child
  readonly href?: string | undefined
  readonly className?: string
}

/** The facts that have a value, in columns. */
export function factList(facts: readonly Fact[]): Html {
  const known = facts.filter(({ value }) => (value ?? '') !== '')
  return html`<dl class="facts">
${known.map(
  ({ name, value, href, className }) => html`
<div${className && html` class="${className}"`}><dt>${name}</dt>
<dd>${link(value, href)}</dd></div>
`,
)}
</dl>`
}

/** A text with a link, if there is one. @param label of the link for screen readers */
export function link(content: Child, href: string | null | undefined, label = ''): Child {
  return href
    ? html`<a href="${href}"${label && html` aria-label="${label}"`}>${content}</a>`
    : content
}

/** A remark after a text. */
export function note(text: string, title = ''): Html {
  return html` <span class="note"${title && html` title="${title}"`}>${text}</span>`
}

/** A command, and what copies it. @param after what follows */
export function commandHtml(command: string, after?: Child): Html {
  return html`<div class="command"><pre tabindex="0"><code>${command}</code></pre><button type="button" class="copy" hidden>Copy</button>${after}</div>
`
}

/** A text whose parts in backticks are code. */
export function prose(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`
}

/**
 * The request for the JSON of a page and the head of its response, as programs see them.
 * @param headers of the response besides those of all JSON, with names in lower case
 */
export function wireOf(json: URL, headers: Readonly<Record<string, string>>): Html {
  const { href, host, pathname, search } = json
  const nameOf = (name: string): string =>
    name.replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())
  const lines = [
    `Host: ${host}`,
    '',
    'HTTP/1.1 200 OK',
    'Content-Type: application/json',
    'Vary: Accept',
    'Cache-Control: no-cache',
    ...Object.entries(headers).map(([name, value]) => `${nameOf(name)}: ${value}`),
  ]
  return html`<details class="wire">
<summary>Request and response</summary>
<pre tabindex="0">GET <a href="${href}">${pathname}${search}</a> HTTP/1.1
${lines.map((line) => `${line}\n`)}</pre>
</details>
`
}
