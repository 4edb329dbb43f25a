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
  return html` <span class="quiet"${title && html` title="${title}"`}>${text}</span>`
}

/** A text of the header of a file turns only itself, if it is written from right to left. */
export function fromHeader(text: string): Html {
  return html`<bdi>${text}</bdi>`
}

/** A command, and what copies it. @param after what follows */
export function commandHtml(command: string, after?: Child): Html {
  return html`<div class="command row"><pre tabindex="0"><code>${command}</code></pre><button type="button" class="copy small" hidden>Copy</button>${after}</div>
`
}

/** A text whose parts in backticks are code. */
export function prose(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`
}

/** What a page shows, for programs: a command, and links to formats. */
interface Getting {
  readonly command: string
  readonly formats: readonly { readonly text: string; readonly href: string }[]
  /** What is got; `them` without it. */
  readonly what?: string
}

/** One line: how to get what a page shows. */
export function getLine({ command, formats, what = 'them' }: Getting): Html {
  const links = formats.map(({ text, href }) => html` <a href="${href}">${text}</a>`)
  return html`<div class="command get panel row small"><b>Get ${what}</b>
<pre tabindex="0"><code>${command}</code></pre><button type="button" class="copy small" hidden>Copy</button>${links}</div>
`
}

/** The command that fetches a URL. */
export function fetchCommand(url: string): string {
  return `curl -s '${url.replaceAll("'", '%27')}'`
}
