/**
 * Decides which layout a command uses: that of the configuration, or one that `start` chose, or
 * that of the seed.
 */
import { existsSync } from 'node:fs'
import type { Logger } from 'pino'
import { isServer } from '../../catalogue/database-url.ts'
import type { CatalogueAddress } from '../../catalogue/engines/engine.ts'
import { openReader } from '../../catalogue/engines/engine.ts'
import { CatalogueUnavailable, UnusableDatabase } from '../../catalogue/errors.ts'
import type { CatalogueReader } from '../../catalogue/questions/reader.ts'
import { copiesOf } from '../../catalogue/sqlite/database-files.ts'
import type { Config } from '../../config/options.ts'
import type { LayoutLists } from '../../parse/layout.ts'
import { configurationLines, defaultLists, withDefaults } from '../../parse/layout.ts'
import type { Lifecycle } from '../../runtime/lifecycle.ts'
import { isUnknownTree } from './place-check.ts'

/** What `start` chooses for a tree of which it knows nothing. */
const chosenLists: LayoutLists = { areas: ['.'], suffixes: ['.gz', '.Z'], exclude: [] }

export interface LayoutChoice {
  readonly lists: LayoutLists
  /** What gave the areas: `start` has chosen them now, or earlier, as the database says. */
  readonly by: 'configuration' | 'database' | 'start' | 'default'
}

/** What is known of a database. */
export interface StoredLayout {
  /** True if it never had a record. */
  readonly isNew: boolean
  /** The lists that its indexer used; `undefined` before the first start of one. */
  readonly lists?: LayoutLists | undefined
}

type ConfiguredKey = 'areas' | 'suffixes' | 'exclude' | 'archive' | 'purgedAfterDays'
type Configured = { readonly [Key in ConfiguredKey]?: Config[Key] | undefined }

/**
 * The order in which layouts win:
 *
 * 1. `areas` of the configuration.
 * 2. All of the archive as one area, if the indexer of this database used it: without `areas` only
 *    the choice of an earlier `start` leads to it.
 * 3. The same for `start` with a new database, if the archive is a tree without the areas of the
 *    seed.
 * 4. The areas of the seed. If they are not there, a disk may be away, so nothing is removed.
 *
 * `suffixes` are those of the configuration, or those of the layout that won; `exclude` is that of
 * the configuration.
 * @param isUnknown whether the archive is a tree that `start` may take whole
 */
export async function layoutChoice(
  configured: Configured,
  stored: StoredLayout,
  isUnknown: () => Promise<boolean>,
): Promise<LayoutChoice> {
  const { areas } = configured
  if (areas !== undefined) return { by: 'configuration', lists: withDefaults(configured) }
  if (isWhole(stored.lists)) {
    const lists = { ...chosenLists, suffixes: stored.lists.suffixes }
    return { by: 'database', lists: withDefaults(configured, lists) }
  }
  if (stored.isNew && (await isUnknown()))
    return { by: 'start', lists: withDefaults(configured, chosenLists) }
  return { by: 'default', lists: withDefaults(configured, defaultLists) }
}

function isWhole(lists: LayoutLists | undefined): lists is LayoutLists {
  return lists?.areas.join() === '.'
}

const tooLate =
  'start chose all of the archive as one area for this database, which could not be read before: start again'

/** Time between two looks at a database that could not be read yet (ms). */
const lookAgainMs = 2000

/**
 * Ends a process that took the areas of the seed, if its database turns out to have a choice of
 * `start`: at its start, the database was not there, or away. The next start knows the choice.
 */
export function endIfChosen(
  { by }: LayoutChoice,
  reader: Pick<CatalogueReader, 'layout'>,
  lifecycle: Lifecycle,
): void {
  if (by !== 'default') return
  let timer: NodeJS.Timeout | undefined
  const ask = async (): Promise<void> => {
    const lists = await reader.layout().catch((error: unknown) => {
      if (error instanceof CatalogueUnavailable) return undefined
      throw error
    })
    if (lists === undefined) timer = setTimeout(look, lookAgainMs).unref()
    else if (isWhole(lists)) await lifecycle.end(tooLate)
  }
  const look = (): void => void ask().catch((error: unknown) => lifecycle.end(error))
  const close = (): void => {
    clearTimeout(timer)
  }
  lifecycle.add({ name: 'choice of areas', close })
  look()
}

/** Decides for a command. @param command only `start` chooses */
export async function chooseLayout(
  config: Configured & CatalogueAddress,
  command: 'start' | 'index' | 'serve',
): Promise<LayoutChoice> {
  const { areas, archive, purgedAfterDays = {} } = config
  if (areas !== undefined) return layoutChoice(config, { isNew: false }, isNever)
  // Whoever names areas of the seed has them.
  const mayChoose =
    command === 'start' && archive !== undefined && Object.keys(purgedAfterDays).length === 0
  const isUnknown = mayChoose ? () => isUnknownTree(archive) : isNever
  return layoutChoice(config, await storedLayout(config), isUnknown)
}

const isNever = (): Promise<boolean> => Promise.resolve(false)

/** Reads a database; instead of a file that is missing or damaged, the backup that replaces it. */
async function storedLayout(address: CatalogueAddress): Promise<StoredLayout> {
  if (isServer(address.database)) return (await read(address)) ?? { isNew: await isEmpty(address) }
  const { newestBackup, olderBackup } = copiesOf(address.database)
  const files = [address.database, newestBackup, olderBackup].filter((file) => existsSync(file))
  for (const database of files) {
    const found = await read({ database })
    if (found !== undefined) return found
  }
  return { isNew: files.length === 0 }
}

/** @returns `undefined` if the database cannot be read */
async function read(address: CatalogueAddress): Promise<StoredLayout | undefined> {
  const reader = await openReader(address)
  try {
    const { seq } = await reader.head()
    return { isNew: seq === 0, lists: await reader.layout() }
  } catch (error) {
    if (error instanceof CatalogueUnavailable) return undefined
    throw error
  } finally {
    await reader.close()
  }
}

/** True for a server that has no tables yet, false for one that is away. */
async function isEmpty({ database, databasePasswordFile }: CatalogueAddress): Promise<boolean> {
  const { inspectServer } = await import('../../catalogue/postgres/schema.ts')
  const server = { url: database, passwordFile: databasePasswordFile }
  try {
    return (await inspectServer(server, { writes: true })).schema === undefined
  } catch (error) {
    if (error instanceof UnusableDatabase) return false
    throw error
  }
}

/** Says what was chosen, unless the configuration or the seed says it already. */
export function logChoice({ by, lists }: LayoutChoice, archive: string, logger: Logger): void {
  if (by !== 'start' && by !== 'database') return
  const name = JSON.stringify(archive)
  const words =
    by === 'start'
      ? `${name} has neither obs/ nor nrt/: all of it is listed as one area, and rinex-catalogue survey ${name} says what is in it`
      : 'areas is not set: all of the archive is one area, as start chose it for this database'
  // On a terminal, they can be copied.
  const between = process.stdout.isTTY ? '\n' : ' '
  logger.info([`${words}. In the configuration:`, ...configurationLines(lists)].join(between))
}
