/** What resources need and say that answer from the states of all series. */
import { isoOrNull } from '../../parse/calendar.ts'
import { readableTime } from '../../runtime/readable.ts'
import type { AsOf } from '../../series/as-of.ts'
import { indexerStopped, notScanned } from '../../series/as-of.ts'
import type { ExpectedRules } from '../../series/expectation.ts'
import type { ApiContext } from '../http/context.ts'
import { digest } from '../http/context.ts'
import type { KnownPlaces } from '../map/known-places.ts'
import type { StationMap } from '../map/station-map.ts'
import * as schema from '../openapi/schema.ts'
import type { AsOfReader } from './as-of-reader.ts'
import type { NetworkStatus } from './known-series.ts'
import type { NetworkStatusCache } from './network-status.ts'

export interface NetworkContext extends ApiContext {
  readonly network: NetworkStatusCache
  readonly asOfReader: AsOfReader
  readonly expected: ExpectedRules
  readonly places: KnownPlaces
  readonly map: StationMap
}

/** What JSON answers say of how current their states are. */
export function serialiseAsOf({ seconds, notCurrent }: AsOf) {
  return { as_of: isoOrNull(seconds), not_current: notCurrent ?? null }
}

/** The state of an answer with a head that shows states: they follow from how current it is. */
export function stateOf({ head, asOf }: Pick<NetworkStatus, 'head' | 'asOf'>) {
  return {
    version: statesTag(head, asOf),
    headers: asOfHeaders(asOf),
    further: serialiseAsOf(asOf),
    banner: bannerOf(asOf),
  }
}

/** The sentences above pages with states; none for a current catalogue without problems. */
export function bannerOf(asOf: AsOf): readonly string[] {
  const { notCurrent, problems } = asOf
  return [
    ...(notCurrent === undefined ? [] : [standstillOf(asOf)]),
    ...problems.map((problem) => `The indexer reports: ${problem}.`),
  ]
}

/** Why the states stand still, and since when. */
export function standstillOf({ seconds, notCurrent = notScanned }: AsOf): string {
  // A reason that begins with a path stays as it is.
  const reason = notCurrent.replace(/^the /, 'The ')
  if (seconds === undefined) return `${reason}. States are not known yet.`
  const time = `${readableTime(isoOrNull(seconds))} UTC`
  return notCurrent === indexerStopped
    ? `${reason} since ${time}. States are those of that time.`
    : `${reason}. States are those of ${time}.`
}

/** The states of the network, and what answers say of them. */
export type NetworkState = NetworkStatus & ReturnType<typeof stateOf>

/** The states of the network, as the state of an answer. */
export async function networkState({
  network,
}: Pick<NetworkContext, 'network'>): Promise<NetworkState> {
  const current = await network.current()
  return { ...current, ...stateOf(current) }
}

/** Which slots are damaged or half is known later than their files, and changes no record. */
function statesTag({ epoch, seq, detailsSeq }: NetworkStatus['head'], asOf: AsOf): string {
  const { seconds, notCurrent, problems } = asOf
  const said = [notCurrent, ...problems].join('\n')
  const state = [epoch, seq, `d${detailsSeq}`, seconds ?? 'none']
  return [...state, ...(said === '' ? [] : [digest(said).slice(0, 8)])].join('-')
}

/** What a JSON answer says of its states, as headers for the formats that cannot say it. */
function asOfHeaders(asOf: AsOf): Readonly<Record<string, string>> {
  const { as_of: time, not_current: reason } = serialiseAsOf(asOf)
  return {
    ...(time !== null && { 'as-of': time }),
    // A header has ASCII only; a reason may contain a path.
    ...(reason !== null && { 'not-current': reason.replaceAll(/[^\x20-\x7e]/g, '?') }),
  }
}

/** The members of answers that say how current states are, with the headers that say the same. */
export const asOfMembers = {
  fields: {
    as_of: schema.momentOrNull(
      'The time for which the states were computed: now, or the last time at which the catalogue was known to equal the archive. Slots that begin later do not count. Null until the first scan of the archive has ended.',
      '2026-01-22T06:10:00Z',
    ),
    not_current: schema.textOrNull(
      'Why the catalogue does not follow the archive now; null if it does. Meanwhile the states stand still, and nothing turns late.',
      null,
    ),
  },
  /** What the descriptions of these answers say. */
  clock: 'The response depends on the clock, so its `ETag` changes about every minute.',
  headers: ['As-Of', 'Not-Current'],
} as const
