/**
 * The layout of all HTML pages, and the template engine. Templates are strings in the source, so
 * they need no build step. Output of `<%=` is escaped.
 */
import { Eta } from 'eta/core'
import { chipsTemplate, formTemplate } from './filter-form.ts'
import { tableTemplate } from './table.ts'

const layout = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title><%= it.title %> – RINEX file catalogue</title>
<% if (it.description) { %><meta name="description" content="<%= it.description %>"><% } %>
<link rel="stylesheet" href="<%= it.up %>../assets/page.css">
<script src="<%= it.up %>../assets/page.js" defer></script>
<link rel="icon" type="image/svg+xml" href="<%= it.up %>../assets/icon.svg">
<link rel="alternate" type="application/json" href="<%= it.json %>">
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header>
<p class="service"><a href="<%= it.up %>./?format=api">RINEX file catalogue</a></p>
<nav aria-label="Resources">
<ul>
<% for (const [section, label] of it.sections) { %><li><a href="<%= it.up %><%= section %>/?format=api"<% if (section === it.section) { %> aria-current="page"<% } %>><%= label %></a></li>
<% } %></ul>
</nav>
</header>
<main id="main">
<% for (const text of it.banner ?? []) { %><p class="banner" role="status"><%= text %></p>
<% } %><h1><%= it.title %></h1>
<%~ it.body %>
</main>
<footer>
<p><a href="<%= it.json %>">This page as JSON</a></p>
</footer>
</body>
</html>
`

/** The navigation: resources with their labels. */
const sections = [
  ['network', 'Network'],
  ['rinex-file', 'Files'],
  ['station', 'Stations'],
  ['missing', 'Missing'],
  ['report', 'Weeks'],
  ['changes', 'Changes'],
  ['status', 'Status'],
  ['docs', 'Reference'],
] as const

const eta = new Eta({ autoTrim: false })
eta.loadTemplate('@layout', layout)

export interface PageFrame {
  readonly title: string
  /** Description of the page for search engines and previews. */
  readonly description?: string
  /** The resource in the navigation to which the page belongs. */
  readonly section?: string
  /** Sentences above the title, about what concerns the whole page. */
  readonly banner?: readonly string[]
  /** Relative path from the page to the API root: `../` for a resource. */
  readonly up: string
  /** Relative URL of the same page as JSON. */
  readonly json: string
}

/** Registers a partial: templates include it as `@name`. */
export function partial(name: string, template: string): void {
  eta.loadTemplate(`@${name}`, template)
}

partial('table', tableTemplate)
partial('form', formTemplate)
partial('chips', chipsTemplate)

/** Shows a text; its parts in backticks become code. */
partial(
  'prose',
  `<% it.text.split('\`').forEach((part, position) => { if (position % 2 === 1) { %><code><%= part %></code><% } else { %><%= part %><% } }) %>`,
)

/** Names the unknown parameters, so that people notice a typing error in a filter. */
partial(
  'ignored',
  `<% if (it.ignored.length > 0) { %>
<p class="notice" role="status">Unknown parameters, ignored:
<% for (const name of it.ignored) { %><code><%= name %></code> <% } %></p>
<% } %>
`,
)

/** Shows a picture, which scrolls sideways on narrow screens. */
partial(
  'picture',
  `<div class="wide" tabindex="0" role="region" aria-label="<%= it.label %>">
<%~ it.svg %>
</div>`,
)

/** Shows the facts that have a value in columns: each has a name, a value and perhaps a link. */
partial(
  'facts',
  `<dl class="facts">
<% for (const fact of it.facts) if ((fact.value ?? '') !== '') { %>
<div><dt><%= fact.name %></dt>
<dd><% if (fact.href) { %><a href="<%= fact.href %>"><%= fact.value %></a><% } else { %><%= fact.value %><% } %></dd></div>
<% } %>
</dl>`,
)

/**
 * Compiles a template under a unique name. Returns the function that renders it, without the
 * layout.
 */
export function fragment(name: string, template: string): (data: object) => string {
  eta.loadTemplate(`@${name}`, template)
  return (data) => eta.render(`@${name}`, data)
}

/** Compiles a template under a unique name. Returns the function that renders it in the layout. */
export function page(name: string, template: string): (frame: PageFrame, data: object) => string {
  const render = fragment(name, template)
  return (frame, data) => eta.render('@layout', { sections, ...frame, body: render(data) })
}
