/** Reads what the page of a station shows: its series over all time, and its last files. */
import { secondsPerDay } from '../../parse/calendar.ts'
import { gapsOf } from '../../series/availability.ts'
import type { Completeness } from '../../series/completeness.ts'
import { completenessOf } from '../../series/completeness.ts'
import { apartHalf } from '../../series/half.ts'
import { lateAfter } from '../../series/latency.ts'
import type { Period } from '../../series/series.ts'
import { slotAt } from '../../series/series.ts'
import type { StateRun } from '../../series/slot-states.ts'
import { lastThere } from '../../series/slot-states.ts'
import type { DrawnState } from '../../series/station-days.ts'
import type { FileView } from '../files/file-view.ts'
import { viewOf } from '../files/file-view.ts'
import type { Requester } from '../http/limits.ts'
import type { NetworkContext } from '../series/network-context.ts'
import { statesInParts } from '../series/network-days.ts'
import type { Gap } from './gaps.ts'
import { joinGaps } from './gaps.ts'
import type { Present } from './series-reader.ts'
import { readKnownSlots } from './series-reader.ts'

/** A series of observation files over all time, by what was delivered. */
export interface SeriesPortrait {
  readonly period: Period
  /** The first slot, and the last that counts: the last file of an ended series, else now. */
  readonly first: number
  readonly last: number
  readonly ended: boolean
  readonly all: Completeness
  /** With the half slots apart. */
  readonly runs: readonly StateRun<DrawnState>[]
  readonly gaps: readonly Gap[]
}

/** A series, with the codes whose files it has. */
export interface PortraitAnswer {
  readonly codes: readonly string[]
  readonly ambiguous: readonly string[]
  /** `undefined` if nothing was ever delivered, or the first scan has not ended. */
  readonly portrait: SeriesPortrait | undefined
}

export async function readSeriesPortrait(
  context: NetworkContext,
  { code, asker }: { readonly code: string; readonly asker: Requester },
  period: Period,
  present: Present,
): Promise<PortraitAnswer> {
  const { seconds: asOf } = present.asOf
  const toDay = Math.floor(present.nowSeconds / secondsPerDay)
  const key = { fileType: 'o', period, fromDay: undefined, toDay } as const
  const { known, codes, ambiguous } = await readKnownSlots(
    context,
    { code, asker, ...key },
    present,
  )
  const { first, latencies } = known
  if (asOf === undefined || first === undefined) return { codes, ambiguous, portrait: undefined }
  const looking = { asOf, lateAfter: lateAfter(period, latencies), requester: asker }
  const now = slotAt(asOf, period)
  const { runs, now: state, ...figures } = await statesInParts(known, known.range, looking)
  const last = state.ended ? (lastThere(known, now) ?? now) : now
  const gaps = joinGaps(gapsOf(runs, { from: first, to: last }))
  const all = completenessOf(figures)
  return {
    codes,
    ambiguous,
    portrait: {
      period,
      first,
      last,
      ended: state.ended,
      all,
      runs: apartHalf(runs, known.half),
      gaps,
    },
  }
}

/** Number of the last files that the page shows. */
const lastFiles = 12

/** The files with the last data up to now. */
export async function readLastFiles(
  { reader, links }: NetworkContext,
  codes: readonly string[],
  nowSeconds: number,
  asker: Requester,
): Promise<readonly FileView[]> {
  const isShort = codes.every((code) => code.length === 4)
  const filter = {
    stations: codes,
    start: { toUs: nowSeconds * 1e6 },
    ...(isShort && { versions: ['r2'] as const }),
  }
  const { records } = await reader.page(
    {
      filter,
      ordering: { key: 'data_date', descending: true },
      limit: lastFiles,
      offset: 0,
      details: true,
    },
    asker,
  )
  return records.map((file) => viewOf(file, links()))
}
