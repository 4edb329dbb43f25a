/** The HTML page of the archive: how large it is, what is kept, and what the service does. */
import type { Volumes } from '../../catalogue/questions/volumes.ts'
import { sumOfVolumes } from '../../catalogue/sums.ts'
import type { Layout } from '../../parse/layout.ts'
import { readableNumber, readableShare, readableSize } from '../../runtime/readable.ts'
import { periods } from '../../series/series.ts'
import type { Child } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { typeLabel } from '../pages/labels.ts'
import type { Page } from '../pages/layout.ts'
import { halfWords, slotMark } from '../pages/marks.ts'
import { factList, ignoredNotice, link } from '../pages/parts.ts'
import type { Table } from '../pages/table.ts'
import { headerColumn, numberColumns, periodCell, table } from '../pages/table.ts'
import type { ArchiveDisk } from './disks.ts'
import type { YearVolumes } from './pictures.ts'
import { daysSvg, yearsOf, yearsSvg } from './pictures.ts'
import type { serviceLines } from './service-lines.ts'
import type { FewAreas } from './words.ts'
import { files, ofFewAreas, sentencesOf } from './words.ts'

/** What the page shows. */
interface ArchiveView {
  readonly volumes: Volumes
  readonly layout: Pick<Layout, 'areas'>
  readonly disks: readonly ArchiveDisk[]
  /** The UTC day since 1970. */
  readonly today: number
  readonly service: ReturnType<typeof serviceLines>
  /** Number of slots that are half; `undefined` until the first scan has ended. */
  readonly half: number | undefined
  readonly ignored: readonly string[]
}

export function renderArchive(view: ArchiveView): Page {
  const { volumes, layout, disks, today, service, half, ignored } = view
  const few = ofFewAreas(volumes, layout)
  const { totals } = volumes
  const all = sumOfVolumes(totals)
  const sentences = sentencesOf(few, layout, today)
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
${all.files > 0 && picturesOf(few, today)}
${all.files > 0 && html`<h2>Kinds of files</h2>\n${table(kindsTable(volumes))}`}
${halfHtml(half)}<h2>Disks</h2>
${table(disksTable(disks))}
<h2>Service</h2>
${factList(service)}
<p><a href="../status/?format=api">Status</a> · <a href="../status/problems/?format=api">Problems</a>
 · <a href="../changes/?format=api">Changes</a> · the files and bytes of each year and kind as
 <a href="?format=csv">CSV</a></p>
`,
  }
}

/** How many files are there with few epochs, and where they are listed; nothing if none is. */
function halfHtml(half: number | undefined): Child {
  if (half === undefined || half === 0) return undefined
  const all = link('all files with so few', '../rinex-file/?share__lt=0.5&format=api')
  const recent = link('those of 28 days', '../missing/?state=half&format=api')
  return html`<p>${slotMark('half')} ${halfWords(half)}: ${recent}, ${all}</p>
`
}

function picturesOf({ volumes: { months, days }, areas }: FewAreas, today: number): Child {
  if (months === undefined || days === undefined) return undefined
  const years = yearsOf(months, areas)
  // Today is not over.
  const shown = days.filter(({ day }) => day > today - 366 && day < today)
  return html`<div class="columns">
<section>
<h2>Bytes by year of the data</h2>
${areas.length > 1 && html`<p class="quiet">${stackWords(areas)}</p>\n`}${yearsSvg(years)}
<details>
<summary>The same as a table</summary>
${table(yearsTable(years, areas))}
</details>
</section>
<section>
<h2>Bytes and files by day of the data</h2>
${(['bytes', 'files'] as const).flatMap((of) =>
  areas.map((area, index) => daysSvg(shown, { area, index }, of)),
)}
</section>
</div>
`
}

/** `obs, with nrt on top`; `a, b, c, from below` */
function stackWords(areas: readonly string[]): string {
  const [below, above, ...more] = areas
  return more.length === 0
    ? `${below ?? ''}, with ${above ?? ''} on top`
    : `${areas.join(', ')}, from below`
}

function yearsTable(years: readonly YearVolumes[], areas: readonly string[]): Table {
  return {
    label: 'Files by year',
    columns: [
      headerColumn('Year'),
      ...numberColumns(...areas.flatMap((area) => [`${area} files`, `${area} size`])),
    ],
    rows: years
      .toReversed()
      .map((each) => [
        link(each.year, `../rinex-file/?year=${each.year}&format=api`),
        ...each.areas.flatMap((own) => [readableNumber(own.files), readableSize(own.bytes)]),
      ]),
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
