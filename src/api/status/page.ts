/** The HTML page of the status. */
import type { IndexerProblem } from '../../control-socket/protocol.ts'
import type { Layout } from '../../parse/layout.ts'
import { counted, readableDuration, readableNumber, readableTime } from '../../runtime/readable.ts'
import type { serviceLines } from '../archive/service-lines.ts'
import { reasonLabel, suffixWords } from '../file-problems/problem-list.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import type { Page } from '../pages/layout.ts'
import { stationMark } from '../pages/marks.ts'
import { factList, link, prose } from '../pages/parts.ts'
import type { Table } from '../pages/table.ts'
import { headerColumn, numberColumns, table, timeCell } from '../pages/table.ts'
import type { WireStatus } from './serialise.ts'

const stateMeanings: Readonly<Record<WireStatus['state'], string>> = {
  starting: 'It opens the catalogue; lists and downloads work.',
  scanning: 'It reads the whole archive; files are listed as it finds them.',
  watching: 'It lists new, replaced and removed files as they change in the archive.',
  degraded: 'A problem needs attention; the catalogue is served, but it may not be up to date:',
  stopped:
    'No indexer runs: lists and downloads work, but changes of the archive are not listed until it starts.',
}

interface StatusPageOptions {
  readonly layout: Layout
  readonly problems: readonly IndexerProblem[]
  readonly service: ReturnType<typeof serviceLines>
  /** True if the paths of files with problems are public. */
  readonly isPublic: boolean
}

export function renderStatus(
  status: WireStatus,
  { layout, problems, service, isPublic }: StatusPageOptions,
): Page {
  return {
    frame: { title: 'Status', section: 'status', up: '../', json: '?format=json' },
    body: html`<div data-live>
${stateHtml(status, problems)}
${scanHtml(status)}
<h2>Service</h2>
${factList(service)}
${rescansHtml(status)}
${rejectedHtml(status, layout)}
${problemsHtml(status, isPublic)}
<h2>More</h2>
${factList(factsOf(status))}
<p>Size, kinds and disks: <a href="../archive/?format=api">Archive</a></p>
</div>
`,
  }
}

function stateHtml({ state }: WireStatus, problems: readonly IndexerProblem[]): Html {
  const mark = state === 'stopped' ? 'down' : state === 'degraded' ? 'late' : 'delivers'
  return html`<p class="lead">The indexer is ${stationMark(mark)} <strong>${state}</strong>.
 ${stateMeanings[state]}</p>
${
  problems.length > 0 &&
  html`<ul class="notice fault plain">
${problems.map(({ text, advice }) => html`<li><strong>${text}</strong><br>${prose(advice)}</li>\n`)}
</ul>`
}`
}

function scanHtml({ scan }: WireStatus): Child {
  if (scan === null) return undefined
  const { directories_done: done, directories_found: found, seconds_left: left } = scan
  const facts = [
    { name: 'Started (UTC)', value: readableTime(scan.started, 'second') },
    {
      name: 'Time left',
      value: left === null ? 'not known yet' : `about ${readableDuration(Math.ceil(left))}`,
    },
    {
      name: 'Directories read',
      value: `${readableNumber(done)} of ${readableNumber(found)} found so far`,
    },
    { name: 'Files found', value: readableNumber(scan.files) },
    { name: 'Files a second', value: readableNumber(Math.round(scan.files_per_second)) },
  ]
  const percent = Math.floor(scan.done * 100)
  return html`<h2>Running scan</h2>
<p><label>${percent} % of the tree <progress max="1" value="${scan.done}"></progress></label></p>
${factList(facts)}
`
}

function rescansHtml({ rescans }: WireStatus): Child {
  const rows = (rescans?.ended ?? []).map((rescan): readonly Child[] => {
    const { paths, path_count: count, started, ended, problem } = rescan
    const more = count > paths.length ? [`and ${readableNumber(count - paths.length)} more`] : []
    const notes = [rescan.accepted_removals ? 'removals accepted' : '', problem ?? '']
    return [
      [...paths, ...more].join(', '),
      timeCell(ended, readableTime(ended, 'second')),
      tookWords((Date.parse(ended) - Date.parse(started)) / 1000),
      ...[rescan.added, rescan.modified, rescan.removed].map((each) => readableNumber(each)),
      prose(notes.filter(Boolean).join('; ')),
    ]
  })
  const rescansTable: Table = {
    label: 'Last rescans',
    caption: 'The last rescans since the start of the indexer, and what they changed; times in UTC',
    className: 'cards',
    columns: [
      headerColumn('Directories'),
      ...['Ended', 'Took'],
      ...numberColumns('New', 'Replaced', 'Removed'),
      { label: 'Notes', isProse: true },
    ],
    rows,
  }
  return rows.length > 0 && html`<h2>Last rescans</h2>\n${table(rescansTable)}`
}

function tookWords(seconds: number): string {
  return seconds < 1 ? 'under 1 s' : readableDuration(seconds)
}

/** Why names are not catalogued, and how many each. */
function rejectedHtml({ rejected }: WireStatus, layout: Layout): Child {
  const items = rejected.map((rejection) => {
    const { reason, count, examples } = rejection
    const meaning = (words: string): Child =>
      link(words, `../docs/status/?format=api#reason-${reason}`)
    const words = reason === 'suffix' ? suffixWords(rejection) : undefined
    if (words !== undefined) return html`<li>${meaning(words)}: see <code>suffixes</code></li>\n`
    const ends = reason === 'archive' && endsOf(examples)
    return html`<li>${readableNumber(count)}: ${meaning(reasonLabel(reason, layout))}${ends}</li>\n`
  })
  return items.length > 0 && html`<h2>Not catalogued</h2>\n<ul>${items}</ul>`
}

/** ` (such as .zip)`, as far as the examples tell it. */
function endsOf(examples: readonly string[]): string {
  const ends = new Set(examples.flatMap((path) => /\.(?:tar\.)?\w+$/i.exec(path) ?? []))
  return ends.size === 0 ? '' : ` (such as ${[...ends].join(', ')})`
}

function problemsHtml({ unserved: { count } }: WireStatus, isPublic: boolean): Html {
  const words = `${counted(count, 'answer', 'answers')} 404 for listed files since the start of the API`
  const href = isPublic ? 'problems/?format=api&problem=unservable' : undefined
  const paths = isPublic
    ? html`<a href="problems/?format=api">All files with problems, with their paths</a>`
    : html`The paths are shown on the command line only: <code>rinex-catalogue status --problems</code>`
  return html`${count > 0 && html`<p>${link(words, href)}</p>`}
<p>${paths}</p>`
}

function factsOf(status: WireStatus) {
  const lastScan = status.last_scan
  const { watching } = status
  return [
    { name: 'Last complete scan (UTC)', value: readableTime(lastScan?.ended ?? null, 'second') },
    { name: 'Files found by it', value: lastScan && readableNumber(lastScan.files) },
    { name: 'Last sweep (UTC)', value: readableTime(status.last_sweep, 'second') },
    { name: 'Oldest look at a directory (UTC)', value: readableTime(status.as_of, 'second') },
    { name: 'Watched directories', value: watching && readableNumber(watching.directories) },
    { name: 'Latest change', value: readableNumber(status.seq) },
    { name: 'Catalogue', value: status.epoch },
    { name: 'Indexer process', value: status.indexer?.pid },
    { name: 'Indexer release', value: status.indexer?.version },
    ...hostsOf(status),
    { name: 'API release', value: status.version },
  ]
}

/** Where the indexers run; nothing if the database is a file. */
function hostsOf({ indexer }: WireStatus) {
  if (indexer === null || indexer.host === null) return []
  const waiting = indexer.waiting.length === 0 ? 'none' : indexer.waiting.join(', ')
  return [
    { name: 'Indexer host', value: indexer.host },
    { name: 'Waiting indexers', value: waiting },
  ]
}
