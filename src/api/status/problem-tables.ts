/** The tables of the status about files with problems, and names that are not catalogued. */
import { problemWords } from '../../catalogue/filter.ts'
import { readableNumber, readableTime } from '../../runtime/readable.ts'
import { reasonLabel } from '../file-problems/problem-list.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { link } from '../pages/parts.ts'
import type { Table } from '../pages/table.ts'
import { codeLines, headerColumn, numberColumns, table } from '../pages/table.ts'
import type { WireStatus } from './serialise.ts'

export const problemLink = (problem: string, isPublic: boolean): string | undefined =>
  isPublic ? `problems/?format=api&problem=${problem}` : undefined

const reasonCell = (reason: string): Child =>
  link(reasonLabel(reason), `../docs/status/?format=api#reason-${reason}`)

/** The problems of listed files. */
function problemRows({ incomplete, checksums, misplaced }: WireStatus) {
  return [
    { problem: 'incomplete', reason: 'no-end', ...incomplete },
    { problem: 'broken', reason: 'damaged', ...checksums.broken },
    { problem: 'misplaced', reason: 'other-date', count: misplaced, examples: [] },
  ] as const
}

/** The problems that no file has; an empty text if there is none. */
function withoutSentence(status: WireStatus): string {
  const none = problemRows(status).filter(({ count }) => count === 0)
  return none.length === 0
    ? ''
    : `None: ${none.map(({ problem }) => problemWords[problem].word).join(', ')}.`
}

export function problemsHtml(status: WireStatus, isPublic: boolean): Html {
  const problems = problemsTable(status, isPublic)
  const without = withoutSentence(status)
  return html`<h2>Problems of files</h2>
${
  isPublic
    ? html`<p><a href="problems/?format=api">All files with problems, with their paths</a></p>`
    : html`<p>The paths are shown on the command line only: <code>rinex-catalogue status --problems</code></p>`
}
${problems.rows.length > 0 && table(problems)}
${without && html`<p>${without}</p>`}
`
}

function problemsTable(status: WireStatus, isPublic: boolean): Table {
  const rows = problemRows(status).filter(({ count }) => count > 0)
  return {
    label: 'Problems of listed files',
    caption: 'Listed files with a problem',
    className: 'cards',
    columns: [headerColumn('Problem'), ...numberColumns('Files'), 'Examples'],
    rows: rows.map(({ problem, reason, count, examples }) => [
      reasonCell(reason),
      link(readableNumber(count), problemLink(problem, isPublic)),
      codeLines(examples),
    ]),
  }
}

export function rejectedHtml(status: WireStatus, isPublic: boolean): Html {
  const heading = html`<h2>Not catalogued</h2>`
  if (status.rejected.length === 0) return html`${heading}\n<p>None.</p>\n`
  const all = html`<p><a href="${problemLink('rejected', true)}">All names that are not catalogued</a></p>`
  return html`${heading}
${isPublic && all}
${table(rejectedTable(status))}
`
}

function rejectedTable({ rejected }: WireStatus): Table {
  return {
    label: 'Names that are not catalogued',
    caption: 'Names that are not catalogued, by reason',
    className: 'cards',
    columns: [headerColumn('Reason'), ...numberColumns('Count'), 'Examples'],
    rows: rejected.map(({ reason, count, examples }) => [
      reasonCell(reason),
      readableNumber(count),
      codeLines(examples),
    ]),
  }
}

export function unservedHtml(status: WireStatus): Child {
  const { count, latest } = status.unserved
  return (
    latest.length > 0 &&
    html`<h2>Listed files that could not be sent</h2>
<p>404 responses for listed files since the start of the API: ${readableNumber(count)}. The latest:</p>
${table(unservedTable(status))}
`
  )
}

function unservedTable({ unserved }: WireStatus): Table {
  return {
    label: 'Files that could not be sent',
    columns: ['File', 'Reason', 'Time (UTC)'],
    rows: unserved.latest.map(({ path, reason, at }) => [
      html`<code>${path}</code>`,
      reasonCell(reason),
      readableTime(at, 'second'),
    ]),
  }
}
