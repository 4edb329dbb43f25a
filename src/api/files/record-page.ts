/** The page of one file: can one trust it, its checksum, its neighbours; the rest is folded. */
import { isDamage } from '../../catalogue/filter.ts'
import type { ChangeKind } from '../../catalogue/records.ts'
import { microsecondsToIso } from '../../parse/calendar.ts'
import { countryName, countryOf } from '../../parse/countries.ts'
import { joinPath } from '../../parse/layout.ts'
import { readableNumber, readableSize, readableTime } from '../../runtime/readable.ts'
import { stationUrl } from '../http/links.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { changeLabel, intervalLabel } from '../pages/labels.ts'
import type { Page } from '../pages/layout.ts'
import { commandHtml, factList, link } from '../pages/parts.ts'
import { flagsHtml, headerHtml, insideHtml } from './facts-view.ts'
import type { FileView } from './file-view.ts'
import { kindCell, startCell } from './file-view.ts'
import {
  arrivalSentence,
  dataWords,
  faultWord,
  kindWords,
  otherFlags,
  trustSentence,
} from './file-words.ts'

/** Other files of the station. */
export interface FilesBeside {
  /** Of the same time, of other types and names. */
  readonly sameTime: readonly FileView[]
  /** Of the same series, the nearest first. */
  readonly before: readonly FileView[]
  readonly after: readonly FileView[]
}

/** The latest change of the file, as the change feed has it. */
export interface LatestChange {
  readonly kind: ChangeKind
  readonly atUs: number
  /** The page of changes with this one alone. */
  readonly href: string
}

interface RecordContext {
  readonly beside: FilesBeside
  /** `undefined` if the change feed does not reach back to this change. */
  readonly change: LatestChange | undefined
  /** True if the file is in the queue of files to be hashed. */
  readonly isWaiting: boolean
}

export function renderRecord(file: FileView, { beside, change, isWaiting }: RecordContext): Page {
  const { name, parsed } = file
  return {
    frame: {
      title: name,
      section: 'rinex-file',
      crumbs: [{ text: 'Files', href: '../?format=api' }],
      description: parsed ? `${parsed.station}: ${dataWords(parsed)}` : name,
      up: '../../',
      json: '?format=json',
    },
    body: html`<p class="lead">${parsed && leadOf(parsed)}</p>
${trustNotice(file, beside, isWaiting)}
${file.size > 0 && html`<p><a class="button" href="${file.download}" download>Download ${readableSize(file.size)}</a></p>`}
${checksumHtml(file, isWaiting)}
${insideHtml(file.facts)}
${neighboursHtml(beside)}
${folded('Header', headerHtml(file.facts))}
${folded('All that is known', factList(factsOf(file, change)))}
${folded('Commands', commandsOf(file).map(commandPart))}
${beside.sameTime.length > 0 && folded('Other files of the station at this time', filesHtml(beside.sameTime))}
`,
  }
}

function folded(summary: string, content: Child): Html {
  return html`<details>
<summary>${summary}</summary>
${content}
</details>
`
}

/** `GRAZ00AUT, Austria: observations, whole day 24 Nov 2026 (328)` */
function leadOf(parsed: NonNullable<FileView['parsed']>): Html {
  const { station } = parsed
  const country = countryOf(station)
  const place = country === undefined ? '' : `, ${countryName(country)}`
  return html`<a href="${stationUrl({ api: '../../' }, station)}">${station}</a>${place}: ${dataWords(parsed)}`
}

function trustNotice(file: FileView, { before, after }: FilesBeside, isWaiting: boolean): Html {
  const sizesBeside = [...before, ...after]
    .filter((each) => isAlike(each, file) && faultWord(each) === undefined)
    .map(({ size }) => size)
  const sentence = trustSentence({
    ...file,
    sizesBeside,
    isWaiting,
    isHashed: file.sha256 !== undefined,
  })
  const flags = otherFlags(file)
  const arrived = file.parsed && arrivalSentence(file, file.parsed)
  return html`<div class="notice${faultWord(file) && ' fault'}">${sentence}
${flags.length > 0 && flagsHtml(flags)}${arrived}</div>
`
}

/** True if both have the same data of different times, so that their sizes can be compared. */
function isAlike(file: FileView, other: FileView): boolean {
  const [a, b] = [file, other].map(
    ({ parsed }) => parsed && [kindWords(parsed), parsed.version, parsed.content].join(),
  )
  return a === b
}

/** The checksum, and the command that compares a copy with it; nobody wants a damaged copy. */
function checksumHtml(file: FileView, isWaiting: boolean): Child {
  if (isDamage(file.problem)) return undefined
  if (file.sha256 === undefined)
    return html`<p class="quiet">Its checksum is not known${isWaiting && ' yet'}.</p>\n`
  return checksOf(file).map(commandPart)
}

function commandPart({ label, command }: ReturnType<typeof checksOf>[number]): Html {
  return html`<p class="quiet">${label}</p>
${commandHtml(command)}`
}

function checksOf({ name, size, sha256 }: FileView) {
  if (size === 0 || sha256 === undefined) return []
  const sum = Buffer.from(sha256).toString('hex')
  return [
    { label: 'SHA-256', command: sum },
    { label: 'Compare a copy with it', command: `echo '${sum}  ${name}' | sha256sum -c` },
  ]
}

/** The files before and after this one, of the same kind if there are such. */
function neighboursHtml({ before, after }: FilesBeside): Child {
  const items = [
    { label: 'Before', file: before[0] },
    { label: 'After', file: after[0] },
  ].flatMap(({ label, file }) => (file === undefined ? [] : [{ label, file }]))
  return (
    items.length > 0 &&
    html`<nav aria-label="The same series"><ul class="plain">
${items.map(({ label, file }) => html`<li>${label}: ${link(file.name, file.href)}</li>\n`)}</ul></nav>
`
  )
}

function filesHtml(files: readonly FileView[]): Html {
  return html`<ul class="plain">
${files.map((file) => html`<li>${link(file.name, file.href)} <span class="quiet">${kindCell(file)}, ${startCell(file)}</span></li>\n`)}</ul>
`
}

function factsOf(file: FileView, change: LatestChange | undefined) {
  const { parsed, directory, createdUs, modifiedUs } = file
  const time = (us: number) => readableTime(microsecondsToIso(us), 'second')
  const changeWords = (each: LatestChange) =>
    `${time(each.atUs)}, ${changeLabel({ ...each, createdUs, modifiedUs })}`
  return [
    { name: 'Size', value: `${readableNumber(file.size)} bytes` },
    { name: 'Start of data', value: parsed && startCell(file) },
    { name: 'Interval', value: parsed && intervalLabel(parsed.interval) },
    { name: 'Content', value: parsed?.content },
    { name: 'Source', value: parsed?.source },
    { name: 'Last written (UTC)', value: time(file.mtimeUs) },
    file.arrivalUs === undefined
      ? { name: 'Found (UTC)', value: time(createdUs) }
      : { name: 'Arrived (UTC)', value: time(file.arrivalUs) },
    { name: 'Replaced (UTC)', value: modifiedUs === createdUs ? 'never' : time(modifiedUs) },
    { name: 'Latest change (UTC)', value: change && changeWords(change), href: change?.href },
    {
      name: 'Directory',
      value: joinPath(directory, '') || './',
      href: `../../../data/${joinPath(directory, '')}`,
    },
  ]
}

function commandsOf(file: FileView) {
  const { download, directory, size } = file
  const downloads = [
    { label: 'Download', command: `curl -O '${download}'` },
    { label: 'Download if it is newer than the copy', command: `wget -N '${download}'` },
  ]
  const rescan = `rinex-catalogue rescan ${directory}`
  return [
    ...(size > 0 ? downloads : []),
    ...(isDamage(file.problem) ? checksOf(file) : []),
    { label: 'On the server: read its directory again', command: rescan },
  ]
}
