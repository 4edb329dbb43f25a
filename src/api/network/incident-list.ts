/** The open incidents on the page of the network: what is lost, and the single files. Pure. */
import { openIncidents } from '../../series/incidents.ts'
import type { Incident } from '../../series/incidents.ts'
import { slotAt } from '../../series/series.ts'
import { pageUrl } from '../http/context.ts'
import { missingPattern, timesOf } from '../missing/missing-slots.ts'
import type { MissingSlot } from '../missing/missing-slots.ts'
import { counted, readableTime } from '../pages/labels.ts'
import { secondsToIso } from '../../parse/calendar.ts'
import { incidentSeriesWords, incidentWords, placeOf } from '../series/incident-words.ts'
import { keyOf } from '../series/known-series.ts'
import type { SeriesStatus } from '../series/known-series.ts'
import { availabilityHref } from '../series/series-fields.ts'

interface Linked {
  readonly text: string
  readonly href: string
}

interface ShownIncident {
  readonly id: string
  readonly kind: Incident['kind']
  readonly words: string
  readonly series: readonly Linked[]
  /** How many series are not named. */
  readonly more: string
  readonly seriesHref: string
  readonly missingHref: string
}

interface IncidentList {
  readonly incidents: readonly ShownIncident[]
  /** The last incidents are left out. */
  readonly more: string
  /** Series that lost only their newest file. */
  readonly single: { readonly label: string; readonly files: readonly SingleFile[] }
}

interface SingleFile extends Linked {
  readonly expectedBy: string
}

/** Maximum numbers of incidents, of their series, and of single files: Alerts has all. */
const max = { incidents: 50, series: 150, files: 50 }

export function incidentList(states: readonly SeriesStatus[], asOf: number): IncidentList {
  const known = new Map(states.map((each) => [keyOf(each), each]))
  const single: MissingSlot[] = []
  const large: Incident[] = []
  for (const incident of openIncidents(states, asOf)) {
    const lost = incident.series.flatMap((each) =>
      onlyLoss(known.get(keyOf({ ...each, fileType: each.file_type }))),
    )
    const isSmall = incident.country === null && lost.length === incident.series.length
    if (isSmall) single.push(...lost)
    else large.push(incident)
  }
  return {
    incidents: shownIncidents(large.slice(0, max.incidents)),
    more: moreText(large.length - max.incidents, 'incident', 'incidents'),
    single: {
      label: counted(single.length, 'single file', 'single files'),
      files: single.slice(0, max.files).map(singleFile),
    },
  }
}

/** The late or missing slot after the last delivered one; nothing if there are several. */
function onlyLoss(series: SeriesStatus | undefined): readonly MissingSlot[] {
  const { runs, since } = series?.summary ?? {}
  if (series === undefined || runs === undefined || since === undefined) return []
  const first = slotAt(since, series.period)
  const lost = runs.flatMap(({ state, firstSlot, slots }) => {
    const slot = Math.max(firstSlot, first)
    const count = firstSlot + slots - slot
    return (state === 'late' || state === 'missing') && count > 0 ? [{ slot, state, count }] : []
  })
  const [only, ...others] = lost
  if (only === undefined || only.count > 1 || others.length > 0) return []
  return [{ series, slot: only.slot, state: only.state }]
}

function singleFile(missing: MissingSlot): SingleFile {
  const { series, slot } = missing
  return {
    text: missingPattern(series, slot),
    href: availabilityHref(series),
    expectedBy: readableTime(secondsToIso(timesOf(missing).expectedBy)),
  }
}

function shownIncidents(incidents: readonly Incident[]): readonly ShownIncident[] {
  let left = max.series
  return incidents.map((incident) => {
    const { id, kind, period, series } = incident
    const shown = series.slice(0, left)
    left -= shown.length
    const asked = [placeOf(incident), ['period', period] as const]
    return {
      id,
      kind,
      words: incidentWords(incident),
      series: shown.map((each) => ({
        text: incidentSeriesWords(each),
        href: availabilityHref({ ...each, fileType: each.file_type }),
      })),
      more: moreText(series.length - shown.length, 'series', 'series'),
      seriesHref: pageUrl({ api: '../' }, 'series', asked),
      missingHref: pageUrl({ api: '../' }, 'missing', asked),
    }
  })
}

function moreText(count: number, one: string, many: string): string {
  return count <= 0 ? '' : `and ${counted(count, `more ${one}`, `more ${many}`)}`
}
