/** The HTML page of a station. */
import { daysAhead } from '../../catalogue/records.ts'
import { dayToIso, secondsPerDay, isoOrNull } from '../../parse/calendar.ts'
import type { FileDuration, FileType } from '../../parse/types.ts'
import {
  counted,
  durationLabel,
  readableDate,
  readableNumber,
  readableShare,
  readableTime,
  typeLabel,
} from '../pages/labels.ts'
import { page } from '../pages/layout.ts'
import type { Page } from '../pages/layout.ts'
import type { PageFrame } from '../pages/layout.ts'
import type { SeriesStatus } from '../series/known-series.ts'
import type { WireStation } from './station-fields.ts'

const renderOne = page(
  'station',
  `<% for (const each of it.states) { %><p class="lead"><%= each.files %>: <span class="state <%= each.state %>"><%= each.state %></span><%= each.words %></p>
<% } %><p class="lead"><a class="button" href="<%= it.files %>">Files of <%= it.code %></a> <a class="button" href="../../missing/?format=api&amp;station=<%= it.code %>">Missing files</a> <%= it.summary %></p>
<% for (const section of it.sections) { %>
<section>
<h2><%= section.label %></h2>
<p><%= section.sentence %> <a href="<%= section.href %>">In detail</a></p>
<%~ include('@picture', section) %>
</section>
<% } %>
<h2>Years</h2>
<ul class="years"><% for (const year of it.years) { %><li><a href="<%= year.href %>"><%= year.year %></a></li><% } %></ul>
<% if (it.future !== undefined) { %><p class="notice">Some files have a date in the future, up to <%= it.future.last %>. <a href="<%= it.future.href %>">Show them</a></p>
<% } %><h2>Facts</h2>
<%~ include('@facts', { facts: it.facts }) %>
`,
)

/** A section of the station's page: a picture and its sentence. */
export interface StationSection {
  readonly label: string
  readonly sentence: string
  readonly href: string
  readonly svg: string
}

interface StationPage extends Required<Pick<PageFrame, 'banner'>> {
  readonly sections: readonly StationSection[]
  readonly states: readonly SeriesStatus[]
  readonly nowSeconds: number
}

export function renderStation(
  station: WireStation,
  { sections, states, nowSeconds, banner }: StationPage,
): Page {
  const [first, last] = [station.first_data_date, station.last_data_date].map(readableDate)
  const summary = `${counted(station.count, 'file', 'files')} from ${first ?? ''} to ${last ?? ''}`
  const frame = {
    title: `Station ${station.code}`,
    section: 'station',
    description: `RINEX files of ${station.code}: ${summary}`,
    up: '../../',
    json: '?format=json',
    banner,
  }
  const facts = [
    { name: 'Country', value: station.country ?? 'unknown' },
    { name: 'Codes', value: station.codes.join(', ') },
    { name: 'First data', value: first },
    { name: 'Last data', value: last },
    { name: 'Files', value: readableNumber(station.count) },
    { name: 'By area', value: counts(station.area, (area) => area) },
    { name: 'By type', value: counts(station.file_type, (type) => typeLabel(type as FileType)) },
    {
      name: 'By period',
      value: counts(station.file_duration, (period) => durationLabel(period as FileDuration)),
    },
    { name: 'By version', value: counts(station.file_version, (version) => version) },
  ]
  const shown = states.filter(({ fileType }) => fileType === 'o').map(stateWords)
  const years = yearsOf(station, nowSeconds)
  return renderOne(frame, { ...station, facts, sections, summary, states: shown, ...years })
}

function stateWords({ fileType, period, summary }: SeriesStatus) {
  const { state, since, ended, completeness } = summary
  const complete =
    completeness === undefined || ended
      ? ''
      : `; ${readableShare(completeness)} complete in 28 days`
  const iso = isoOrNull(since)
  const time = iso === null ? '' : ` since ${readableTime(iso)} UTC`
  const nothing = iso === null ? ', nothing was ever delivered' : `, nothing${time}`
  return {
    files: `${typeLabel(fileType)} ${period}`,
    state: ended ? 'ended' : state,
    words: `${state === 'present' ? time : state === 'unknown' ? '' : nothing}${complete}.`,
  }
}

/**
 * Links to the files of each year, the latest first. Years far ahead of now, from wrong dates in
 * names, must not hide the real ones; their files have one link.
 */
function yearsOf({ first_data_date, last_data_date, files }: WireStation, nowSeconds: number) {
  const lastDay = Math.floor(nowSeconds / secondsPerDay) + daysAhead
  const isFuture = last_data_date > dayToIso(lastDay)
  const [first = 0, last = 0] = [
    first_data_date,
    isFuture ? dayToIso(lastDay) : last_data_date,
  ].map((date) => Number(date.slice(0, 4)))
  const count = Math.max(0, Math.min(last - first + 1, maxYears))
  return {
    years: Array.from({ length: count }, (_value, index) => {
      const year = last - index
      return { year, href: `${files}&year=${year}` }
    }),
    future: isFuture
      ? {
          last: readableDate(last_data_date),
          href: `${files}&data_date__gte=${dayToIso(lastDay + 1)}`,
        }
      : undefined,
  }
}

/** Maximum number of years in the list, because a wrong year in a name must not make it long. */
const maxYears = 60

/** `observation: 12, navigation: 3` */
function counts(
  values: Readonly<Record<string, number>>,
  labelOf: (value: string) => string,
): string {
  return Object.entries(values)
    .map(([value, count]) => `${labelOf(value)}: ${readableNumber(count)}`)
    .join(', ')
}
