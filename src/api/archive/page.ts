/** The HTML page of the archive. */
import { sumOfVolumes } from '../../catalogue/sums.ts'
import { readableNumber, readableShare, readableSize } from '../../runtime/readable.ts'
import { periods } from '../../series/series.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { typeLabel } from '../pages/labels.ts'
import type { Page } from '../pages/layout.ts'
import { ignoredNotice, link, picture } from '../pages/parts.ts'
import type { Table } from '../pages/table.ts'
import { headerColumn, numberColumns, periodCell, table } from '../pages/table.ts'
import { barsSvg } from './pictures.ts'
import type { WireArchive } from './schema.ts'
import { checksumsSentence, files, sentencesOf } from './words.ts'

export function renderArchive(wire: WireArchive, ignored: readonly string[]): Page {
  const sentences = sentencesOf(wire)
  const frame = {
    title: 'Archive',
    section: 'archive',
    description: sentences.join(' '),
    up: '../',
    json: '?format=json',
  }
  const kinds = kindsTable(wire)
  const checksums = checksumsSentence(wire)
  return {
    frame,
    body: html`${ignoredNotice(ignored)}
<p>What the service does: <a href="../status/?format=api">Status</a>; what arrived:
 <a href="../changes/?format=api">Changes</a>.</p>
${sentences.map((sentence) => html`<p class="lead">${sentence}</p>\n`)}
<div class="pictures">
${picturesOf(wire).map(pictureHtml)}
</div>
${kinds.rows.length > 0 && html`<h2>By area, type and period</h2>\n${table(kinds)}`}
<h2>Disks</h2>
${table(disksTable(wire))}
${checksums && html`<h2>Checksums</h2>\n<p>${checksums}</p>\n`}
<p>Download the files and bytes of each year, area, type and period as <a href="?format=csv">CSV</a>;
 the same as <a href="?format=json">JSON</a>.</p>
`,
  }
}

/** A picture, what it shows, and the same as a table. */
interface Figure {
  readonly label: string
  readonly text: string
  readonly svg: Html
  readonly rows: Table
}

function pictureHtml({ label, text, svg, rows }: Figure): Html {
  return html`<section>
<h2>${label}</h2>
<p>${text}</p>
${picture(label, svg)}
<details>
<summary>The same as a table</summary>
${table(rows)}
</details>
</section>
`
}

function picturesOf(wire: WireArchive): readonly Figure[] {
  const { years, days } = wire
  if (years === null || days === null || wire.files === 0) return []
  return [
    {
      label: 'By year',
      text: 'Bytes by the year in which the data begin.',
      svg: yearsSvg(years),
      rows: yearsTable(years),
    },
    { ...daysPicture(days, 'bytes'), rows: monthsTable(days) },
    { ...daysPicture(days, 'files'), rows: monthsTable(days) },
  ]
}

function yearsSvg(years: NonNullable<WireArchive['years']>): Html {
  const every = Math.ceil(years.length / 12)
  return barsSvg({
    title: 'By year',
    bars: years.map((year, index) => ({
      value: year.bytes,
      title: `${year.year}, ${files(year.files)}, ${readableSize(year.bytes)}`,
      ...((years.length - 1 - index) % every === 0 && { label: year.year }),
    })),
    format: readableSize,
  })
}

type WireDays = NonNullable<WireArchive['days']>

/** The last year of days, each month with its name. */
function daysPicture(days: WireDays, of: 'files' | 'bytes') {
  const shown = days.slice(-366)
  const [label, what] = of === 'files' ? ['Files a day', 'Files'] : ['Bytes a day', 'Bytes']
  return {
    label,
    text: `${what} by the UTC day on which the data begin; today is not over.`,
    svg: barsSvg({
      title: label,
      bars: shown
        .map((day) => ({
          value: day[of],
          ...(day.date.endsWith('-15') && { label: day.date.slice(0, 'yyyy-mm'.length) }),
        }))
        .map(everySecondLabel),
      format: of === 'files' ? (value) => readableNumber(Math.round(value)) : readableSize,
    }),
  }
}

/** Twelve names of months do not fit beside each other: every second one does. */
function everySecondLabel(bar: { readonly value: number; readonly label?: string }) {
  const isShown = bar.label !== undefined && Number(bar.label.slice(-2)) % 2 === 1
  return isShown ? bar : { value: bar.value }
}

function yearsTable(years: NonNullable<WireArchive['years']>): Table {
  return {
    label: 'Files by year',
    columns: [headerColumn('Year'), ...numberColumns('Files', 'Size')],
    rows: years
      .toReversed()
      .map((year) => [
        link(year.year, `../rinex-file/?year=${year.year}&format=api`),
        readableNumber(year.files),
        readableSize(year.bytes),
      ]),
  }
}

/** The days by month, the newest first; the first month may have lost its first days. */
function monthsTable(days: WireDays): Table {
  const byMonth = Map.groupBy(days, ({ date }) => date.slice(0, 'yyyy-mm'.length))
  const rows = [...byMonth].map(([month, own]): readonly Child[] => {
    const sum = sumOfVolumes(own)
    return [
      month,
      readableNumber(own.length),
      readableNumber(sum.files),
      readableSize(sum.bytes),
      readableNumber(Math.round(sum.files / own.length)),
    ]
  })
  return {
    label: 'Files by month',
    columns: [headerColumn('Month'), ...numberColumns('Days', 'Files', 'Size', 'Files a day')],
    rows: rows.toReversed(),
  }
}

function kindsTable(wire: WireArchive): Table {
  const byKind = Map.groupBy(wire.groups, ({ area, file_type: type, period }) =>
    [area, type, period].join(),
  )
  const rows = [...byKind.values()].map((groups) => {
    const sum = sumOfVolumes(groups)
    const [{ area, file_type: type, period } = { area: '', file_type: 'o' as const, period: '' }] =
      groups
    return {
      files: sum.files,
      cells: [
        area,
        typeLabel(type),
        periodCellOf(period),
        readableNumber(sum.files),
        readableSize(sum.bytes),
        readableShare(sum.files / wire.files),
      ],
    }
  })
  return {
    label: 'Files by area, type and period',
    className: 'cards',
    columns: [
      headerColumn('Area'),
      'Type',
      'Period',
      ...numberColumns('Files', 'Size', 'Share of the files'),
    ],
    rows: rows.sort((a, b) => b.files - a.files).map(({ cells }) => cells),
  }
}

/** The period in words; other periods than those of series have no word. */
function periodCellOf(period: string | null): Child {
  if (period === null) return 'not in the name'
  const known = periods.find((each) => each === period)
  return known === undefined ? period : periodCell(known)
}

type WireDisk = Pick<WireArchive['disks'][number], 'holds' | 'free_bytes' | 'total_bytes'>

export const diskColumns = [headerColumn('Holds'), ...numberColumns('Free', 'Size', 'Free share')]

export function diskCells({ holds, free_bytes: free, total_bytes: total }: WireDisk) {
  return [
    holds.join(', '),
    free === null ? 'does not answer' : readableSize(free),
    total === null ? '' : readableSize(total),
    readableShare(free === null || total === null || total === 0 ? null : free / total),
  ]
}

function disksTable({ disks }: WireArchive): Table {
  return {
    label: 'Disks',
    caption: 'The file systems of the archive',
    className: 'cards',
    columns: diskColumns,
    rows: disks.map(diskCells),
  }
}
