/**
 * Follows the announced incidents, so that each of them has few messages under one id, while the
 * incidents of the network grow, join and fall apart:
 * - An incident that shares a series with an announced one is that one, and keeps its id. It takes
 *   over series that were lost later without a message.
 * - Stations that become an incident of their country are another incident, with one message, which
 *   names those that it replaces. So are incidents of a country that become one.
 * - One more message says that it is down. This is not taken back, so it is said once.
 * - Series that are back stay in the message of its end, and in no other: one that is lost again is
 *   a new incident.
 * - It ends when none of its series is lost. The incident of a country also ends an hour after its
 *   lost stations became too few for one; these continue as incidents of their own, which the
 *   message of its end names.
 */
import { secondsPerHour } from '../parse/calendar.ts'
import { keyOf } from '../series/alerts.ts'
import type { Alert, AlertKind, IncidentAlert } from '../series/alerts.ts'
import type { AlertSeries } from '../series/incidents.ts'

/** What the messages of an incident have in common. */
export interface AnnouncedIncident {
  /** That of its alert when it was announced. */
  readonly id: string
  readonly station: string | null
  readonly country: string | null
  readonly since: string | null
}

/** An alert that was announced as open. */
export interface Announced {
  /** `down` stays. */
  readonly kind: AlertKind
  /** Only for `late` and `down`. */
  readonly incident?: AnnouncedIncident
  /** Its series that are lost. */
  readonly series: readonly AlertSeries[]
  /** Its series that were lost, and are back. */
  readonly back: readonly AlertSeries[]
  /**
   * Time since which too few stations of an incident of a country are lost, in seconds since 1970.
   */
  readonly tooFewSince?: number
}

/** A change that a message announces. */
export interface Change {
  readonly alert: Announced
  readonly state: 'open' | 'closed'
  /** Ids of announced incidents that are a part of this one now. */
  readonly replaces?: readonly string[]
  /** Ids of the incidents as which its lost series continue. */
  readonly continues?: readonly string[]
  readonly reason?: string
}

/** An incident that was announced. */
type Known = Announced & { readonly incident: AnnouncedIncident }

/** After this time without enough stations, the incident of a country ends. */
const tooFewSeconds = secondsPerHour

export function announcedAs(alert: Alert): Announced {
  const { kind, incident } = alert
  const series = plainSeries(alert.series)
  if (incident === undefined) return { kind, series, back: [] }
  return { kind, incident: placeOf(incident), series, back: [] }
}

function placeOf({ id, station, country, since }: AnnouncedIncident): AnnouncedIncident {
  return { id, station, country, since }
}

/** The series as messages have them. */
function plainSeries(series: readonly AlertSeries[]): readonly AlertSeries[] {
  return series.map(({ station, file_type, period, since }) => ({
    station,
    file_type,
    period,
    since,
  }))
}

/** The incidents that are open. */
export interface OpenIncidents {
  readonly nowSeconds: number
  readonly alerts: readonly IncidentAlert[]
  /** Keys of all series that are late or down, also of those without an alert. */
  readonly lost: ReadonlySet<string>
}

/**
 * Compares the incidents that were announced with those that are open.
 * @param known in the order of their first messages
 */
export function compareIncidents(
  known: readonly Announced[],
  { alerts, lost, nowSeconds }: OpenIncidents,
): { readonly open: readonly Announced[]; readonly changes: readonly Change[] } {
  const incidents = known.filter((each): each is Known => each.incident !== undefined)
  const { firstOf, partsOf, added } = assign(incidents, alerts)
  const steps = incidents
    .filter((each) => firstOf(each) === each)
    .map((each) => {
      const replaced = incidents.filter((other) => other !== each && firstOf(other) === each)
      return follow(each, replaced, { alerts: partsOf(each), lost, nowSeconds })
    })
  const opened = added.map(announcedAs)
  return {
    open: [...steps.flatMap(({ open }) => open), ...opened],
    changes: [
      ...steps.flatMap(({ changes }) => changes),
      ...opened.map((alert): Change => ({ alert, state: 'open' })),
    ],
  }
}

/** Finds the announced incident of each alert by their series. */
function assign(known: readonly Known[], alerts: readonly IncidentAlert[]) {
  const ownerOf = new Map(known.flatMap((each) => each.series.map((one) => [keyOf(one), each])))
  const joined = new Map<Known, Known>()
  const firstOf = (each: Known): Known => {
    const other = joined.get(each)
    return other === undefined ? each : firstOf(other)
  }
  const ownersOf = ({ series }: IncidentAlert): readonly Known[] => {
    const owners = new Set(series.flatMap((each) => ownerOf.get(keyOf(each)) ?? []).map(firstOf))
    return known.filter((each) => owners.has(each))
  }
  for (const alert of alerts) {
    const [first, ...others] = ownersOf(alert)
    if (first !== undefined) for (const other of others) joined.set(other, first)
  }
  return {
    firstOf,
    partsOf: (each: Known) => alerts.filter((alert) => ownersOf(alert)[0] === each),
    added: alerts.filter((alert) => ownersOf(alert).length === 0),
  }
}

/**
 * What becomes of an announced incident.
 * @param replaced announced incidents that are a part of it now
 * @param open with the alerts that have series of it
 */
function follow(
  known: Known,
  replaced: readonly Known[],
  { alerts, lost, nowSeconds }: OpenIncidents,
): { readonly open: readonly Announced[]; readonly changes: readonly Change[] } {
  const found = plainSeries(alerts.flatMap(({ series }) => series))
  const keys = new Set(found.map(keyOf))
  const before = [known, ...replaced]
  const others = before.flatMap((each) => each.series).filter((each) => !keys.has(keyOf(each)))
  const left = others.filter((each) => lost.has(keyOf(each)))
  const series = [...found, ...left]
  if (series.length === 0) return { open: [], changes: [{ alert: known, state: 'closed' }] }
  const back = [...before.flatMap((each) => each.back), ...others].filter(
    (each) => !keys.has(keyOf(each)) && !lost.has(keyOf(each)),
  )
  const { incident } = known
  // The clock may have been set back since.
  const tooFewSince = Math.min(known.tooFewSince ?? nowSeconds, nowSeconds)
  const wide = alerts.find((each) => each.incident.country !== null)?.incident
  const isTooFew = incident.country !== null && wide === undefined
  const isOver = isTooFew && nowSeconds - tooFewSince >= tooFewSeconds
  if (isOver && back.length > 0 && left.length === 0) {
    const continues = alerts.map(({ id }) => id)
    const alert = { ...known, series: [], back }
    return { open: alerts.map(announcedAs), changes: [{ alert, state: 'closed', continues }] }
  }
  const isWider = incident.country === null && wide !== undefined
  const isDown = known.kind === 'down' || alerts.some(({ kind }) => kind === 'down')
  const alert: Announced = {
    kind: isDown ? 'down' : 'late',
    incident: isWider ? placeOf(wide) : incident,
    series,
    back,
    ...(isTooFew && { tooFewSince }),
  }
  const joined = isWider ? before : replaced
  const replaces = joined.map((each) => each.incident.id)
  const isNews = alert.kind !== known.kind || joined.some((each) => each.incident.country !== null)
  const changes: Change[] = isNews || isWider ? [{ alert, state: 'open', replaces }] : []
  return { open: [alert], changes }
}
