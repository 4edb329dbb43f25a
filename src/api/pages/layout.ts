/** The layout of all HTML pages. */
import type { SiteFacts } from '../http/settings.ts'
import type { Child, Html } from './html.ts'
import { html } from './html.ts'
import { link } from './parts.ts'

/** The navigation: resources with their words; the first is the start page. */
const sections = [
  ['network', 'Network'],
  ['rinex-file', 'Files'],
  ['station', 'Stations'],
  ['alerts', 'Alerts'],
  ['missing', 'Missing'],
  ['report', 'Report'],
  ['archive', 'Archive'],
  ['changes', 'Changes'],
  ['status', 'Status'],
  ['docs', 'API'],
] as const

/** The words of the navigation by the names of resources. */
export const sectionLabels: ReadonlyMap<string, string> = new Map(sections)

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
  /** The resource of the navigation to which the page belongs. */
  readonly section?: string
  /** The pages above, below the start page, which has none. */
  readonly crumbs?: readonly { readonly text: string; readonly href: string }[]
  /** Sentences above the title, about what concerns the whole page. */
  readonly banner?: readonly string[]
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
  const { title, heading = title, description, up, json, banner = [] } = frame
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
${site.notices.map((notice) => html`<p class="notice">${notice}</p>\n`)}
${banner.map((text) => html`<p class="banner" role="status">${text}</p>\n`)}
${crumbsOf(frame)}<h1>${heading}</h1>
${body}
</main>
${footerOf(json, site)}</body>
</html>
`.toString()
}

function headerOf({ up, section }: PageFrame, site: SiteFacts): Html {
  const items = sections.map(([name, label]) => {
    const isCurrent = name === section && html` aria-current="page"`
    const alerts = name === 'alerts' && site.openAlerts > 0 && ` (${site.openAlerts})`
    return html`<li><a href="${up}${name}/?format=api"${isCurrent}>${label}${alerts}</a></li>\n`
  })
  return html`<a class="skip" href="#main">Skip to content</a>
<header>
<p class="service"><a href="${up}network/?format=api">${site.title}</a></p>
<form class="search" method="get" action="${up}search/" role="search" aria-label="The archive">
<input type="search" name="q" aria-label="Search" placeholder="Station, country, file or date"
 title="Press / to search" autocomplete="off" spellcheck="false" maxlength="1000"><button>Search</button>
</form>
<nav aria-label="Resources">
<ul>
${items}</ul>
</nav>
</header>
`
}

/** The path to the page; the start page has none. */
function crumbsOf({ up, section, title, crumbs = [], ...frame }: PageFrame): Child {
  const isStart = section === 'network' && frame.here === undefined
  if (isStart) return undefined
  const label = sectionLabels.get(section ?? '')
  const here = frame.here ?? (crumbs.length === 0 ? (label ?? title) : title)
  const above = [{ text: 'Network', href: `${up}network/?format=api` }, ...crumbs]
  return html`<nav class="crumbs" aria-label="Path"><ol>${above.map(
    ({ text, href }) => html`<li><a href="${href}">${text}</a></li>`,
  )}<li aria-current="page">${here}</li></ol></nav>
`
}

function footerOf(json: string, { facts }: SiteFacts): Html {
  return html`<footer>
<ul>
${facts.map(({ name, text, href }) => html`<li>${name}: ${link(text, href)}</li>\n`)}
<li><a href="${json}">This page as JSON</a></li>
</ul>
</footer>
`
}
