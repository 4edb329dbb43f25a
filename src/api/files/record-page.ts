/** The page of one record: details and history of the file, and the files beside it. */
import type { ChangeKind } from '../../catalogue/records.ts'
import { microsecondsToIso } from '../../parse/calendar.ts'
import { countryName } from '../../parse/countries.ts'
import type { FileDuration } from '../../parse/types.ts'
import { counted, readableDate, readableNumber, readableTime } from '../../runtime/readable.ts'
import { stationUrl } from '../http/links.ts'
import type { Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { changeLabel, durationLabel, typeLabel } from '../pages/labels.ts'
import type { Page } from '../pages/layout.ts'
import { commandHtml, factList, link, note } from '../pages/parts.ts'
import type { Arrival } from './record-words.ts'
import { arrivalSentence, stateSentence } from './record-words.ts'
import type { WireRecord } from './serialise.ts'

/** Other files of the station: of the same time, and of the same series before and after. */
export interface FilesBeside {
  readonly sameTime: readonly WireRecord[]
  readonly before: readonly WireRecord[]
  readonly after: readonly WireRecord[]
}

/** The latest change of the file, as the change feed has it. */
export interface RecordHistory {
  readonly seq: number
  /** `undefined` if the change feed does not reach back to this change. */
  readonly change: { readonly kind: ChangeKind; readonly at: string } | undefined
  /** URL of the change feed with this change alone; `undefined` if the feed does not have it. */
  readonly href: string | undefined
}

const periods = {
  m: 'minutes',
  h: 'an hour',
  d: 'a day',
  y: 'a year',
  u: 'an unspecified period',
} as const satisfies Readonly<Record<FileDuration, string>>

interface RecordContext {
  readonly beside: FilesBeside
  readonly history: RecordHistory
  readonly arrival: Arrival | undefined
  /** True if the file is in the queue of files to be hashed. */
  readonly isWaiting: boolean
}

export function renderRecord(record: WireRecord, context: RecordContext): Page {
  const { file } = record
  const { beside, history, arrival, isWaiting } = context
  const frame = {
    title: record.filename,
    section: 'rinex-file',
    crumbs: [{ text: 'Files', href: '../?format=api' }],
    description: `${typeLabel(record.file_type)} file, ${durationLabel(record.file_duration)}, data from ${readableDate(record.data_date)}`,
    up: '../../',
    json: '?format=json',
  }
  return {
    frame,
    body: html`<p class="lead"><a class="button" href="${record.download_path}" download>Download</a> ${summaryOf(record, arrival)}</p>
${stateNotice(file, context)}
${factList(factsOf(record, isWaiting))}
<h2>Commands</h2>
${commandsOf(record).map(
  ({ label, command }) => html`<p class="label">${label}</p>
${commandHtml(command)}`,
)}
<h2>History</h2>
${factList(historyFacts(record, history, arrival?.arrivalUs))}
<p class="note">The catalogue stores only the latest change of each file${
      history.href === undefined
        ? '; the change feed begins after this one.'
        : '. The number leads to it in the change feed.'
    }</p>
<div class="around">
${filesHtml('The same time, in other types and names', beside.sameTime)}
${filesHtml('Before', beside.before)}
${filesHtml('After', beside.after)}
</div>
<details>
<summary>This record as JSON</summary>
<pre tabindex="0">${JSON.stringify(record, undefined, 2)}</pre>
</details>
`,
  }
}

/** `observation data of a day from 2026-01-22 (022) UTC` */
function summaryOf(record: WireRecord, arrival: Arrival | undefined): string {
  const minutes = record.file_duration === 'm' ? (arrival?.spanSeconds ?? 0) / 60 : 0
  const named = record.file_duration && periods[record.file_duration]
  const period = minutes > 0 ? counted(minutes, 'minute', 'minutes') : named
  return [
    `${typeLabel(record.file_type)} data`,
    period === null ? '' : `of ${period}`,
    record.data_date === null ? '' : `from ${readableDate(record.data_date)} UTC`,
  ]
    .filter((text) => text !== '')
    .join(' ')
}

function stateNotice(
  file: WireRecord['file'],
  { arrival, isWaiting }: Pick<RecordContext, 'arrival' | 'isWaiting'>,
): Html {
  const problem = file?.problem ?? null
  const isHashed = typeof file?.sha256 === 'string'
  const isFaulty = problem !== null
  return html`<p class="notice${isFaulty && ' fault'}">${isFaulty && html`<strong>Problem:</strong> `}
${stateSentence({ problem, isHashed, isWaiting })} ${arrival && arrivalSentence(arrival)}</p>
`
}

function filesHtml(title: string, files: readonly WireRecord[]): Html {
  const items = files.map(({ url, filename, file_type: type, data_date: date }) => {
    const words = `${typeLabel(type)}, ${readableDate(date)}`
    return html`<li>${link(filename, url)}${note(words)}</li>\n`
  })
  return html`<div><h2>${title}</h2>
${items.length === 0 ? html`<p>None.</p>` : html`<ul class="plain">\n${items}</ul>`}
</div>
`
}

function factsOf(record: WireRecord, isWaiting: boolean) {
  const { file } = record
  const directory = record.download_path.slice(0, record.download_path.lastIndexOf('/') + 1)
  const station = file?.station ?? null
  return [
    { name: 'Station', value: station, href: stationUrl({ api: '../../' }, station ?? '') },
    { name: 'Country', value: file?.country && countryName(file.country) },
    { name: 'Start of data (UTC)', value: readableDate(record.data_date) },
    {
      name: 'Size',
      value: typeof file?.size !== 'number' ? null : `${readableNumber(file.size)} bytes`,
    },
    { name: 'Last written (UTC)', value: readableTime(file?.mtime ?? null, 'second') },
    { name: 'Interval', value: file?.interval },
    { name: 'Content', value: file?.content },
    { name: 'Source', value: file?.source },
    { name: 'Directory', value: new URL(directory).pathname, href: directory },
    { name: 'Record', value: String(record.id) },
    { name: 'Checksum', value: checksumState(file?.sha256 ?? null, isWaiting) },
    { name: 'SHA-256', value: file?.sha256, className: 'code' },
  ]
}

function checksumState(sha256: string | null, isWaiting: boolean): string {
  if (sha256 !== null) return 'known'
  return isWaiting ? 'not hashed yet' : 'not hashed'
}

function historyFacts(
  { created, modified }: WireRecord,
  { seq, change, href }: RecordHistory,
  arrivalUs: number | undefined,
) {
  return [
    arrivalUs === undefined
      ? { name: 'Found (UTC)', value: readableTime(created, 'second') }
      : {
          name: 'Arrived (UTC)',
          value: readableTime(microsecondsToIso(arrivalUs), 'second'),
        },
    {
      name: 'Last modified (UTC)',
      value: modified === created ? 'never' : readableTime(modified, 'second'),
    },
    {
      name: 'Latest change (UTC)',
      value:
        change &&
        `${readableTime(change.at, 'second')}, ${changeLabel({ ...change, created, modified })}`,
    },
    { name: 'Number of the change', value: readableNumber(seq), href },
  ]
}

function commandsOf({ download_path: url, filename, file }: WireRecord) {
  const directory =
    new URL(url).pathname
      .split('/data/')
      .at(-1)
      ?.replace(/\/[^/]*$/, '') ?? ''
  const check =
    typeof file?.sha256 !== 'string'
      ? []
      : [
          {
            label: 'Compare a copy with the checksum',
            command: `echo '${file.sha256}  ${filename}' | sha256sum -c`,
          },
        ]
  return [
    { label: 'Download', command: `curl -O '${url}'` },
    { label: 'Download if it is newer than the copy', command: `wget -N '${url}'` },
    ...check,
    {
      label: 'On the server: read its directory again',
      command: `rinex-catalogue rescan ${directory}`,
    },
  ]
}
