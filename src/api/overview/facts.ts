/** What the start page says of the archive: how it is, how large it is, and how it grew. */
import { isTemporary } from '../../catalogue/reader-errors.ts'
import type { Volumes } from '../../catalogue/reader.ts'
import type { Volume } from '../../catalogue/records.ts'
import { dayToIso, secondsPerDay } from '../../parse/calendar.ts'
import type { Requester } from '../http/limits.ts'
import { verdictOf } from '../network/verdict.ts'
import type { Verdict } from '../network/verdict.ts'
import type { NetworkContext, NetworkState } from '../series/network-context.ts'

/** Facts that cannot be read at this moment are `undefined`. */
export interface ArchiveFacts {
  readonly verdict: Verdict | undefined
  /** Seconds since 1970; it stands still while the catalogue is not current. */
  readonly now: number
  readonly isCurrent: boolean
  readonly total: Volume | undefined
  readonly growth: Growth | undefined
  readonly stations: number | undefined
  /** A station of the archive, for examples. */
  readonly station: string | undefined
}

/** How much data there were at the end of each month, by the dates of the data. */
export interface Growth {
  /** True for bytes; false for files, while the sizes of many are not known. */
  readonly isBytes: boolean
  /** The months as `2026-01` with the sums, oldest first; the first one is that before the year. */
  readonly months: readonly (readonly [month: string, sum: number])[]
}

export async function readFacts(
  { reader, nowUs }: NetworkContext,
  network: NetworkState | undefined,
  requester: Requester,
): Promise<ArchiveFacts> {
  const now = network?.currency.asOf ?? nowUs() / 1e6
  const [volumes, stations] = await Promise.all([
    ifReadable(reader.volumes({}, requester)),
    ifReadable(reader.stations({ limit: 1, offset: 0 }, requester)),
  ])
  return {
    verdict: network && verdictOf(network),
    now,
    isCurrent: network !== undefined && network.currency.notCurrent === undefined,
    total: volumes && sum(volumes.totals),
    growth: volumes && growthOf(volumes, now),
    stations: stations?.count,
    station: stations?.stations[0]?.code,
  }
}

/** The answer of a question; `undefined` if it cannot be read at this moment. */
export async function ifReadable<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (!isTemporary(error)) throw error
    return undefined
  }
}

const monthsShown = 12

/** @param now seconds since 1970; later months come from wrong names */
export function growthOf({ months = [] }: Pick<Volumes, 'months'>, now: number): Growth {
  const names = lastMonths(now)
  const known = months.filter(({ month }) => month <= (names.at(-1) ?? ''))
  const { files, sized } = sum(known)
  const isBytes = sized * 10 >= files * 9
  const measure = (volume: Volume): number => (isBytes ? volume.bytes : volume.files)
  return {
    isBytes,
    months: names.map((name) => [
      name,
      known.reduce((total, each) => total + (each.month <= name ? measure(each) : 0), 0),
    ]),
  }
}

/** The last twelve months and the one before them, oldest first. */
function lastMonths(now: number): readonly string[] {
  const [year = 0, month = 0] = dayToIso(Math.floor(now / secondsPerDay))
    .split('-')
    .map(Number)
  return Array.from({ length: monthsShown + 1 }, (_, index) => {
    const count = year * 12 + month - 1 - (monthsShown - index)
    return `${Math.floor(count / 12)}-${String((count % 12) + 1).padStart(2, '0')}`
  })
}

function sum(volumes: readonly Volume[]): Volume {
  const total = { files: 0, bytes: 0, sized: 0 }
  for (const { files, bytes, sized } of volumes) {
    total.files += files
    total.bytes += bytes
    total.sized += sized
  }
  return total
}
