/**
 * Checks where archive and database lie: on a network file system, in each other, or in a place
 * that only looks like an archive. The disk may hang, so nothing here blocks this thread.
 */
import { lstat, readdir, readFile, stat, statfs } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { isServer } from '../../catalogue/database-url.ts'
import type { OptionKey } from '../../config/options.ts'
import { isDirectoryName } from '../../parse/directories.ts'
import { knownSuffixes } from '../../parse/filename.ts'
import type { Layout } from '../../parse/layout.ts'
import { areaWords, createLayout, defaultLists, hasSeedAreas } from '../../parse/layout.ts'
import { realPath } from '../../runtime/real-path.ts'

/** What was found about a path of the configuration. */
export interface Finding {
  readonly key: OptionKey
  /** Ends the sentence that begins with the key. */
  readonly words: string
  /** With a `fault` the program cannot do its work; a `warning` is for people to judge. */
  readonly level: 'good' | 'warning' | 'fault'
}

interface Places {
  /** The lists of the tree; by default those of the seed. */
  readonly areas?: readonly string[] | undefined
  readonly archive?: string | undefined
  readonly database?: string | undefined
}

/** Finds what is wrong with the places of archive and database; nothing if all is well. */
export async function checkPlaces({
  archive,
  database,
  areas = defaultLists.areas,
}: Places): Promise<readonly Finding[]> {
  const layout = createLayout({ ...defaultLists, areas })
  const file = database === undefined || isServer(database) ? undefined : realPath(database)
  const found = [
    archive === undefined ? undefined : await missingAreas(archive, layout),
    archive === undefined ? undefined : await ownCopy(archive),
    archive === undefined || file === undefined ? undefined : inside(archive, file, layout),
    file === undefined ? undefined : await remoteDatabase(file),
  ]
  return found.filter((finding) => finding !== undefined)
}

const quoted = (path: string): string => JSON.stringify(path)

/**
 * Areas that are not there: their names may be wrong, a disk may be away, or the archive is an area
 * itself. Of the areas of the seed, one is enough.
 */
async function missingAreas(archive: string, layout: Layout): Promise<Finding | undefined> {
  const isRead = await readdir(archive).then(
    () => true,
    () => false,
  )
  if (!isRead) return undefined // other checks report it
  const { areas, roots } = layout
  const found = await Promise.all(roots.map((root) => isThere(join(archive, root))))
  const missing = areas.filter((_, index) => found[index] === false)
  const isSeed = hasSeedAreas(layout)
  if (missing.length === 0 || (isSeed && found.includes(true))) return undefined
  if (isSeed && areas.includes(basename(realPath(archive)))) {
    const words = `${quoted(archive)} is an area, obs/ or nrt/, and not the directory that holds them: set it to ${quoted(dirname(archive))}`
    return { key: 'archive', words, level: 'fault' }
  }
  const words = `${quoted(archive)} has no ${areaWords({ areas: missing })}: mount its disk, make the directory, or set areas as rinex-catalogue survey proposes`
  return { key: 'archive', words, level: 'warning' }
}

/**
 * True for a directory that `start` may take whole: one that is read, holds directories or RINEX
 * files, and neither has the areas of the seed nor is one of them. An empty one may be the mount
 * point of a disk.
 */
export async function isUnknownTree(archive: string): Promise<boolean> {
  const { areas } = defaultLists
  if (areas.includes(basename(realPath(archive)))) return false
  const entries = await readdir(archive, { withFileTypes: true }).catch(() => [])
  if (entries.some(({ name }) => areas.includes(name))) return false
  return entries.some(createLayout({ ...defaultLists, suffixes: knownSuffixes }).isOfArchive)
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

/**
 * A database inside the archive. In an area, each write of the database would be a file event,
 * which the indexer answers by a read, and that by a write.
 */
function inside(archive: string, database: string, layout: Layout): Finding | undefined {
  const path = relative(realPath(archive), dirname(database))
  if (path === '..' || path.startsWith('../')) return undefined
  const isInArea = layout.rootOf(path) !== undefined
  const words = `${quoted(database)} lies inside the archive: move it to a directory of its own`
  return { key: 'database', words, level: isInArea ? 'fault' : 'warning' }
}

/**
 * File systems whose locks and shared memory SQLite may not trust, by the number that statfs(2)
 * gives (linux/magic.h and the sources of those that are not part of Linux).
 * https://sqlite.org/wal.html: "WAL does not work over a network filesystem".
 */
const remoteFileSystems: Readonly<Record<number, string>> = {
  0x6969: 'NFS',
  0x517b: 'SMB',
  0xff534d42: 'SMB (CIFS)',
  0xfe534d42: 'SMB',
  0x65735546: 'FUSE',
  0x01021997: '9p',
  0x00c36400: 'Ceph',
  0x5346414f: 'AFS',
  0x6b414653: 'AFS',
  0x73757245: 'Coda',
  0x0bd00bd0: 'Lustre',
  0x47504653: 'GPFS',
  0x7461636f: 'OCFS2',
  0x01161970: 'GFS2',
  0x19830326: 'BeeGFS',
  0x20030528: 'OrangeFS',
  0x786f4256: 'VirtualBox shared folders',
}

async function remoteDatabase(database: string): Promise<Finding | undefined> {
  const name = await fileSystemOf(dirname(database))
  if (name === undefined) return undefined
  const words = `${quoted(database)} lies on a network or FUSE file system (${name}), where SQLite may lose data: move it to a local disk, or use a PostgreSQL server`
  return { key: 'database', words, level: 'warning' }
}

/** The name of the network file system of a directory, or of the first one above that exists. */
async function fileSystemOf(directory: string): Promise<string | undefined> {
  const found = await statfs(directory).catch(() => undefined)
  // The kernel's number has 32 bits, and may come with its sign.
  if (found !== undefined) return remoteFileSystems[found.type >>> 0]
  return dirname(directory) === directory ? undefined : fileSystemOf(dirname(directory))
}

/**
 * A mount below the archive that leads back to the archive, or to a directory above the mount
 * point: the same files would be listed again and again, down to the largest depth. Only a mount
 * makes such a loop, so the list of mounts is all that is to be searched.
 */
async function ownCopy(archive: string): Promise<Finding | undefined> {
  const root = realPath(archive)
  for (const point of await mountsBelow(root)) {
    const mounted = await identityOf(point)
    if (mounted === undefined) continue
    for (let above = dirname(point); ; above = dirname(above)) {
      if ((await identityOf(above)) === mounted) {
        const words = `${quoted(archive)} contains itself: ${quoted(point)} is a mount of ${quoted(above)}; unmount it`
        return { key: 'archive', words, level: 'fault' }
      }
      if (above === dirname(above)) break
    }
  }
  return undefined
}

/** The mount points below a directory that a scan would reach (proc_pid_mountinfo(5)). */
async function mountsBelow(root: string): Promise<readonly string[]> {
  const text = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '')
  const points = text.split('\n').map((line) => line.split(' ', 5)[4] ?? '')
  const below = `${root === '/' ? '' : root}/`
  return points
    .map((point) => point.replaceAll(/\\(\d{3})/g, (_, code: string) => octal(code)))
    .filter((point) => point.startsWith(below))
    .filter((point) => point.slice(below.length).split('/').every(isDirectoryName))
}

const octal = (code: string): string => String.fromCharCode(parseInt(code, 8))

/** Device and inode of a directory; `undefined` if it cannot be read. */
async function identityOf(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined)
  return found && `${found.dev} ${found.ino}`
}
