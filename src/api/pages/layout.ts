/**
 * The layout of all HTML pages, their tables and assets, and the template engine. Templates are
 * strings in the source, so they need no build step. Output of `<%=` is escaped.
 */
import fastifyStatic from '@fastify/static'
import { Eta } from 'eta/core'
import { exactTime, periodLabel, readableDate, readableShare, readableTime } from './labels.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { packageRoot } from '../../runtime/program.ts'
import type { Period } from '../../series/series.ts'
import type { ApiContext } from '../http/context.ts'
import { addResource } from '../http/resource.ts'

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
<% for (const { href, title, type } of it.alternates ?? []) { %><link rel="alternate" type="<%= type %>" title="<%= title %>" href="<%= href %>">
<% } %></head>
<body<% if (it.isBare) { %> class="bare"<% } %>>
<% if (!it.isBare) { %><a class="skip" href="#main">Skip to content</a>
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
<% } %><main id="main">
<% for (const notice of it.site.notices) { %><p class="notice"><%= notice %></p>
<% } %><% for (const text of it.banner ?? []) { %><p class="banner" role="status"><%= text %></p>
<% } %><% if (!it.isBare && it.section !== '.') { %><nav class="crumbs" aria-label="Path"><ol><li><a href="<%= it.up %>./?format=api">Overview</a></li><% for (const crumb of it.crumbs ?? []) { %><li><a href="<%= crumb.href %>"><%= crumb.text %></a></li><% } %><li aria-current="page"><%= it.here %></li></ol></nav>
<% } %><h1><%= it.heading ?? it.title %></h1>
<%~ it.body %>
</main>
<% if (!it.isBare) { %><footer>
<ul>
<% for (const { name, text, href } of it.site.facts) { %><li><%= name %>: <% if (href) { %><a href="<%= href %>"><%= text %></a><% } else { %><%= text %><% } %></li>
<% } %><li><a href="<%= it.json %>">This page as JSON</a></li>
</ul>
</footer>
<% } %></body>
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
  /** Feeds, and other forms of the page that programs look for. */
  readonly alternates?: readonly {
    readonly href: string
    readonly title: string
    readonly type: string
  }[]
  /** True without header, navigation and footer, for a screen on the wall. */
  readonly isBare?: boolean
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

/** Shows a table, in a region that scrolls sideways on narrow screens. */
partial(
  'table',
  `<div class="wide" tabindex="0"<% if (it.label) { %> role="region" aria-label="<%= it.label %>"<% } %>>
<% const isCards = (it.className ?? '').split(' ').includes('cards') %><table<% if (it.className) { %> class="<%= it.className %>"<% } %><% if (isCards) { %> role="table"<% } %>>
<% if (it.caption) { %><caption><%= it.caption %></caption>
<% } %><thead>
<tr><% const columns = it.columns.map((each) => (typeof each === 'string' ? { label: each } : each)); for (const column of columns) { %><th scope="col"<% if (column.isNumber) { %> class="number"<% } %><% if (column.sort) { %> aria-sort="<%= column.sort %>"<% } %>><% if (column.href) { %><a href="<%= column.href %>"><%= column.label %></a><% } else { %><%= column.label %><% } %></th><% } %></tr>
</thead>
<tbody>
<% for (const row of it.rows) { %><tr<% if (isCards) { %> role="row"<% } %>><% for (let index = 0; index < row.length; index++) { const cell = row[index]; const number = columns[index].isNumber ? ' class="number"' : cell.isProse ? ' class="prose"' : ''; const { label } = columns[index]; if (typeof cell === 'string') { %><td<%~ number %><% if (isCards) { %> role="cell" data-label="<%= label %>"<% } %>><%= cell %></td><% } else { const tag = cell.isHeader ? 'th' : 'td' %><<%~ tag %><% if (cell.isHeader) { %> scope="row"<% } %><%~ number %><% if (isCards) { %> role="<%= cell.isHeader ? 'rowheader' : 'cell' %>" data-label="<%= label %>"<% } %>><% if (cell.href) { %><a href="<%= cell.href %>"<% if (cell.label) { %> aria-label="<%= cell.label %>"<% } %>><%= cell.text %></a><% } else if (cell.time) { %><time datetime="<%= cell.time %>"<% if (cell.isMoment) { %> class="ago"<% } %><% if (cell.title) { %> title="<%= cell.title %>"<% } %>><%= cell.text %></time><% } else if (cell.title) { %><abbr title="<%= cell.title %>"><%= cell.text %></abbr><% } else if (cell.isProse) { %><%~ include('@prose', cell) %><% } else if (cell.isCode) { %><code><%= cell.text %></code><% } else if (cell.className) { %><span class="<%= cell.className %>"><%= cell.text %></span><% } else { %><%= cell.text %><% } %><% if (typeof cell.percent === 'number') { %> <meter min="0" max="100" low="80" high="90" optimum="100" value="<%= cell.percent %>" aria-hidden="true"></meter><% } %><% if (cell.problem) { %> <span class="state bad"><%= cell.problem %></span><% } %><% if (cell.note) { %> <span class="note"<% if (cell.noteTitle) { %> title="<%= cell.noteTitle %>"<% } %>><%= cell.note %></span><% } %><% if (cell.lines && cell.lines.length > 0) { if (cell.summary) { %><details><summary><%= cell.summary %></summary><% } %><% for (const line of cell.lines) { %><code><%= line %></code><br><% } %><% if (cell.summary) { %></details><% } } %></<%~ tag %>><% } } %></tr>
<% } %></tbody>
</table>
</div>
`,
)

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

export interface Column {
  readonly label: string
  readonly isNumber?: boolean
  readonly href?: string
  readonly sort?: 'ascending' | 'descending' | ''
}

export interface Cell {
  readonly text: string
  readonly href?: string | null | undefined
  /** Text of the link for screen readers. */
  readonly label?: string
  /** The ISO time that the text shows. */
  readonly time?: string | null
  /** True if the script shows the time as an age. */
  readonly isMoment?: boolean
  /** The title of the text: its code, or what is exact. */
  readonly title?: string
  /** True if the cell names its row. */
  readonly isHeader?: boolean
  readonly isCode?: boolean
  /** True for sentences, which may break; their parts in backticks become code. */
  readonly isProse?: boolean
  /** CSS classes of the text: `state late`, with a symbol, or `share poor`. */
  readonly className?: string
  /** Length of the bar after the text, 0 to 100. */
  readonly percent?: number | null
  readonly problem?: string
  readonly note?: string
  readonly noteTitle?: string
  /** Further lines of the cell, shown as code. */
  readonly lines?: readonly string[]
  /** Text that opens the lines when clicked; without it, the lines are always shown. */
  readonly summary?: string
}

export interface Table {
  readonly label?: string
  readonly caption?: string
  readonly className?: string
  readonly columns: readonly (Column | string)[]
  readonly rows: readonly (readonly (Cell | string)[])[]
}

export function numberColumns(...labels: readonly string[]): readonly Column[] {
  return labels.map((label) => ({ label, isNumber: true }))
}

/** A time, which the script shows as `3 min ago`; its title is exact. */
export function momentCell(iso: string | null): Cell {
  return { text: readableTime(iso), time: iso, title: exactTime(iso), isMoment: true }
}

/** The period of a series in words. */
export function periodCell(period: Period): Cell {
  return { text: periodLabel(period), title: period }
}

/** The start of data. */
export function dateCell(time: string | null): Cell {
  return { text: readableDate(time), time }
}

/** The state of a series or a slot: a shape and a word. */
export function stateCell(state: string): Cell {
  return { text: state, className: `state ${state}` }
}

/** A share, 0 to 1, with a bar; empty if it is null. */
export function shareCell(share: number | null): Cell {
  const percent = share === null ? null : Math.round(share * 100)
  return { text: readableShare(share), percent }
}

/** The compiler does not copy assets, so `dist/` uses this folder too. */
const folder = join(packageRoot, 'src/api/pages/assets')

/** The assets of the HTML pages. Each has a route, so no other file can be reached. */
const names = ['page.css', 'page.js', 'icon.svg']

/** Where browsers look for the icon of everything that does not name one, for example JSON. */
const iconPath = '/favicon.ico'

/** The icon as a `data:` URL, for pages that may request nothing. */
export const iconData = `data:image/svg+xml;base64,${readFileSync(join(folder, 'icon.svg'), 'base64')}`

export async function addAssets(app: FastifyInstance, { settings }: ApiContext): Promise<void> {
  // Ranges are off, because a 416 of this plugin has no `Content-Range` (RFC 9110, 15.5.17), and
  // small files need no ranges.
  await app.register(fastifyStatic, { root: folder, serve: false, acceptRanges: false })
  const assets = names.map((name) => [`/${settings.datasetPrefix}/assets/${name}`, name] as const)
  for (const [path, name] of [...assets, [iconPath, 'icon.svg'] as const])
    addResource(app, {
      path,
      get: (_request, reply) =>
        reply.header('vary', 'Accept-Encoding').sendFile(name, { maxAge: '1h' }),
    })
}
