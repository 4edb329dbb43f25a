/** The HTML page of the status. */
import type { IndexerProblem } from '../../control-socket/protocol.ts'
import {
  readableDuration,
  readableNumber,
  readableSize,
  readableTime,
} from '../../runtime/readable.ts'
import { diskCells, diskColumns } from '../archive/page.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import type { Page } from '../pages/layout.ts'
import { factList, prose } from '../pages/parts.ts'
import type { Table } from '../pages/table.ts'
import { headerColumn, numberColumns, table } from '../pages/table.ts'
import { problemsHtml, rejectedHtml, unservedHtml } from './problem-tables.ts'
import type { WireStatus } from './serialise.ts'
import { queuesHtml, rescansHtml } from './work.ts'

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
  /** How long ago the newest file was listed, in words; `undefined` if that is after now. */
  readonly age: string | undefined
  /** True if the paths of files with problems are public. */
  readonly isPublic: boolean
}

export function renderStatus(
  status: WireStatus,
  { problems, arrivals, age, isPublic }: StatusPageOptions,
): Page {
  return {
    frame: { title: 'Status', section: 'status', up: '../', json: '?format=json' },
    body: html`<div data-live>
${stateHtml(status, problems)}
${scanHtml(status)}
<h2>Files</h2>
${table(areasTable(status))}
${sentencesOf(status, { arrivals, age }).map((sentence) => html`<p>${sentence}</p>\n`)}
<p><a href="../archive/?format=api">Size by year, area, type and period</a></p>
<h2>Disks</h2>
${table(disksTable(status))}
<h2>Queues</h2>
${status.indexer === null ? html`<p>Not known: the indexer does not answer.</p>` : queuesHtml(status, isPublic)}
${rescansHtml(status)}
${problemsHtml(status, isPublic)}
${rejectedHtml(status, isPublic)}
${unservedHtml(status)}
<h2>More</h2>
${factList(factsOf(status))}
</div>
`,
  }
}

function stateHtml({ state, since }: WireStatus, problems: readonly IndexerProblem[]): Html {
  const tone = state === 'degraded' || state === 'stopped' ? 'bad' : 'good'
  const from = since !== null && ` since ${readableTime(since, 'second')} UTC`
  return html`<p class="lead">The indexer is <strong class="state ${tone}">${state}</strong>${from}.
 ${stateMeanings[state]}</p>
${
  problems.length > 0 &&
  html`<ul class="notice fault">
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

/** What is to be said of the files besides their numbers. */
function sentencesOf(
  { newest_file: newest, areas, checksums }: WireStatus,
  { arrivals, age }: Pick<StatusPageOptions, 'arrivals' | 'age'>,
): readonly string[] {
  const all = areas.obs.files + areas.nrt.files
  const rest = Math.max(0, all - checksums.files)
  const others = rest === 0 ? '' : `: ${othersWords(rest, checksums.waiting ?? 0)}`
  return [
    ...(newest === null ? [] : [newestWords(readableTime(newest, 'second'), age)]),
    ...(arrivals === undefined
      ? []
      : [`${readableNumber(arrivals)} new records a minute, mean of the last 10 minutes.`]),
    ...(all === 0
      ? []
      : [
          `Files with a checksum: ${readableNumber(checksums.files)} of ${readableNumber(all)}${others}.`,
        ]),
  ]
}

function newestWords(time: string, age: string | undefined): string {
  return age === undefined
    ? `The newest file was listed at ${time} UTC, by a clock that was set back since.`
    : `The newest file was listed ${age} ago, at ${time} UTC.`
}

/** What becomes of the files without a checksum. @param waiting at most so many are in the queue */
function othersWords(rest: number, waiting: number): string {
  if (waiting >= rest) return 'the others wait to be read'
  if (waiting === 0)
    return `${rest === 1 ? 'the other was' : 'the others were'} never read for damage`
  return `of the others, at most ${readableNumber(waiting)} will be read, the rest was never read for damage`
}

function disksTable({ disks }: WireStatus): Table {
  return {
    label: 'Disks of the archive',
    columns: diskColumns,
    rows: disks.map(diskCells),
  }
}

function areasTable({ areas }: WireStatus): Table {
  return {
    label: 'Files by area',
    columns: [headerColumn('Area'), ...numberColumns('Files', 'Size', 'Directories')],
    rows: Object.entries(areas).map(([name, { files, bytes, directories }]) => [
      name,
      readableNumber(files),
      readableSize(bytes),
      readableNumber(directories),
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
