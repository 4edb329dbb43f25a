/** The layout of all HTML pages. */
import type { SiteFacts } from '../http/settings.ts'
import type { Child, Html } from './html.ts'
import { html } from './html.ts'
import { link } from './parts.ts'
import type { OfStation } from './station-tabs.ts'
import { stationTabs } from './station-tabs.ts'

/** The navigation: resources with their words; the first is the start page. */
const sections = [
  ['network', 'Now'],
  ['rinex-file', 'Files'],
  ['station', 'Stations'],
  ['missing', 'Missing'],
  ['report', 'Report'],
  ['archive', 'Archive'],
  ['docs', 'API'],
] as const

type Section = (typeof sections)[number][0]

/** Pages that are reached from those of the navigation, by the names of resources. */
const pagesBelow: ReadonlyMap<string, { readonly of: Section; readonly label: string }> = new Map([
  ['changes', { of: 'rinex-file', label: 'Changes' }],
  ['alerts', { of: 'network', label: 'Alerts' }],
  ['status', { of: 'archive', label: 'Status' }],
])

/** The words of pages in paths, by the names of resources. */
export const sectionLabels: ReadonlyMap<string, string> = new Map<string, string>([
  ...sections,
  ...Array.from(pagesBelow, ([name, { label }]) => [name, label] as const),
])

/** What the layout needs of a page. */
export interface PageFrame {
  /** The title of the document: what is shown, also in few words of its filter. */
  readonly title: string
  /** The heading, if it is not the title; empty if the body has it. */
  readonly heading?: Child
  /** Its name at the end of the path, if it is neither the title nor that of its section. */
  readonly here?: string | undefined
  /** Description of the page for search engines and previews. */
  readonly description?: string
  /** The resource to which the page belongs: of the navigation, or a page below one of it. */
  readonly section?: string
  /** The pages above, below the start page, which has none. */
  readonly crumbs?: readonly { readonly text: string; readonly href: string }[]
  /** The text in the search field. */
  readonly search?: string
  /** The station that it shows, and what stands above its tabs. */
  readonly station?: (OfStation & { readonly lead?: Child }) | undefined
  /** Sentences above the title, in place of those of all pages. */
  readonly banner?: readonly string[] | undefined
  /** Relative path from the page to the API root: `../` for a resource. */
  readonly up: string
  readonly json: string
}

/** A page before it is laid out. */
export interface Page {
  readonly frame: PageFrame
  /** The content below the heading. */
  readonly body: Child
}

/** The document of a page, with what every page says of the archive. */
export function layOut({ frame, body }: Page, site: SiteFacts): string {
  const { title, heading = title, description, up, json, banner = site.banner } = frame
  const h1 = heading && html`<h1>${heading}</h1>`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – ${site.title}</title>
${description && html`<meta name="description" content="${description}">`}
<link rel="stylesheet" href="${up}../assets/page.css">
<script src="${up}../assets/page.js" defer></script>
<link rel="icon" type="image/svg+xml" href="${up}../assets/icon.svg">
<link rel="alternate" type="application/json" href="${json}">
</head>
<body>
${headerOf(frame, site)}<main id="main">
${[site.notice, site.progress].map((text) => text && html`<p class="notice">${text}</p>\n`)}
${banner?.map((text) => html`<p class="notice fault" role="status">${text}</p>\n`)}
${isStart(frame) ? operatorLine(frame, site) : crumbsOf(frame)}${h1}
${frame.station?.lead}${frame.station && stationTabs({ ...frame.station, up }, site)}
${body}
</main>
${footerOf(frame, site)}</body>
</html>
`.toString()
}

function headerOf({ up, section = '', search = '' }: PageFrame, site: SiteFacts): Html {
  const here = pagesBelow.get(section)?.of ?? section
  const items = sections.map(([name, label]) => {
    const isCurrent = name === here && html` aria-current="page"`
    return html`<li><a href="${up}${name}/?format=api"${isCurrent}>${label}</a></li>\n`
  })
  return html`<a class="unseen" href="#main">Skip to content</a>
<header class="row">
<a class="service" href="${up}network/?format=api">${site.title}</a>
<nav aria-label="Resources">
<ul class="plain row">
${items}</ul>
</nav>
<form class="search" method="get" action="${up}search/" role="search" aria-label="The archive">
<input type="search" name="q" value="${search}" aria-label="A station, a file, a day or a country"
 placeholder="Station, file, day, country" title="Press / to search" maxlength="1000"
 autocomplete="off" spellcheck="false" autocapitalize="off"><button>Search</button>
</form>
</header>
`
}

function isStart({ section, here }: PageFrame): boolean {
  return section === 'network' && here === undefined
}

/** The path to the page. */
function crumbsOf({ up, section = '', title, crumbs = [], ...frame }: PageFrame): Html {
  const label = sectionLabels.get(section)
  const here = frame.here ?? (crumbs.length === 0 ? (label ?? title) : title)
  const parents: readonly string[] = ['network', pagesBelow.get(section)?.of ?? 'network']
  const above = [
    ...Array.from(new Set(parents), (name) => ({
      text: sectionLabels.get(name) ?? name,
      href: `${up}${name}/?format=api`,
    })),
    ...crumbs,
  ]
  return html`<nav class="crumbs" aria-label="Path"><ol class="plain row small">${above.map(
    ({ text, href }) => html`<li><a href="${href}">${text}</a></li>`,
  )}<li aria-current="page">${here}</li></ol></nav>
`
}

/** Who runs the archive and how many alerts are open, above the start page. */
function operatorLine({ up }: PageFrame, { facts, openAlerts }: SiteFacts): Html {
  const [operator, contact] = ['Operator', 'Contact'].map((name) =>
    facts.find((fact) => fact.name === name),
  )
  const parts = [
    operator && html`Run by ${link(operator.text, operator.href)}`,
    contact && link(contact.text, contact.href),
    html`<a href="${up}alerts/?${openAlerts > 0 && html`alert=true&amp;`}format=api">Alerts${openAlerts > 0 && ` (${openAlerts})`}</a>`,
  ].filter((part) => part !== undefined)
  return html`<p class="quiet">${parts.map((part, index) => [index > 0 && ' · ', part])}</p>
`
}

function footerOf(frame: PageFrame, site: SiteFacts): Html {
  // The start page says above who runs the archive.
  const facts = site.facts.filter(({ name }) => !isStart(frame) || name === 'Licence')
  return html`<footer>
<ul class="plain row small">
${facts.map(({ name, text, href }) => html`<li>${name}: ${link(text, href)}</li>\n`)}
<li><a href="${frame.json}">This page as JSON</a></li>
</ul>
</footer>
`
}
