/** The HTML page of the status. */
import type { IndexerProblem } from '../../control-socket/protocol.ts'
import type { WireStatus } from './serialise.ts'
import { page, numberColumns } from '../pages/layout.ts'
import type { Page, Cell, Table } from '../pages/layout.ts'
import { readableNumber, readableDuration, readableTime } from '../pages/labels.ts'

const template = `<div data-live>
<p class="lead">The indexer is <strong class="state <%= it.tone %>"><%= it.state %></strong><% if (it.since !== '') { %> since <%= it.since %> UTC<% } %>. <%= it.meaning %></p>
<% if (it.reasons.length > 0) { %>
<ul class="notice fault">
<% for (const { text, advice } of it.reasons) { %><li><strong><%= text %></strong><br><%~ include('@prose', { text: advice }) %></li>
<% } %></ul>
<% } %>
<% if (it.scan !== null) { %>
<h2>Running scan</h2>
<p><label><%= it.scan.percent %> % of the tree <progress max="1" value="<%= it.scan.done %>"></progress></label></p>
<%~ include('@facts', { facts: it.scan.facts }) %>
<% } %>
<h2>Files</h2>
<%~ include('@table', it.areas) %>
<% if (it.arrivals !== null) { %><p><%= it.arrivals %> new records a minute, mean of the last 10 minutes.</p><% } %>
<h2>Queues</h2>
<% if (it.queues.length === 0) { %><p>Not known: the indexer does not answer.</p><% } else { %>
<%~ include('@facts', { facts: it.queues }) %>
<% } %>
<h2>Problems of files</h2>
<% if (it.isPublic) { %>
<p><a href="problems/?format=api">All files with problems, with their paths</a></p>
<% } else { %>
<p>The paths are shown on the command line only: <code>rinex-catalogue status --problems</code></p>
<% } %>
<%~ include('@table', it.problems) %>
<h2>Not catalogued</h2>
<% if (it.rejected.rows.length === 0) { %>
<p>None.</p>
<% } else { %>
<% if (it.isPublic) { %><p><a href="problems/?format=api&amp;problem=rejected">All names that are not catalogued</a></p><% } %>
<%~ include('@table', it.rejected) %>
<% } %>
<% if (it.missing.rows.length > 0) { %>
<h2>Missing files</h2>
<p>Catalogued files that the API could not send. 404 responses since its start: <%= it.missing.count %>. The latest:</p>
<%~ include('@table', it.missing) %>
<% } %>
<h2>More</h2>
<%~ include('@facts', { facts: it.facts }) %>
</div>
`

const render = page('status', template)

const stateMeanings: Readonly<Record<WireStatus['state'], string>> = {
  starting: 'It opens the catalogue; lists and downloads work.',
  scanning: 'It reads the whole archive; files are listed as it finds them.',
  watching: 'It lists new, replaced and removed files as they change in the archive.',
  degraded: 'A problem needs attention; the catalogue is served, but it may not be up to date:',
  stopped:
    'No indexer runs: lists and downloads work, but changes of the archive are not listed until it starts.',
}

interface StatusPageOptions {
  readonly problems: readonly IndexerProblem[]
  /** New records a minute; `undefined` if unknown. */
  readonly arrivals: number | undefined
  /** True if the paths of files with problems are public. */
  readonly isPublic: boolean
}

export function renderStatus(
  status: WireStatus,
  { problems, arrivals, isPublic }: StatusPageOptions,
): Page {
  return render(
    { title: 'Status', section: 'status', up: '../', json: '?format=json' },
    {
      isPublic,
      reasons: problems,
      state: status.state,
      tone: status.state === 'degraded' || status.state === 'stopped' ? 'bad' : 'good',
      meaning: stateMeanings[status.state],
      since: readableTime(status.since, 'second'),
      scan: scanOf(status),
      arrivals: arrivals === undefined ? null : readableNumber(arrivals),
      areas: areasTable(status),
      queues: queuesOf(status, isPublic),
      problems: problemsTable(status, isPublic),
      rejected: rejectedTable(status),
      missing: unservedTable(status),
      facts: factsOf(status),
    },
  )
}

function scanOf({ scan }: WireStatus) {
  if (scan === null) return null
  const { directories_done: done, directories_found: found, seconds_left: left } = scan
  return {
    done: scan.done,
    percent: Math.floor(scan.done * 100),
    facts: [
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
    ],
  }
}

const problemLink = (problem: string, isPublic: boolean): string | undefined =>
  isPublic ? `problems/?format=api&problem=${problem}` : undefined

/** Returns the queues of the indexer; none if the indexer does not answer. */
function queuesOf(status: WireStatus, isPublic: boolean) {
  const { rescans } = status
  const rescan = rescans?.running ?? null
  const waiting = rescans?.waiting ?? null
  return [
    { name: 'Directories to be read', value: status.dirty_directories },
    {
      name: 'Files still being written',
      value: status.settling_files,
      href: status.settling_files === 0 ? undefined : problemLink('settling', isPublic),
    },
    { name: 'Files to be hashed, at most', value: status.checksums.waiting },
    { name: 'Removals withheld by the deletion guard', value: status.held_removals },
    {
      name: 'Rescans',
      value: rescans && `${Number(rescan !== null)} running, ${Number(waiting !== null)} waiting`,
    },
  ].flatMap(({ value, ...queue }) =>
    value === null
      ? []
      : [{ ...queue, value: typeof value === 'number' ? readableNumber(value) : value }],
  )
}

const reasonCell = (reason: string, text = reason): Cell => ({
  text,
  isHeader: true,
  href: `../docs/?format=api#reason-${reason}`,
})

function areasTable({ areas }: WireStatus): Table {
  return {
    label: 'Files by area',
    columns: ['Area', ...numberColumns('Files', 'Directories')],
    rows: Object.entries(areas).map(([name, { files, directories }]) => [
      { text: name, isHeader: true },
      readableNumber(files),
      readableNumber(directories),
    ]),
  }
}

function problemsTable({ incomplete, checksums, misplaced }: WireStatus, isPublic: boolean): Table {
  const rows = [
    { problem: 'incomplete', reason: 'no-end', text: 'gzip stream without an end', ...incomplete },
    { problem: 'broken', reason: 'damaged', text: 'gzip stream damaged', ...checksums.broken },
    {
      problem: 'misplaced',
      reason: 'other-date',
      text: 'in the directory of another date',
      count: misplaced,
      examples: [],
    },
  ]
  return {
    label: 'Problems of listed files',
    caption: 'Listed files with a problem',
    columns: ['Problem', ...numberColumns('Files'), 'Examples'],
    rows: rows.map(({ problem, reason, text, count, examples }) => [
      reasonCell(reason, text),
      {
        text: readableNumber(count),
        href: count === 0 ? undefined : problemLink(problem, isPublic),
      },
      { text: '', lines: examples },
    ]),
  }
}

function rejectedTable({ rejected }: WireStatus): Table {
  return {
    label: 'Names that are not catalogued',
    caption: 'Names that are not catalogued, by reason',
    columns: ['Reason', ...numberColumns('Count'), 'Examples'],
    rows: rejected.map(({ reason, count, examples }) => [
      reasonCell(reason),
      readableNumber(count),
      { text: '', lines: examples },
    ]),
  }
}

function unservedTable({ unserved }: WireStatus): Table & { readonly count: string } {
  return {
    count: readableNumber(unserved.count),
    label: 'Missing files',
    columns: ['File', 'Reason', 'Time (UTC)'],
    rows: unserved.latest.map(({ path, reason, at }) => [
      { text: path, isCode: true },
      { text: reason, href: `../docs/?format=api#reason-${reason}` },
      readableTime(at, 'second'),
    ]),
  }
}

function factsOf(status: WireStatus) {
  const lastScan = status.last_scan
  const { watching } = status
  return [
    { name: 'Last complete scan (UTC)', value: readableTime(lastScan?.ended ?? null, 'second') },
    { name: 'Files found by it', value: lastScan && readableNumber(lastScan.files) },
    { name: 'Last sweep (UTC)', value: readableTime(status.last_sweep, 'second') },
    { name: 'Watched directories', value: watching && readableNumber(watching.directories) },
    { name: 'Files with a checksum', value: readableNumber(status.checksums.files) },
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
