/** The tables of the status about files with problems, and names that are not catalogued. */
import { problemWords } from '../../catalogue/filter.ts'
import { reasonLabel } from '../file-problems/problem-list.ts'
import { readableNumber, readableTime } from '../pages/labels.ts'
import { codeLines, headerColumn, numberColumns } from '../pages/table.ts'
import type { Table } from '../pages/table.ts'
import type { WireStatus } from './serialise.ts'
import type { Child } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { link } from '../pages/parts.ts'

export const problemLink = (problem: string, isPublic: boolean): string | undefined =>
  isPublic ? `problems/?format=api&problem=${problem}` : undefined

const reasonCell = (reason: string): Child =>
  link(reasonLabel(reason), `../docs/?format=api#reason-${reason}`)

/** The problems of listed files. */
function problemRows({ incomplete, checksums, misplaced }: WireStatus) {
  return [
    { problem: 'incomplete', reason: 'no-end', ...incomplete },
    { problem: 'broken', reason: 'damaged', ...checksums.broken },
    { problem: 'misplaced', reason: 'other-date', count: misplaced, examples: [] },
  ] as const
}

/** The problems that no file has; an empty text if there is none. */
export function withoutSentence(status: WireStatus): string {
  const none = problemRows(status).filter(({ count }) => count === 0)
  return none.length === 0
    ? ''
    : `None: ${none.map(({ problem }) => problemWords[problem].word).join(', ')}.`
}

export function problemsTable(status: WireStatus, isPublic: boolean): Table {
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

export function rejectedTable({ rejected }: WireStatus): Table {
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

export function unservedTable({ unserved }: WireStatus): Table & { readonly count: string } {
  return {
    count: readableNumber(unserved.count),
    label: 'Files that could not be sent',
    columns: ['File', 'Reason', 'Time (UTC)'],
    rows: unserved.latest.map(({ path, reason, at }) => [
      html`<code>${path}</code>`,
      reasonCell(reason),
      readableTime(at, 'second'),
    ]),
  }
}
