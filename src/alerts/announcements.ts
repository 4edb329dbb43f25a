/** Decides which messages follow from the open alerts, and when no message is made. No I/O. */
import type { StatusReply } from '../control-socket/client.ts'
import type { Alert, AlertKind, IncidentAlert } from '../series/alerts.ts'
import type { AlertSeries } from '../series/incidents.ts'
import type { Currency } from '../series/currency.ts'
import { secondsPerHour } from '../parse/calendar.ts'
import { announcedAs, compareIncidents } from './announced-incidents.ts'
import type { Announced, AnnouncedIncident, Change, OpenIncidents } from './announced-incidents.ts'

/** The body of a request to the receiver. */
export interface Message {
  /** The same in all attempts to deliver the message. */
  readonly id: string
  readonly at: string
  readonly kind: AlertKind | 'test'
  readonly state: 'open' | 'closed'
  /** Only for `late` and `down`. */
  readonly incident?: AnnouncedIncident & {
    /** Ids of announced incidents that are a part of this one now. */
    readonly replaces?: readonly string[]
    /** Only of `closed`: ids of the incidents as which its lost stations continue. */
    readonly continues?: readonly string[]
  }
  /** Empty for `not-current`. */
  readonly series: readonly AlertSeries[]
  /** Only for `not-current` and `open`: why the catalogue does not follow the archive. */
  readonly reason?: string
}

/** The part of the state that survives a restart. */
export interface AlertMemory {
  /** The alerts that were announced as open, including those in `messages`. */
  readonly open: readonly Announced[]
  /** Messages that are not delivered yet, in the order of their delivery. */
  readonly messages: readonly Message[]
}

export interface AnnouncerState extends AlertMemory {
  /** No message but one of the kind `not-current` is made before this time (seconds since 1970). */
  readonly quietUntil: number
  /**
   * No message about single series is made before this time, because after `ingest-stalled` their
   * files must first catch up.
   */
  readonly seriesQuietUntil: number
  /**
   * The reason why the last check could make no other message, for example a problem of the
   * indexer; `undefined` without a reason. Messages that wait for their delivery are not a reason.
   */
  readonly quiet: string | undefined
}

/** The findings of one check. */
export interface Check {
  readonly nowSeconds: number
  readonly status: StatusReply
  /**
   * The alerts that are open, and how current the catalogue is; an error if the catalogue cannot be
   * read.
   */
  readonly found: Found | Error
}

export interface Found {
  readonly alerts: readonly Alert[]
  /** The series that are late or down, by `keyOf`. */
  readonly lost: ReadonlySet<string>
  readonly currency: Currency
}

const nothing: Pick<Found, 'alerts' | 'lost'> = { alerts: [], lost: new Set() }

const quietSeconds = secondsPerHour

/**
 * Returns the state at the start of a process. In its first hour, only `not-current` is announced.
 */
export function startAnnouncing(memory: AlertMemory, nowSeconds: number): AnnouncerState {
  return { ...memory, quietUntil: nowSeconds + quietSeconds, seriesQuietUntil: 0, quiet: undefined }
}

/**
 * Compares the open alerts with those that were announced. Makes one message for each alert that
 * opened, changed or closed; makes none while the catalogue is not current, but one that it is not,
 * or while earlier messages are not delivered.
 */
export function announce(state: AnnouncerState, check: Check, newId: () => string): AnnouncerState {
  const { nowSeconds, found } = check
  const { alerts, lost } = found instanceof Error ? nothing : found
  const isStalled = alerts.some(({ kind }) => kind === 'ingest-stalled')
  const quietEnd = nowSeconds + quietSeconds
  const next = {
    ...state,
    quietUntil: Math.min(quietEnd, endOfQuiet(state.quietUntil, check)),
    seriesQuietUntil: isStalled ? quietEnd : Math.min(quietEnd, state.seriesQuietUntil),
  }
  const quiet = quietReason(next, check)
  if (state.messages.length > 0) return { ...next, quiet }
  const at = new Date(nowSeconds * 1000).toISOString()
  const make = ({ alert, state, replaces = [], continues = [], reason }: Change): Message => ({
    id: newId(),
    at,
    kind: alert.kind,
    state,
    ...(alert.incident && {
      incident: {
        ...alert.incident,
        ...(replaces.length > 0 && { replaces }),
        ...(continues.length > 0 && { continues }),
      },
    }),
    series: state === 'closed' ? [...alert.back, ...alert.series] : alert.series,
    ...(reason !== undefined && { reason }),
  })
  const currency = compareCurrency(state.open, check)
  if (quiet !== undefined)
    return { ...next, quiet, open: currency.open, messages: currency.changes.map(make) }
  const { open, changes } = compareAlerts(currency.open, alerts, {
    isQuiet: nowSeconds < next.seriesQuietUntil,
    lost,
    nowSeconds,
  })
  return { ...next, quiet, open, messages: [...currency.changes, ...changes].map(make) }
}

interface Changes {
  /** All that is announced then. */
  readonly open: readonly Announced[]
  /** Alerts that closed come before those that opened. */
  readonly changes: readonly Change[]
}

/**
 * Opens or closes the alert that the catalogue is not current. It opens when the last heartbeat is
 * too old, because a restart of the indexer is no alert. While the catalogue cannot be read,
 * nothing changes.
 */
function compareCurrency(open: readonly Announced[], { found, nowSeconds }: Check): Changes {
  const known = open.find(({ kind }) => kind === 'not-current')
  const unchanged = { open, changes: [] }
  if (found instanceof Error) return unchanged
  const { asOf, notCurrent: reason, isOld } = found.currency
  if (reason === undefined)
    return known === undefined
      ? unchanged
      : {
          open: open.filter((each) => each !== known),
          changes: [{ alert: known, state: 'closed' }],
        }
  if (asOf === undefined || !isOld || known !== undefined) return unchanged
  const since = new Date(asOf * 1000).toISOString()
  const opened = new Date(nowSeconds * 1000).toISOString()
  const alert = announcedAs({
    id: `not-current-${since}`,
    kind: 'not-current',
    since,
    opened,
    changed: opened,
    series: [],
  })
  return { open: [...open, alert], changes: [{ alert, state: 'open', reason }] }
}

/** @param isQuiet true while only `ingest-stalled` is announced */
function compareAlerts(
  known: readonly Announced[],
  alerts: readonly Alert[],
  { isQuiet, ...now }: Omit<OpenIncidents, 'alerts'> & { readonly isQuiet: boolean },
): Changes {
  const isStalled = ({ kind }: Pick<Alert, 'kind'>): boolean => kind === 'ingest-stalled'
  const before = known.find(isStalled)
  const after = alerts.find(isStalled)
  const stalled = after === undefined ? undefined : (before ?? announcedAs(after))
  const closed: Change[] =
    before === undefined || after !== undefined ? [] : [{ alert: before, state: 'closed' }]
  const opened: Change[] =
    stalled === undefined || stalled === before ? [] : [{ alert: stalled, state: 'open' }]
  const others = known.filter((each) => !isStalled(each) && each.incident === undefined)
  const own = known.filter(({ incident }) => incident !== undefined)
  const incidents = isQuiet
    ? { open: own, changes: [] }
    : compareIncidents(own, { ...now, alerts: alerts.filter(isOfIncident) })
  return {
    open: [...others, ...(stalled === undefined ? [] : [stalled]), ...incidents.open],
    changes: [...closed, ...opened, ...incidents.changes].sort(
      (a, b) => Number(a.state === 'open') - Number(b.state === 'open'),
    ),
  }
}

function isOfIncident(alert: Alert): alert is IncidentAlert {
  return alert.incident !== undefined
}

function endOfQuiet(before: number, { nowSeconds, status, found }: Check): number {
  const isWell = !(found instanceof Error) && found.currency.notCurrent === undefined
  if (!isWell || status?.state === 'starting') return nowSeconds + quietSeconds
  const startedUs = status?.state === 'unknown' ? undefined : status?.startedUs
  return Math.max(before, (startedUs ?? 0) / 1e6 + quietSeconds)
}

function quietReason(
  { quietUntil }: AnnouncerState,
  { nowSeconds, status, found }: Check,
): string | undefined {
  if (found instanceof Error) return found.message
  if (found.currency.notCurrent !== undefined) return found.currency.notCurrent
  const state = status?.state
  if (state === 'starting' || state === 'scanning') return `the indexer is ${state}`
  return nowSeconds < quietUntil ? 'less than an hour since a start or a problem' : undefined
}
