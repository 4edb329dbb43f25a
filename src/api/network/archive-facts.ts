/** How large the archive is, for the top of the start page. */
import { isTemporary } from '../../catalogue/errors.ts'
import type { Volume } from '../../catalogue/sums.ts'
import { sumOfVolumes } from '../../catalogue/sums.ts'
import type { ArchiveContext } from '../archive/route.ts'
import type { Requester } from '../http/limits.ts'

/** Facts that cannot be read at this moment are `undefined`. */
export interface ArchiveFacts {
  readonly total: Volume | undefined
  /** Numbers of stations, and of their countries. */
  readonly stations: { readonly count: number; readonly countries: number } | undefined
  /** The months in which the oldest and the newest data begin: `2026-01`. */
  readonly months: readonly [first: string, last: string] | undefined
}

export async function readArchiveFacts(
  { reader, archive }: ArchiveContext,
  requester: Requester,
): Promise<ArchiveFacts> {
  const [volumes, stations] = await Promise.all([
    ifReadable(
      reader.head().then((head) => archive.volumes({ head, today: archive.today() }, requester)),
    ),
    ifReadable(reader.stations({ limit: 1, offset: 0 }, requester)),
  ])
  const [first, last] = [volumes?.months?.[0]?.month, volumes?.months?.at(-1)?.month]
  return {
    total: volumes && sumOfVolumes(volumes.totals),
    stations,
    months: first === undefined || last === undefined ? undefined : [first, last],
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
