/** What the parts of the indexer share. */
import type { Logger } from 'pino'
import type { KnownStamp } from '../../catalogue/updates/known.ts'
import type { CatalogueWriter } from '../../catalogue/updates/writer.ts'
import { nameRulesVersion } from '../../parse/filename.ts'
import type { Layout } from '../../parse/layout.ts'
import type { Clock } from '../../runtime/clock.ts'
import { DeletionGuard, loadPersistedRemovals } from '../guard/deletion-guard.ts'
import type { PurgedAfterDays } from '../guard/expected-purge.ts'
import type { TreeReader } from '../read/tree-reader.ts'
import { AsOfStore } from './as-of.ts'
import { DirtyDirectories } from './dirty-directories.ts'
import { FileFaults } from './file-faults.ts'
import { Health } from './health.ts'
import type { HotWindow } from './hot-window.ts'
import { hotDirectories, mostByName } from './hot-window.ts'
import { KnownDirectories } from './known-directories.ts'
import { Looks } from './looks.ts'
import { IndexerMetrics } from './metrics.ts'
import { isListedLately, SecondLooks } from './second-looks.ts'
import { Settling } from './settling.ts'
import { SilentFileSystems } from './silent-file-systems.ts'
import { SureStamps } from './sure-stamps.ts'
import { UnreadFiles } from './unread-files.ts'

/** What the indexer is started with. */
export interface IndexerOptions {
  /** Absolute path of the archive root. */
  readonly archive: string
  readonly layout: Layout
  readonly writer: CatalogueWriter
  readonly tree: TreeReader
  readonly logger: Logger
  readonly nowUs: Clock
  readonly version: string
  /** Number of past days whose directories are watched. */
  readonly window: HotWindow
  readonly sweepIntervalMs: number
  /** Time in which the rolling rescan reads every directory of the tree once. */
  readonly fullReadMs: number
  /** Time for which removed files stay in the catalogue (ms). */
  readonly keepRemovalsMs: number
  /** Ages after which removals in an area are expected, and never withheld. */
  readonly purgedAfterDays: PurgedAfterDays
  /** Time between two backups (ms); 0 for no backups. */
  readonly backupIntervalMs: number
  /**
   * Called with an error after which the indexer cannot go on: a defect of the program or of its
   * environment.
   */
  readonly onFailure: (error: unknown) => void
}

/** What the parts of the indexer share. A part that needs little of it takes a `Pick`. */
export interface IndexerContext extends IndexerOptions {
  readonly dirty: DirtyDirectories
  readonly known: KnownDirectories
  readonly looks: Looks
  readonly settling: Settling
  readonly stamps: SureStamps
  readonly silentFileSystems: SilentFileSystems
  readonly secondLooks: SecondLooks
  readonly unreadFiles: UnreadFiles
  readonly deletionGuard: DeletionGuard
  readonly health: Health
  readonly asOf: AsOfStore
  readonly metrics: IndexerMetrics
  readonly fileFaults: FileFaults
  /** True if the records were those of another layout until now. */
  readonly isNewLayout: boolean
}

/** Creates the shared parts from the options and the catalogue. */
export async function createContext(options: IndexerOptions): Promise<IndexerContext> {
  const { writer, layout, nowUs, logger, purgedAfterDays } = options
  const isNewLayout = await writer.adoptLayout(layout.lists)
  if (isNewLayout)
    logger.info(layout.lists, 'areas, suffixes or exclusions have changed: the archive is compared')
  const [head, lastScan] = [await writer.head(), await writer.lastScan()]
  const rejecting = await writer.adoptNameRules(nameRulesVersion, layout)
  if (rejecting > 0)
    logger.info({ directories: rejecting }, 'rules of names have changed: rejected names are read')
  const { known, listedLately, withheld } = await loadKnown(writer, nowUs())
  const stamps = new SureStamps()
  const hot = hotDirectories({ ...options, known, stamps }, nowUs() / 1000)
  const secondLooks = new SecondLooks()
  for (const path of hot) if (listedLately.has(path)) secondLooks.listed(path, performance.now())
  const dirty = new DirtyDirectories()
  const health = new Health({ ...options, lastScan })
  const unreadFiles = new UnreadFiles({ ...options, dirty })
  return {
    ...options,
    dirty,
    known,
    looks: new Looks(known),
    settling: new Settling(),
    stamps,
    silentFileSystems: new SilentFileSystems(health, new Set(hot.slice(0, mostByName))),
    secondLooks,
    unreadFiles,
    deletionGuard: new DeletionGuard(
      await loadPersistedRemovals({ writer, layout, withheld, purgedAfterDays, nowUs }),
    ),
    health,
    // Files with names that were rejected have been there before.
    asOf: new AsOfStore(
      { ...options, health, unreadFiles },
      rejecting > 0 ? undefined : head.asOf?.atUs,
    ),
    metrics: new IndexerMetrics(nowUs, layout),
    fileFaults: new FileFaults(logger),
    isNewLayout,
  }
}

/** Number of directories that are asked for together: rows need ten times the memory of columns. */
const directoriesPerPage = 5000

/** The directories of the catalogue, and which of them an earlier process has left something in. */
async function loadKnown(writer: Pick<CatalogueWriter, 'directories'>, nowUs: number) {
  const known = new KnownDirectories()
  const listedLately = new Set<string>()
  const withheld: KnownStamp[] = []
  for (let after = 0, isLast = false; !isLast;) {
    const page = await writer.directories({ after, most: directoriesPerPage })
    for (const directory of page) {
      known.load(directory, nowUs / 1e6)
      if (isListedLately(directory, nowUs)) listedLately.add(directory.path)
      if (directory.withheldSinceUs !== undefined) withheld.push(directory)
    }
    isLast = page.length < directoriesPerPage
    after = page.at(-1)?.id ?? after
  }
  return { known, listedLately, withheld }
}
