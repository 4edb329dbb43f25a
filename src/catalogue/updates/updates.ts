/** The calls of a writer that are questions. An engine says how it reads and how it writes. */
import type { Engine } from '../dialect.ts'
import type { Ask } from '../question.ts'
import { head, lastScan, summary } from '../questions/summary.ts'
import { adoptLayout } from './adopt-layout.ts'
import type { Applied, Applying } from './apply.ts'
import { Apply, updateParts } from './apply.ts'
import type { AppliedChange, DirectoryChange, RefusedChange } from './change.ts'
import { HashingQueue } from './checksum-queue.ts'
import { Hashing } from './hashing.ts'
import { buildIndexes, deferIndexes } from './indexes.ts'
import {
  dataEnds,
  emptyAmong,
  filesInArea,
  knownDirectories,
  knownDirectory,
  removalsAfter,
  removedVersions,
} from './known.ts'
import { judgePaths } from './misplaced.ts'
import { purge } from './purge.ts'
import { repairs } from './recount.ts'
import { adoptNameRules, setAsOf, setLastScan } from './times.ts'
import type { CatalogueWriter } from './writer.ts'

/** How an engine answers the questions of a writer. */
interface WritingEngine extends Engine {
  /** The clock: microseconds since 1970. */
  readonly nowUs: () => number
  /** Writes what must not be written twice, so that it fails if its outcome is unknown. */
  readonly writeOnce: Ask
  /** True if the database rejected a value of a change. */
  readonly isInvalidData: (error: unknown) => error is Error
  /** True for an error of a statement. */
  readonly isSqlError: (error: unknown) => error is Error
}

/** The methods of a writer that ask the database. */
type Updates = Omit<CatalogueWriter, 'backup' | 'checkpoint' | 'close'>

export function updatesOf(engine: WritingEngine): Updates {
  const { dialect, nowUs, read, write } = engine
  const parts = updateParts(dialect)
  const apply = new Apply(dialect, parts)
  const hashing = new Hashing(dialect, parts)
  const queue = new HashingQueue(dialect)
  const calls: Omit<Updates, 'engine'> = {
    directories: (page) => read(() => knownDirectories(page)),
    adoptNameRules: (version, layout) => write(() => adoptNameRules(version, dialect, layout)),
    judgePaths: () => write(judgePaths),
    adoptLayout: (lists) => write(() => adoptLayout(dialect, lists)),
    directory: (path, range) => read(() => knownDirectory(path, range)),
    emptyAmong: (paths) => read(() => emptyAmong(dialect, paths)),
    removedVersions: (path, names) => read(() => removedVersions(dialect, path, names)),
    count: (area) => read(() => filesInArea(area)),
    dataEnds: (ids) => read(() => dataEnds(dialect, ids)),
    removalsAfter: (last) => read(() => removalsAfter(dialect, last)),
    head: () => read(head),
    lastScan: () => read(lastScan),
    summary: () => read(() => summary(undefined, { dialect })),
    apply: (changes) => applyValid(changes, apply, engine),
    purgeRemovals: (beforeUs) => write(() => purge(beforeUs, nowUs())),
    arrivedUnhashed: (since) => read(() => queue.arrived(since)),
    unhashedBelow: (id, facts) => read(() => queue.below(id, facts)),
    keepChecksums: (list, throughSeq) => write(() => hashing.keep(list, throughSeq, nowUs())),
    staleChecksums: (us) => read(() => queue.stale(us)),
    adoptDamagedBy: (flags, after) => write(() => hashing.adopt(flags, after, nowUs())),
    hashAgain: (ids, fromUs) => write(() => hashing.hashAgain(ids, fromUs)),
    setAsOf: (asOf) => write(() => setAsOf(asOf)),
    scanned: (scan) => write(() => setLastScan(scan)),
    deferIndexes: () => write(deferIndexes),
    buildIndexes: () => write(() => buildIndexes(dialect)),
    repairCounts: async () => {
      for (const repair of repairs(dialect)) await write(repair)
    },
  }
  return { engine, ...named(calls, engine) }
}

/** The error of a statement says which call it ended. */
function named<Calls extends object>(calls: Calls, { isSqlError }: WritingEngine): Calls {
  const entries = Object.entries(calls) as [string, (...given: unknown[]) => Promise<unknown>][]
  const all = entries.map(([name, call]) => [
    name,
    (...given: unknown[]) =>
      call(...given).catch((error: unknown) => {
        if (isSqlError(error)) error.message = `${name}: ${error.message}`
        throw error
      }),
  ])
  return Object.fromEntries(all) as Calls
}

/** Applies changes, and refuses those that the database rejects. */
async function applyValid(
  changes: readonly DirectoryChange[],
  apply: Apply,
  { nowUs, writeOnce, isInvalidData }: WritingEngine,
): Promise<AppliedChange> {
  const refused: RefusedChange[] = []
  for (let left = changes; ;) {
    let current: DirectoryChange | undefined
    const applying: Applying = { nowUs, begin: (change) => (current = change) }
    const changesLeft = left
    try {
      const applied: Applied = await writeOnce(() => apply.all(changesLeft, applying))
      return { ...applied, refused }
    } catch (error) {
      if (current === undefined || !isInvalidData(error)) throw error
      // Everything was rolled back. Invalid changes are so rare that all other changes can simply
      // be applied again.
      refused.push({ path: current.path, error })
      left = left.filter((change) => change !== current)
    }
  }
}
