/** The part of the page of a weekly report that says which files are flagged. */
import { dayToIso, secondsPerDay } from '../../parse/calendar.ts'
import type { FlagName } from '../../rinex/facts.ts'
import { flagMeanings } from '../../rinex/facts.ts'
import { counted, readableNumber } from '../../runtime/readable.ts'
import { compareText } from '../../series/ascending.ts'
import type { AlwaysFlagged, FlagCount, FlaggedWeek, StationFlags } from '../../series/flags.ts'
import type { QueryPair } from '../http/links.ts'
import { queryText } from '../http/links.ts'
import { shortDay } from '../pages/date-words.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { link, note } from '../pages/parts.ts'
import { headerColumn, numberColumns, table } from '../pages/table.ts'
import { stationCell } from '../series/series-fields.ts'
import type { WeekReport } from './week-report.ts'

/** Rows that are not folded. */
const mostRows = 5

/** The list of these files. */
type HrefOf = (...more: readonly QueryPair[]) => string

/** What is wrong with the files of the week by what is inside; nothing if nothing is. */
export function flaggedHtml(
  { week, flagged }: Pick<WeekReport, 'week' | 'flagged'>,
  place: readonly QueryPair[],
): Child {
  const always = flagged.stations.flatMap((each) => each.always)
  if (flagged.files === 0 && always.length === 0) return undefined
  const ofWeek: readonly QueryPair[] = [
    ['data_date__gte', dayToIso(week.fromDay)],
    ['data_date__lt', dayToIso(week.toDay + 1)],
  ]
  const hrefOf: HrefOf = (...more) => {
    const isOfDay = more.some(([name]) => name === 'date')
    const isOfStation = more.some(([name]) => name === 'station')
    const others = isOfStation ? [] : place
    const pairs = [...others, ['file_type', 'o'], ...(isOfDay ? [] : ofWeek), ...more] as const
    return `../rinex-file/?${queryText([...pairs, ['format', 'api']])}`
  }
  return html`<h2>${counted(flagged.files, 'file is', 'files are')} flagged</h2>
<p class="quiet">Of ${counted(flagged.read, 'observation file', 'observation files')} that were read to
the end: what is wrong with each by itself, whatever came before or after it.</p>
${flagged.files > 0 && daysTable(flagged, hrefOf)}
${flagged.files > 0 && html`<h3>Stations with most of them</h3>\n${worstTable(flagged, hrefOf)}`}
${always.length > 0 && alwaysHtml(always, hrefOf)}
`
}

/** Stations that a link names. */
const mostNamed = 20

/** The flags, with their files of each day that has some. */
function daysTable(flagged: FlaggedWeek, hrefOf: HrefOf): Html {
  const { flags, days } = flagged
  const isSum = days.length > 1
  const filesOf = (of: readonly FlagCount[], flag: FlagName): number =>
    of.find((each) => each.flag === flag)?.files ?? 0
  return table({
    label: 'Flagged files by flag and day',
    className: 'cards',
    columns: [
      headerColumn('Flag'),
      ...numberColumns(...days.map(({ day }) => shortDay(day, day * secondsPerDay))),
      ...(isSum ? numberColumns('Week') : []),
    ],
    rows: flags.map(({ flag, files }) => {
      const stations = stationsToName(flagged, flag)
      const cell = (files: number, ...date: readonly QueryPair[]): Child =>
        files > 0 &&
        link(readableNumber(files), stations && hrefOf(['flag', flag], ...date, ...stations))
      return [
        [html`<b>${flag}</b>`, note(flagMeanings[flag])],
        ...days.map((each) => cell(filesOf(each.flags, flag), ['date', dayToIso(each.day)])),
        ...(isSum ? [cell(files)] : []),
      ]
    }),
  })
}

/**
 * The stations whose files with a flag count, if others always have it: a link names them, so that
 * its list has these files and no others. `undefined` if they are too many.
 */
function stationsToName(
  { stations }: FlaggedWeek,
  flag: FlagName,
): readonly QueryPair[] | undefined {
  if (!stations.some(({ always }) => always.some((each) => each.flag === flag))) return []
  const codes = stations
    .filter(({ flags }) => flags.some((each) => each.flag === flag))
    .map(({ station }) => station)
  return codes.length > mostNamed ? undefined : [['station', codes.join()]]
}

/** The stations with most flagged files. */
function worstTable({ stations }: FlaggedWeek, hrefOf: HrefOf): Html {
  const rows = stations.filter(({ files }) => files > 0).map((each) => worstRow(each, hrefOf))
  const more = rows.slice(mostRows)
  const part = {
    className: 'cards',
    columns: [headerColumn('Station'), ...numberColumns('Flagged files', 'Read files'), 'Flags'],
  }
  return html`${table({ ...part, label: 'Stations with most flagged files', rows: rows.slice(0, mostRows) })}
${more.length > 0 && folded(more.length, table({ ...part, label: 'More flagged', rows: more }))}`
}

function worstRow({ station, read, files, flags }: StationFlags, hrefOf: HrefOf): readonly Child[] {
  const words = flags.map(({ flag, files }, index) => [
    index > 0 && ', ',
    link(`${readableNumber(files)} ${flag}`, hrefOf(['station', station], ['flag', flag])),
  ])
  return [stationCell({ station }), readableNumber(files), readableNumber(read), words]
}

/** A line for each flag that a station always has. */
function alwaysHtml(always: readonly AlwaysFlagged[], hrefOf: HrefOf): Html {
  const lines = always
    .toSorted((a, b) => compareText(a.station, b.station))
    .map(({ station, flag, files, read }) => {
      const count = `${readableNumber(files)} of ${counted(read, 'file', 'files')}`
      const list = link(count, hrefOf(['station', station], ['flag', flag]))
      return html`<li>${stationCell({ station })}: always <b>${flag}</b>${note(flagMeanings[flag])}, ${list}</li>\n`
    })
  const more = lines.slice(mostRows)
  return html`<h3>Always so, and not counted above</h3>
<ul class="plain">
${lines.slice(0, mostRows)}</ul>
${more.length > 0 && folded(more.length, html`<ul class="plain">\n${more}</ul>`)}`
}

function folded(count: number, content: Html): Html {
  return html`<details><summary>${counted(count, 'more station', 'more stations')}</summary>
${content}</details>`
}
