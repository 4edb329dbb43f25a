/** What the start page says of the archive: how it is, and how large it is. */
import { isTemporary } from '../../catalogue/reader-errors.ts'
import type { Volume } from '../../catalogue/volumes.ts'
import { sumOfVolumes } from '../../catalogue/volumes.ts'
import type { ArchiveContext } from '../archive/route.ts'
import type { Requester } from '../http/limits.ts'
import { verdictOf } from '../network/verdict.ts'
import type { Verdict } from '../network/verdict.ts'
import type { NetworkContext, NetworkState } from '../series/network-context.ts'

/** Facts that cannot be read at this moment are `undefined`. */
export interface ArchiveFacts {
  readonly verdict: Verdict | undefined
  /** Seconds since 1970. */
  readonly now: number
  readonly isCurrent: boolean
  readonly total: Volume | undefined
  readonly stations: number | undefined
  /** A station of the archive, for examples. */
  readonly station: string | undefined
}

export async function readFacts(
  { reader, archive, nowUs }: NetworkContext & ArchiveContext,
  network: NetworkState | undefined,
  requester: Requester,
): Promise<ArchiveFacts> {
  const now = nowUs() / 1e6
  const [volumes, stations] = await Promise.all([
    ifReadable(
      reader.head().then((head) => archive.volumes({ head, today: archive.today() }, requester)),
    ),
    ifReadable(reader.stations({ limit: 1, offset: 0 }, requester)),
  ])
  return {
    verdict: network && verdictOf(network, now),
    now,
    isCurrent: network !== undefined && network.currency.notCurrent === undefined,
    total: volumes && sumOfVolumes(volumes.totals),
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
