/** The HTML page of the archive: how large it is, what is kept, and what the service does. */
import type { DayVolume, Volumes } from '../../catalogue/questions/volumes.ts'
import { sumOfVolumes } from '../../catalogue/sums.ts'
import { areas } from '../../parse/archive-path.ts'
import { dateOf } from '../../parse/calendar.ts'
import { readableNumber, readableShare, readableSize } from '../../runtime/readable.ts'
import { periods } from '../../series/series.ts'
import { monthWords } from '../pages/date-words.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { typeLabel } from '../pages/labels.ts'
import type { Page } from '../pages/layout.ts'
import { factList, ignoredNotice, link } from '../pages/parts.ts'
import type { Table } from '../pages/table.ts'
import { headerColumn, numberColumns, periodCell, table } from '../pages/table.ts'
import type { ArchiveDisk } from './disks.ts'
import type { YearVolumes } from './pictures.ts'
import { daysSvg, yearsOf, yearsSvg } from './pictures.ts'
import type { serviceLines } from './service-lines.ts'
import { files, sentencesOf } from './words.ts'

/** What the page shows. */
interface ArchiveView {
  readonly volumes: Volumes
  readonly disks: readonly ArchiveDisk[]
  /** The UTC day since 1970. */
  readonly today: number
  readonly service: ReturnType<typeof serviceLines>
  readonly ignored: readonly string[]
}

export function renderArchive(view: ArchiveView): Page {
  const { volumes, disks, today, service, ignored } = view
  const { totals } = volumes
  const all = sumOfVolumes(totals)
  const sentences = sentencesOf(volumes, today)
  const title = `Archive: ${files(all.files)}, ${readableSize(all.bytes)}`
  return {
    frame: {
      title,
      here: 'Archive',
      section: 'archive',
      description: sentences.join(' '),
      up: '../',
      json: '?format=json',
    },
    body: html`${ignoredNotice(ignored)}
${sentences.map((sentence) => html`<p>${sentence}</p>\n`)}
<div class="pictures">
${all.files > 0 && figuresOf(volumes, today).map(figureHtml)}
</div>
${all.files > 0 && html`<h2>Kinds of files</h2>\n${table(kindsTable(volumes))}`}
<h2>Disks</h2>
${table(disksTable(disks))}
<h2>Service</h2>
${factList(service)}
<p><a href="../status/?format=api">Status</a> · <a href="../status/problems/?format=api">Problems</a>
 · <a href="../changes/?format=api">Changes</a> · the files and bytes of each year and kind as
 <a href="?format=csv">CSV</a></p>
`,
  }
}

/** Pictures with names of their own, and the same as a table. */
interface Figure {
  readonly label: string
  readonly pictures: readonly (readonly [name: string, svg: Html])[]
  readonly rows: Table
}

function figureHtml({ label, pictures, rows }: Figure): Html {
  return html`<section>
<h2>${label}</h2>
${pictures.map(([name, svg]) => html`<p class="label">${name}</p>\n${svg}`)}
<details>
<summary>The same as a table</summary>
${table(rows)}
</details>
</section>
`
}

function figuresOf({ months, days }: Volumes, today: number): readonly Figure[] {
  if (months === undefined || days === undefined) return []
  const years = yearsOf(months)
  // Today is not over.
  const shown = days.filter(({ day }) => day > today - 366 && day < today)
  const texts = { textOf: readableSize, wordsOf: yearWords }
  return [
    {
      label: 'Bytes by year of the data',
      pictures: [['obs, with nrt on top', yearsSvg('Bytes by year', years, texts)]],
      rows: yearsTable(years),
    },
    {
      label: 'Bytes and files by day of the data',
      pictures: [...dayPictures(shown, 'bytes'), ...dayPictures(shown, 'files')],
      rows: monthsTable(shown),
    },
  ]
}

/** An area whose files go after some days has an axis of its own. */
function dayPictures(days: readonly DayVolume[], of: 'files' | 'bytes'): Figure['pictures'] {
  const textOf = of === 'bytes' ? readableSize : wholeNumber
  return areas.flatMap((area) => {
    const own = days.filter((each) => each.area === area)
    const name = `${area}, ${of}`
    return own.length === 0 ? [] : [[name, daysSvg(`${name} a day`, own, { area, of, textOf })]]
  })
}

function wholeNumber(value: number): string {
  return Number.isInteger(value) ? readableNumber(value) : ''
}

/** `2026: obs 13.1 GB, nrt 1.2 GB` */
function yearWords(of: YearVolumes): string {
  const parts = areas.filter((area) => of[area].files > 0)
  return `${of.year}: ${parts.map((area) => `${area} ${readableSize(of[area].bytes)}`).join(', ')}`
}

const areaColumns = numberColumns(...areas.flatMap((area) => [`${area} files`, `${area} size`]))

function yearsTable(years: readonly YearVolumes[]): Table {
  return {
    label: 'Files by year',
    columns: [headerColumn('Year'), ...areaColumns],
    rows: years
      .toReversed()
      .map((each) => [
        link(each.year, `../rinex-file/?year=${each.year}&format=api`),
        ...areas.flatMap((area) => [
          readableNumber(each[area].files),
          readableSize(each[area].bytes),
        ]),
      ]),
  }
}

/** The days by month, the newest first; the first month may have lost its first days. */
function monthsTable(days: readonly DayVolume[]): Table {
  const byMonth = Map.groupBy(days, ({ day }) => monthWords(dateOf(day)))
  const rows = Array.from(byMonth, ([month, own]): readonly Child[] => [
    month,
    ...areas.flatMap((area) => {
      const sum = sumOfVolumes(own.filter((each) => each.area === area))
      return [readableNumber(sum.files), readableSize(sum.bytes)]
    }),
  ])
  return {
    label: 'Files by month',
    columns: [headerColumn('Month'), ...areaColumns],
    rows: rows.toReversed(),
  }
}

function kindsTable({ totals }: Volumes): Table {
  const byKind = Map.groupBy(totals, ({ area, fileType, period }) =>
    [area, fileType, period].join(),
  )
  const rows = Array.from(byKind.values(), (own) => ({ ...own[0], ...sumOfVolumes(own) }))
  return {
    label: 'Kinds of files',
    className: 'cards',
    columns: [headerColumn('Area'), 'Type', 'Period', ...numberColumns('Files', 'Size')],
    rows: rows
      .toSorted((a, b) => b.bytes - a.bytes)
      .map(({ area, fileType = null, period, ...sum }) => [
        area,
        typeLabel(fileType),
        periodWords(period),
        readableNumber(sum.files),
        readableSize(sum.bytes),
      ]),
  }
}

/** The period in words; other periods than those of series have no word. */
function periodWords(period: string | undefined): Child {
  if (period === undefined) return 'not in the name'
  const known = periods.find((each) => each === period)
  return known === undefined ? period : periodCell(known)
}

function disksTable(disks: readonly ArchiveDisk[]): Table {
  return {
    label: 'Disks',
    className: 'cards',
    columns: [headerColumn('Holds'), ...numberColumns('Free', 'Size', 'Free share')],
    rows: disks.map(({ holds, space }) => [
      holds.join(', '),
      space === undefined ? 'does not answer' : readableSize(space.freeBytes),
      space && readableSize(space.totalBytes),
      space && space.totalBytes > 0 && readableShare(space.freeBytes / space.totalBytes),
    ]),
  }
}
