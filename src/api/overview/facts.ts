/** What the start page says of the archive: how it is, how large it is, and how it grew. */
import { isTemporary } from '../../catalogue/reader-errors.ts'
import type { Volumes, Volume } from '../../catalogue/volumes.ts'
import { sumOfVolumes } from '../../catalogue/volumes.ts'
import { dateOf, dayToIso, secondsPerDay } from '../../parse/calendar.ts'
import type { ArchiveContext } from '../archive/route.ts'
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
  readonly growth: MonthlyGrowth | undefined
  readonly stations: number | undefined
  /** A station of the archive, for examples. */
  readonly station: string | undefined
}

/** How much data there were at the end of each month, by the dates of the data. */
export interface MonthlyGrowth {
  /** True for bytes; false for files, while the sizes of many are not known. */
  readonly isBytes: boolean
  /** The months as `2026-01` with the sums, oldest first; the first one is that before the year. */
  readonly months: readonly (readonly [month: string, sum: number])[]
}

export async function readFacts(
  { reader, archive, nowUs }: NetworkContext & ArchiveContext,
  network: NetworkState | undefined,
  requester: Requester,
): Promise<ArchiveFacts> {
  const now = network?.currency.asOf ?? nowUs() / 1e6
  const [volumes, stations] = await Promise.all([
    ifReadable(
      reader.head().then((head) => archive.volumes({ head, today: archive.today() }, requester)),
    ),
    ifReadable(reader.stations({ limit: 1, offset: 0 }, requester)),
  ])
  return {
    verdict: network && verdictOf(network),
    now,
    isCurrent: network !== undefined && network.currency.notCurrent === undefined,
    total: volumes && sumOfVolumes(volumes.totals),
    growth: volumes && growthByMonth(volumes, now),
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
export function growthByMonth(
  { months = [] }: Pick<Volumes, 'months'>,
  now: number,
): MonthlyGrowth {
  const names = lastMonths(now)
  const known = months.filter(({ month }) => month <= (names.at(-1) ?? ''))
  const { files, sized } = sumOfVolumes(known)
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
  const { year, month } = dateOf(Math.floor(now / secondsPerDay))
  return Array.from({ length: monthsShown + 1 }, (_, index) => {
    const day = Date.UTC(year, month - 1 - monthsShown + index) / 1000 / secondsPerDay
    return dayToIso(day).slice(0, 'yyyy-mm'.length)
  })
}
