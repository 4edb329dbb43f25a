/** The start page: what the archive is, if it is well, and where to begin. */
import { secondsToIso } from '../../parse/calendar.ts'
import type { Links } from '../http/context.ts'
import type { Identity } from '../http/settings.ts'
import { readableDuration, readableNumber, readableSize, readableTime } from '../pages/labels.ts'
import { page } from '../pages/eta.ts'
import type { Page } from '../pages/layout.ts'
import { factsOf } from '../pages/site.ts'
import type { ArchiveFacts } from './facts.ts'

/** A resource of the API, for the list for programmers. */
interface ListedResource {
  readonly name: string
  readonly url: string
  readonly description: string | undefined
}

const template = `<% if (it.facts.length > 0) { %><p class="identity"><% for (const { name, text, href } of it.facts) { %><span><%= name %>: <% if (href) { %><a href="<%= href %>"><%= text %></a><% } else { %><%= text %><% } %></span> <% } %></p>
<% } %><% if (it.verdict) { %><p class="lead verdict<%= it.verdict.ok ? '' : ' bad' %>"><%= it.verdict.words %></p>
<% } if (it.unknown) { %><p class="notice" role="status"><%= it.unknown %></p>
<% } %><%~ include('@search-field', { up: '' }) %>
<% if (it.isEmpty) { %><p class="notice" role="status">The catalogue has no files yet. They are expected in the folders <code>obs/</code> (daily files, in <code>obs/2026/022/</code>) and <code>nrt/</code> (hourly files, in <code>nrt/2026/022/05/</code>) of the archive<% if (it.isWatched) { %>; a complete file appears here a few seconds after it was written<% } %>. <a href="status/?format=api">What the indexer does now</a></p>
<% } else { %><ul class="totals">
<% for (const { value, label, href } of it.numbers) { %><li><a href="<%= href %>"><b><%= value %></b> <%= label %></a></li>
<% } %></ul>
<% } %><div class="doors">
<% for (const door of it.doors) { %><section>
<h2><%= door.title %></h2>
<ul>
<% for (const { text, href, about } of door.links) { %><li><a href="<%= href %>"><%= text %></a> <%= about %></li>
<% } %></ul>
<% if (door.command) { %><pre><code><%= door.command %></code></pre>
<details>
<summary>All resources</summary>
<dl>
<% for (const { name, url, description } of it.resources) { %><dt><a href="<%= url %>"><%= name %></a></dt>
<dd><%= description %></dd>
<% } %></dl>
</details>
<% } %></section>
<% } %></div>
`

const render = page('overview', template)

interface Overview {
  readonly identity: Identity
  readonly facts: ArchiveFacts
  /** Why the states cannot be read. */
  readonly reason: string | undefined
  readonly links: Links
  readonly resources: readonly ListedResource[]
}

export function renderOverview({ identity, facts, reason, links, resources }: Overview): Page {
  const { verdict, total } = facts
  const isEmpty = total?.files === 0
  return render(
    {
      title: 'Overview',
      heading: identity.title,
      section: '.',
      up: '',
      json: '?format=json',
      description: `${identity.title}. ${verdict?.words ?? ''}`.trim(),
    },
    {
      facts: factsOf(identity),
      // Of an empty archive that is watched there is nothing to say.
      verdict: isEmpty && verdict?.ok === true ? undefined : verdict,
      unknown: verdict === undefined ? (reason ?? unknownState) : undefined,
      isEmpty,
      isWatched: facts.isCurrent,
      numbers: numbersOf(facts),
      doors: doorsOf(exampleOf(links, facts.station)),
      resources,
    },
  )
}

const unknownState =
  'Who delivers is not known at this moment; files and directories that are listed can be downloaded.'

/** Files, bytes, stations and the age of the newest file, as far as they are known. */
function numbersOf(facts: ArchiveFacts) {
  const { total, stations } = facts
  const numbers: readonly (readonly [string | undefined, string, string])[] = [
    [total && readableNumber(total.files), total?.files === 1 ? 'file' : 'files', 'rinex-file'],
    [total && readableSize(total.bytes), sizeLabel(total), 'archive'],
    [
      stations === undefined ? undefined : readableNumber(stations),
      stations === 1 ? 'station' : 'stations',
      'station',
    ],
    [...newestOf(facts), 'changes'],
  ]
  return numbers.flatMap(([value, label, name]) =>
    value === undefined ? [] : [{ value, label, href: `${name}/?format=api` }],
  )
}

/** How old the newest file is; its time while the catalogue, and so the page, stands still. */
function newestOf({ verdict, now, isCurrent }: ArchiveFacts) {
  const { newest } = verdict ?? {}
  if (newest === undefined) return [undefined, ''] as const
  if (!isCurrent) return [readableTime(secondsToIso(newest)), 'UTC: the newest file'] as const
  return [readableDuration(now - newest), 'since the newest file'] as const
}

function sizeLabel(total: ArchiveFacts['total']): string {
  const { files = 0, sized = 0 } = total ?? {}
  return sized === files ? 'of data' : `in ${readableNumber(sized)} files, whose sizes are known`
}

interface DoorLink {
  readonly name: string
  readonly text: string
  readonly about: string
}

interface Door {
  readonly title: string
  readonly links: readonly DoorLink[]
  /** True if a first request is shown below its links. */
  readonly hasExample?: boolean
}

const doors: readonly Door[] = [
  {
    title: 'Get data',
    links: [
      { name: 'rinex-file', text: 'Files', about: 'by station, country, time and type' },
      { name: 'station', text: 'Stations', about: 'with what they delivered' },
      { name: '../data', text: 'Directories', about: 'as they are on disk, for wget and browsers' },
      { name: 'changes', text: 'Changes', about: 'what is new, replaced or gone, for mirrors' },
    ],
  },
  {
    title: 'Watch the network',
    links: [
      { name: 'network', text: 'Network', about: 'who delivers now, and who does not' },
      { name: 'alerts', text: 'Alerts', about: 'what is late, down or damaged, and since when' },
      { name: 'missing', text: 'Missing', about: 'files to fetch again' },
      { name: 'report', text: 'Report', about: 'the week in numbers' },
      { name: 'archive', text: 'Archive', about: 'how large, by year, type and period' },
      { name: 'status', text: 'Status', about: 'what the service does' },
    ],
  },
  {
    title: 'Write a program',
    hasExample: true,
    links: [
      { name: 'docs', text: 'API reference', about: 'with examples to run' },
      { name: 'schema', text: 'OpenAPI document', about: 'for generators of clients' },
    ],
  },
]

function doorsOf(command: string) {
  return doors.map(({ title, links, hasExample = false }) => ({
    title,
    links: links.map(({ name, text, about }) => {
      return { text, about, href: name.startsWith('.') ? `${name}/` : `${name}/?format=api` }
    }),
    command: hasExample ? command : '',
  }))
}

function exampleOf({ api }: Links, station: string | undefined): string {
  const filter = station === undefined ? '' : `&station=${station}`
  return `curl '${api}rinex-file/?limit=5${filter}'`
}
