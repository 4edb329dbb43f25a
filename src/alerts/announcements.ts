/** Which messages follow from the alerts that are open, and when there are none. Pure. */
import type { StatusReply } from '../control/client.ts'
import type { Alert, AlertKind, AlertSeries } from '../insight/alerts.ts'
import { secondsPerHour } from '../parse/calendar.ts'

/** The body of a request to the receiver. */
export interface Message {
  /** The same in all attempts to deliver it. */
  readonly id: string
  readonly at: string
  readonly kind: AlertKind | 'test'
  readonly state: 'open' | 'closed'
  readonly series: readonly AlertSeries[]
}

/** Survives a restart. */
export interface AlertMemory {
  /** The alerts that were announced as open, with those of `messages`. */
  readonly open: readonly Alert[]
  /** Not delivered yet, in their order. */
  readonly messages: readonly Message[]
}

export interface AnnouncerState extends AlertMemory {
  /** No message before this time, in seconds since 1970. */
  readonly quietUntil: number
  /** The same for alerts of series, while their files catch up after `ingest-stalled`. */
  readonly seriesQuietUntil: number
  /** Why a check made no message; `undefined` if it could make one. */
  readonly quiet: string | undefined
}

/** What a check has found. */
export interface Check {
  readonly nowSeconds: number
  readonly status: StatusReply
  /** An error if the catalogue cannot be read. */
  readonly alerts: readonly Alert[] | Error
}

const quietSeconds = secondsPerHour

/** The state at the start of a process. */
export function startAnnouncing(memory: AlertMemory, nowSeconds: number): AnnouncerState {
  return { ...memory, quietUntil: nowSeconds + quietSeconds, seriesQuietUntil: 0, quiet: undefined }
}

/**
 * Compares the alerts with those that were announced. Makes one message for each kind and state, and none while the indexer may be
 * behind the archive or earlier messages are not delivered.
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

/** Alerts that are not among the known ones. The same alert may have another `since`. */
function missingIn(known: readonly Alert[], alerts: readonly Alert[]): readonly Alert[] {
  const keys = new Set(known.map(keyOf))
  return alerts.filter((alert) => !keys.has(keyOf(alert)))
}

function keyOf({ kind, series: [first] }: Alert): string {
  if (kind === 'ingest-stalled' || first === undefined) return kind
  return [kind, first.station, first.file_type, first.period].join()
}
