/** Asks the deletion guard which removals of a directory may be applied, and reports the others. */
import type { DirectoryChange } from '../../catalogue/updates/change.ts'
import type { CatalogueWriter } from '../../catalogue/updates/writer.ts'
import type { IndexerProblem } from '../../control-socket/protocol.ts'
import type { Layout } from '../../parse/layout.ts'
import { placeOfArea } from '../../parse/layout.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { SnapshotOutcome } from '../read/directory-snapshot.ts'
import type { DeletionGuard } from './deletion-guard.ts'
import { guardedArea, inGuardedArea, outside } from './deletion-guard.ts'
import type { PurgedAfterDays } from './expected-purge.ts'
import { isPurge } from './expected-purge.ts'

interface GuardParts {
  readonly writer: Pick<CatalogueWriter, 'count' | 'dataEnds' | 'removalsAfter'>
  readonly layout: Layout
  readonly deletionGuard: DeletionGuard
  readonly purgedAfterDays: PurgedAfterDays
  readonly nowUs: Clock
}

/**
 * The removals that may be applied now: expected purges always; the others together, if the
 * deletion guard permits them.
 */
export async function permittedRemovals(
  parts: GuardParts,
  outcome: SnapshotOutcome,
  { path, removed }: Pick<DirectoryChange, 'path' | 'removed'>,
): Promise<readonly number[]> {
  const { writer, layout, deletionGuard, purgedAfterDays } = parts
  const area = guardedArea(layout, path)
  const purged = await purges(parts, area, removed)
  const others = purged.size === 0 ? removed : removed.filter((id) => !purged.has(id))
  if (others.length === 0) {
    if (outcome !== 'unreadable') deletionGuard.markComplete(path)
    return removed
  }
  const nowMs = performance.now()
  const written = await writer.removalsAfter({ seq: deletionGuard.seq })
  deletionGuard.count(written.map(inGuardedArea(layout)), purgedAfterDays, nowMs)
  const files = await filesIn(writer, layout, area)
  const request = { directory: path, area, count: others.length, files }
  const isPermitted = deletionGuard.requestRemoval({ ...request, nowMs })
  return isPermitted ? [...purged, ...others] : [...purged]
}

/** Those of the removed files whose removal is an expected purge. */
async function purges(
  { writer, purgedAfterDays, nowUs }: GuardParts,
  area: string,
  removed: readonly number[],
): Promise<ReadonlySet<number>> {
  if (removed.length === 0 || purgedAfterDays[area] === undefined) return new Set()
  const ends = await writer.dataEnds(removed)
  const atUs = nowUs()
  return new Set(
    removed.filter((id) => isPurge(purgedAfterDays, { area, endSeconds: ends.get(id), atUs })),
  )
}

/** The number of live files that the removals in an area are compared with. */
async function filesIn(
  writer: Pick<CatalogueWriter, 'count'>,
  { areas }: Layout,
  area: string,
): Promise<number> {
  if (area !== outside) return writer.count(area)
  const [all, ...inAreas] = await Promise.all(
    [undefined, ...areas].map((each) => writer.count(each)),
  )
  return inAreas.reduce((left, count) => left - count, all ?? 0)
}

/** Reports the withheld removals, or that none are left. */
export function reportWithheld({
  layout,
  deletionGuard,
  purgedAfterDays,
  health,
}: Pick<GuardParts, 'layout' | 'deletionGuard' | 'purgedAfterDays'> & {
  readonly health: {
    readonly report: (name: `removals ${string}`, problem: IndexerProblem | undefined) => unknown
  }
}): void {
  const withheld = deletionGuard.withheld()
  for (const area of [...layout.areas, outside]) {
    const count = withheld.get(area)
    const place = area === outside ? 'outside the areas' : `in ${placeOfArea(area)}`
    const problem = {
      text: `${count ?? 0} removals ${place} withheld by the deletion guard, beyond those that it permitted: these files stay listed until they are back, are still missing after 6 hours, or a rescan with --accept-removals confirms that they are gone${purgedAfterDays[area] === undefined ? ' (purged_after_days declares regular purges)' : ''}`,
      advice: `Mount or restore these files; if they were removed on purpose, run \`rinex-catalogue rescan --accept-removals\`. ${retentionAdvice(area, purgedAfterDays)}`,
    }
    health.report(`removals ${area}`, count === undefined ? undefined : problem)
  }
}

function retentionAdvice(area: string, { [area]: days }: PurgedAfterDays): string {
  if (area === outside)
    return 'If they are to stay, set `areas`, `suffixes` and `exclude` as they were.'
  return days === undefined
    ? `If old files of ${placeOfArea(area)} are purged regularly, set \`purged_after_days\`.`
    : `They are no purge by \`purged_after_days\`, because their data ended less than ${days} ${days === 1 ? 'day' : 'days'} ago.`
}
