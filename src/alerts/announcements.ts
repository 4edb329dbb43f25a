/** Decides which messages follow from the open alerts, and when no message is made. No I/O. */
import type { StatusReply } from '../control-socket/client.ts'
import type { Alert, AlertKind } from '../series/alerts.ts'
import type { AlertSeries } from '../series/incidents.ts'
import type { Currency } from '../series/currency.ts'
import { secondsPerHour } from '../parse/calendar.ts'

/** The body of a request to the receiver. */
export interface Message {
  /** The same in all attempts to deliver the message. */
  readonly id: string
  readonly at: string
  readonly kind: AlertKind | 'test'
  readonly state: 'open' | 'closed'
  /** Empty for `not-current`. */
  readonly series: readonly AlertSeries[]
  /** Only for `not-current` and `open`: why the catalogue does not follow the archive. */
  readonly reason?: string
}

/** The part of the state that survives a restart. */
export interface AlertMemory {
  /** The alerts that were announced as open, including those in `messages`. */
  readonly open: readonly Alert[]
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
  readonly currency: Currency
}

const quietSeconds = secondsPerHour

/**
 * Returns the state at the start of a process. In its first hour, only `not-current` is announced.
 */
export function startAnnouncing(memory: AlertMemory, nowSeconds: number): AnnouncerState {
  return { ...memory, quietUntil: nowSeconds + quietSeconds, seriesQuietUntil: 0, quiet: undefined }
}

/**
 * Compares the open alerts with those that were announced. Makes one message for each kind and
 * state; makes none while the catalogue is not current, but one that it is not, or while earlier
 * messages are not delivered.
 */
export function announce(state: AnnouncerState, check: Check, newId: () => string): AnnouncerState {
  const { nowSeconds, found } = check
  const alerts = found instanceof Error ? [] : found.alerts
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
  const make = (changed: readonly Alert[], state: Message['state'], reason?: string): Message[] =>
    [...new Set(changed.map(({ kind }) => kind))].map((kind) => ({
      id: newId(),
      at,
      kind,
      state,
      series: changed.filter((each) => each.kind === kind).flatMap(({ series }) => series),
      ...(reason !== undefined && { reason }),
    }))
  const { open, opened, closed, reason } = compareCurrency(state.open, check)
  const messages = [...make(closed, 'closed'), ...make(opened, 'open', reason)]
  if (quiet !== undefined) return { ...next, quiet, open, messages }
  const isCompared = ({ kind }: Alert): boolean =>
    kind === 'ingest-stalled' || nowSeconds >= next.seriesQuietUntil
  const changed = compareAlerts(open, alerts, isCompared)
  return {
    ...next,
    quiet,
    open: changed.open,
    messages: [...messages, ...make(changed.closed, 'closed'), ...make(changed.opened, 'open')],
  }
}

interface Changes {
  /** All that is announced then. */
  readonly open: readonly Alert[]
  readonly opened: readonly Alert[]
  readonly closed: readonly Alert[]
}

/**
 * Opens or closes the alert that the catalogue is not current. It opens when the last heartbeat is
 * too old, because a restart of the indexer is no alert. While the catalogue cannot be read,
 * nothing changes.
 */
function compareCurrency(
  open: readonly Alert[],
  { found, nowSeconds }: Check,
): Changes & { readonly reason?: string } {
  const isOfCurrency = ({ kind }: Alert): boolean => kind === 'not-current'
  const known = open.filter(isOfCurrency)
  const unchanged = { open, opened: [], closed: [] }
  if (found instanceof Error) return unchanged
  const { asOf, notCurrent: reason, isOld } = found.currency
  if (reason === undefined)
    return { ...unchanged, open: open.filter((each) => !isOfCurrency(each)), closed: known }
  if (asOf === undefined || !isOld || known.length > 0) return unchanged
  const since = new Date(asOf * 1000).toISOString()
  const opened = new Date(nowSeconds * 1000).toISOString()
  const alert: Alert = {
    id: `not-current-${since}`,
    kind: 'not-current',
    since,
    opened,
    changed: opened,
    series: [],
  }
  return { open: [...open, alert], opened: [alert], closed: [], reason }
}

/** A late series that is down now is announced again, as down. */
function compareAlerts(
  known: readonly Alert[],
  alerts: readonly Alert[],
  isCompared: (alert: Alert) => boolean,
): Changes {
  const compared = alerts.filter(isCompared)
  const closed = missingIn(alerts, known.filter(isCompared))
  const kinds = new Map(known.map((alert) => [keyOf(alert), alert.kind]))
  const opened = compared.filter((alert) => kinds.get(keyOf(alert)) !== alert.kind)
  const kept = missingIn(opened, missingIn(closed, known))
  return { open: [...kept, ...opened], opened, closed }
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

/**
 * Returns the alerts that are not among the known ones. An alert stays the same when its `since` or
 * its kind changes.
 */
function missingIn(known: readonly Alert[], alerts: readonly Alert[]): readonly Alert[] {
  const keys = new Set(known.map(keyOf))
  return alerts.filter((alert) => !keys.has(keyOf(alert)))
}

function keyOf({ kind, series: [first] }: Alert): string {
  if (kind === 'ingest-stalled' || first === undefined) return kind
  return [first.station, first.file_type, first.period].join()
}
