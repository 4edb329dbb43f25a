/** What the indexer has to do, and the rescans that it did. */
import { readableDuration, readableNumber, readableTime } from '../../runtime/readable.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { factList, prose } from '../pages/parts.ts'
import type { Table } from '../pages/table.ts'
import { headerColumn, numberColumns, table, timeCell } from '../pages/table.ts'
import { problemLink } from './problem-tables.ts'
import type { WireStatus } from './serialise.ts'

export function rescansHtml(status: WireStatus): Child {
  const rescans = rescansTable(status)
  return rescans.rows.length > 0 && html`<h2>Last rescans</h2>\n${table(rescans)}`
}

function rescansTable({ rescans }: WireStatus): Table {
  return {
    label: 'Last rescans',
    caption: 'The last rescans since the start of the indexer, and what they changed; times in UTC',
    className: 'cards',
    columns: [
      headerColumn('Directories'),
      ...['Ended', 'Took'],
      ...numberColumns('New', 'Replaced', 'Removed'),
      { label: 'Notes', isProse: true },
    ],
    rows: (rescans?.ended ?? []).map((rescan) => {
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
    }),
  }
}

function tookWords(seconds: number): string {
  return seconds < 1 ? 'under 1 s' : readableDuration(seconds)
}

/** The queues of the indexer that are not empty, and a sentence about the others. */
export function queuesHtml(status: WireStatus, isPublic: boolean): Html {
  const { rescans } = status
  const rescan = rescans?.running ?? null
  const waiting = rescans?.waiting ?? null
  const queues = [
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
      value:
        rescan === null && waiting === null
          ? 0
          : `${Number(rescan !== null)} running, ${Number(waiting !== null)} waiting`,
    },
  ]
  const empty = queues.filter(({ value }) => value === 0).map(({ name }) => inSentence(name))
  const full = queues.flatMap(({ value, ...queue }) =>
    value === null || value === 0
      ? []
      : [{ ...queue, value: typeof value === 'number' ? readableNumber(value) : value }],
  )
  return html`${full.length > 0 && factList(full)}
${empty.length > 0 && html`<p>None: ${empty.join(', ')}.</p>`}
`
}

/** The name of a row within a sentence. */
function inSentence(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1).replace(', at most', '')
}
