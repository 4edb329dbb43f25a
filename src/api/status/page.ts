/** The HTML page of the status. */
import type { IndexerProblem } from '../../control-socket/protocol.ts'
import { counted, readableDuration, readableNumber, readableTime } from '../../runtime/readable.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import type { Page } from '../pages/layout.ts'
import { factList, prose } from '../pages/parts.ts'
import { problemsHtml } from './problem-tables.ts'
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
  /** When the process of the indexer started, as an ISO time. */
  readonly started: string | null
  /** New records a minute; `undefined` if unknown. */
  readonly arrivals: number | undefined
  /** How long ago the newest file was listed, in words; `undefined` if that is after now. */
  readonly age: string | undefined
  /** The files with problems by kind, with links to their lists. */
  readonly problemKinds: Child
  /** True if the paths of files with problems are public. */
  readonly isPublic: boolean
}

export function renderStatus(status: WireStatus, options: StatusPageOptions): Page {
  const { problemKinds, isPublic } = options
  return {
    frame: { title: 'Status', section: 'status', up: '../', json: '?format=json' },
    body: html`<div data-live>
${stateHtml(status, options)}
${scanHtml(status)}
${sentencesOf(status, options).map(
  (sentence) => html`<p>${sentence}</p>
`,
)}
<h2>Queues</h2>
${status.indexer === null ? html`<p>Not known: the indexer does not answer.</p>` : queuesHtml(status, isPublic)}
${rescansHtml(status)}
<h2>Problems of files</h2>
${problemsHtml(status, problemKinds, isPublic)}
<h2>More</h2>
${factList(factsOf(status))}
<p>Size, kinds and disks: <a href="../archive/?format=api">Archive</a></p>
</div>
`,
  }
}

function stateHtml(
  { state }: WireStatus,
  { problems, started }: Pick<StatusPageOptions, 'problems' | 'started'>,
): Html {
  const tone = state === 'degraded' || state === 'stopped' ? 'bad' : 'good'
  const from = started !== null && `, its process runs since ${readableTime(started)} UTC`
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

/** What is to be said of the newest files. */
function sentencesOf(
  { newest_file: newest }: WireStatus,
  { arrivals, age }: Pick<StatusPageOptions, 'arrivals' | 'age'>,
): readonly string[] {
  return [
    ...(newest === null ? [] : [newestWords(readableTime(newest, 'second'), age)]),
    ...(arrivals === undefined
      ? []
      : [
          `${counted(arrivals, 'new record', 'new records')} a minute, mean of the last 10 minutes.`,
        ]),
  ]
}

function newestWords(time: string, age: string | undefined): string {
  return age === undefined
    ? `The newest file was listed at ${time} UTC, by a clock that was set back since.`
    : `The newest file was listed ${age} ago, at ${time} UTC.`
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
