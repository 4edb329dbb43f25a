/** Decides which messages follow from the open alerts, and when no message is made. No I/O. */
import type { StatusReply } from '../control-socket/client.ts'
import type { Alert, AlertKind, AlertSeries } from '../series/alerts.ts'
import { secondsPerHour } from '../parse/calendar.ts'

/** The body of a request to the receiver. */
export interface Message {
  /** The same in all attempts to deliver the message. */
  readonly id: string
  readonly at: string
  readonly kind: AlertKind | 'test'
  readonly state: 'open' | 'closed'
  readonly series: readonly AlertSeries[]
}

/** The part of the state that survives a restart. */
export interface AlertMemory {
  /** The alerts that were announced as open, including those in `messages`. */
  readonly open: readonly Alert[]
  /** Messages that are not delivered yet, in the order of their delivery. */
  readonly messages: readonly Message[]
}

export interface AnnouncerState extends AlertMemory {
  /** No message is made before this time (seconds since 1970). */
  readonly quietUntil: number
  /** No message about single series is made before this time, because after `ingest-stalled` their files must first catch up. */
  readonly seriesQuietUntil: number
  /**
   * The reason why the last check could make no message, for example a problem of the indexer; `undefined` without a reason.
   * Messages that wait for their delivery are not a reason.
   */
  readonly quiet: string | undefined
}

/** The findings of one check. */
export interface Check {
  readonly nowSeconds: number
  readonly status: StatusReply
  /** The alerts that are open; an error if the catalogue cannot be read. */
  readonly alerts: readonly Alert[] | Error
}

const quietSeconds = secondsPerHour

/** Returns the state at the start of a process. No message is made in its first hour. */
export function startAnnouncing(memory: AlertMemory, nowSeconds: number): AnnouncerState {
  return { ...memory, quietUntil: nowSeconds + quietSeconds, seriesQuietUntil: 0, quiet: undefined }
}

/**
 * Compares the open alerts with those that were announced. Makes one message for each kind and state; makes none while the
 * indexer may be behind the archive, or while earlier messages are not delivered.
 */
export function announce(state: AnnouncerState, check: Check, newId: () => string): AnnouncerState {
  const { nowSeconds } = check
  const alerts = check.alerts instanceof Error ? [] : check.alerts
  const isStalled = alerts.some(({ kind }) => kind === 'ingest-stalled')
  const quietEnd = nowSeconds + quietSeconds
  const next = {
    ...state,
    quietUntil: Math.min(quietEnd, endOfQuiet(state.quietUntil, check)),
    seriesQuietUntil: isStalled ? quietEnd : Math.min(quietEnd, state.seriesQuietUntil),
  }
  const quiet = quietReason(next, check)
  if (quiet !== undefined || state.messages.length > 0) return { ...next, quiet }
  const isCompared = ({ kind }: Alert): boolean =>
    kind === 'ingest-stalled' || nowSeconds >= next.seriesQuietUntil
  const opened = missingIn(state.open, alerts.filter(isCompared))
  const closed = missingIn(alerts, state.open.filter(isCompared))
  const at = new Date(nowSeconds * 1000).toISOString()
  const toMessages = (changed: readonly Alert[], state: Message['state']): Message[] =>
    [...new Set(changed.map(({ kind }) => kind))].map((kind) => ({
      ...{ id: newId(), at, kind, state },
      series: changed.filter((each) => each.kind === kind).flatMap(({ series }) => series),
    }))
  return {
    ...{ ...next, quiet },
    open: [...missingIn(closed, state.open), ...opened],
    messages: [...toMessages(closed, 'closed'), ...toMessages(opened, 'open')],
  }
}

function endOfQuiet(before: number, { nowSeconds, status, alerts }: Check): number {
  const isWell = status?.state === 'watching' || status?.state === 'scanning'
  if (!isWell || alerts instanceof Error) return nowSeconds + quietSeconds
  const startedSeconds = (status.figures?.startedUs ?? 0) / 1e6
  return Math.max(before, startedSeconds + quietSeconds)
}

function quietReason(
  { quietUntil }: AnnouncerState,
  { nowSeconds, status, alerts }: Check,
): string | undefined {
  if (alerts instanceof Error) return alerts.message
  if (status?.state !== 'watching') return `the indexer is ${status?.state ?? 'stopped'}`
  return nowSeconds < quietUntil ? 'less than an hour since a start or a problem' : undefined
}

/** Returns the alerts that are not among the known ones. An alert stays the same when its `since` changes. */
function missingIn(known: readonly Alert[], alerts: readonly Alert[]): readonly Alert[] {
  const keys = new Set(known.map(keyOf))
  return alerts.filter((alert) => !keys.has(keyOf(alert)))
}

function keyOf({ kind, series: [first] }: Alert): string {
  if (kind === 'ingest-stalled' || first === undefined) return kind
  return [kind, first.station, first.file_type, first.period].join()
}
