/**
 * The layout of all HTML pages, and the template engine. Templates are strings in the source, so
 * they need no build step. Output of `<%=` is escaped.
 */
import { Eta } from 'eta/core'

const layout = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title><%= it.title %> – <%= it.site.title %></title>
<% if (it.description) { %><meta name="description" content="<%= it.description %>"><% } %>
<link rel="stylesheet" href="<%= it.up %>../assets/page.css">
<script src="<%= it.up %>../assets/page.js" defer></script>
<link rel="icon" type="image/svg+xml" href="<%= it.up %>../assets/icon.svg">
<link rel="alternate" type="application/json" href="<%= it.json %>">
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header>
<p class="service"><a href="<%= it.up %>./?format=api"><%= it.site.title %></a></p>
<form class="search" method="get" action="<%= it.up %>search/" role="search" aria-label="The archive">
<input type="search" name="q" aria-label="Search" placeholder="Station, country, file or date" title="Press / to search" autocomplete="off" spellcheck="false" maxlength="1000"><button>Search</button>
</form>
<nav aria-label="Resources">
<ul>
<% for (const [section, label] of it.sections) { %><li><a href="<%= it.up %><%= section %>/?format=api"<% if (section === it.section) { %> aria-current="page"<% } %>><%= label %><% if (section === 'alerts' && it.site.openAlerts > 0) { %> (<%= it.site.openAlerts %>)<% } %></a></li>
<% } %></ul>
</nav>
</header>
<main id="main">
<% for (const notice of it.site.notices) { %><p class="notice"><%= notice %></p>
<% } %><% for (const text of it.banner ?? []) { %><p class="banner" role="status"><%= text %></p>
<% } %><% if (it.section !== '.') { %><nav class="crumbs" aria-label="Path"><ol><li><a href="<%= it.up %>./?format=api">Overview</a></li><% for (const crumb of it.crumbs ?? []) { %><li><a href="<%= crumb.href %>"><%= crumb.text %></a></li><% } %><li aria-current="page"><%= it.here %></li></ol></nav>
<% } %><h1><%= it.heading ?? it.title %></h1>
<%~ it.body %>
</main>
<footer>
<ul>
<% for (const { name, text, href } of it.site.facts) { %><li><%= name %>: <% if (href) { %><a href="<%= href %>"><%= text %></a><% } else { %><%= text %><% } %></li>
<% } %><li><a href="<%= it.json %>">This page as JSON</a></li>
</ul>
</footer>
</body>
</html>
`

/** The navigation: resources with their words; `.` is the root. */
const sections = [
  ['.', 'Overview'],
  ['rinex-file', 'Files'],
  ['station', 'Stations'],
  ['network', 'Network'],
  ['alerts', 'Alerts'],
  ['missing', 'Missing'],
  ['report', 'Report'],
  ['changes', 'Changes'],
  ['status', 'Status'],
  ['docs', 'API'],
] as const

/** The words of the navigation by the names of resources. */
export const sectionLabels: ReadonlyMap<string, string> = new Map(sections)

const eta = new Eta({ autoTrim: false })
eta.loadTemplate('@layout', layout)

/** What the layout needs of a page. */
export interface PageFrame {
  /** The title of the document: what is shown, also in few words of its filter. */
  readonly title: string
  /** The heading, if it is not the title. */
  readonly heading?: string
  /** Its name at the end of the path, if it is neither the title nor that of its section. */
  readonly here?: string | undefined
  /** Description of the page for search engines and previews. */
  readonly description?: string
  /** The resource of the navigation to which the page belongs; `.` is the root. */
  readonly section?: string
  /** The pages above, below Overview. */
  readonly crumbs?: readonly { readonly text: string; readonly href: string }[]
  /** Sentences above the title, about what concerns the whole page. */
  readonly banner?: readonly string[]
  /** Relative path from the page to the API root: `../` for a resource. */
  readonly up: string
  readonly json: string
}

/** Registers a partial: templates include it as `@name`. */
export function partial(name: string, template: string): void {
  eta.loadTemplate(`@${name}`, template)
}

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
<div<% if (fact.className) { %> class="<%= fact.className %>"<% } %>><dt><%= fact.name %></dt>
<dd><% if (fact.href) { %><a href="<%= fact.href %>"><%= fact.value %></a><% } else { %><%= fact.value %><% } %></dd></div>
<% } %>
</dl>`,
)

/** Compiles a template under a unique name. Returns the function that renders it. */
export function fragment(name: string, template: string): (data: object) => string {
  eta.loadTemplate(`@${name}`, template)
  return (data) => eta.render(`@${name}`, data)
}

/** A page before it is laid out. */
export interface Page {
  readonly frame: PageFrame
  /** HTML of the content below the heading. */
  readonly body: string
}

/** Compiles the template of a page under a unique name. Returns the function that makes it. */
export function page(name: string, template: string): (frame: PageFrame, data: object) => Page {
  const render = fragment(name, template)
  return (frame, data) => ({ frame, body: render(data) })
}

/** A fact of the footer: a text, and its link. */
export interface SiteFact {
  readonly name: string
  readonly text: string
  readonly href?: string | undefined
}

export interface SiteFacts {
  readonly title: string
  /** Sentences above all pages. */
  readonly notices: readonly string[]
  readonly facts: readonly SiteFact[]
  /** 0 also while it is not known. */
  readonly openAlerts: number
}

/** Puts a page into the layout, with what every page says of the archive. */
export function layOut({ frame, body }: Page, site: SiteFacts): string {
  const { section, crumbs = [], title } = frame
  const [, label] = sections.find(([name]) => name === section) ?? []
  const here = frame.here ?? (crumbs.length === 0 ? (label ?? title) : title)
  return eta.render('@layout', { sections, ...frame, site, here, body })
}
