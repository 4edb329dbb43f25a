/**
 * Reading one directory of the tree. Synchronous calls throughout: they cost a third of the asynchronous ones,
 * and only the thread that is there for it waits when a disk does not answer.
 */
import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import type { Dirent, Stats } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { DirectoryRejection, DirectoryStamp } from '../../catalogue/catalogue-writer.ts'
import { isDirectoryName, parseDirectory } from '../../parse/archive-path.ts'
import { parseFilename } from '../../parse/filename.ts'
import { toInode, toUs } from '../../catalogue/exact.ts'
import { identityOf, openIdentities, packIdentity } from './look.ts'
import type { DirectoryLook, LookOutcome, LookRequest } from './look.ts'
import { isQuiet } from './quiet.ts'

export interface Tree {
  /** Absolute path of the archive root. */
  readonly archive: string
  /** Real paths of the directories outside of it that symlinks may lead to. */
  readonly linkedDirectories: readonly string[]
  /** Whether another disk lies under an area than before. */
  readonly isForeign?: (area: string) => boolean
  /** Called again and again while a look goes on: the disk answers. */
  readonly onProgress?: () => void
}

/** Times this close to a look may hide a later change behind the same value. */
const unsureMs = 2000

/** Looks at one directory. Whatever is wrong with the tree is told in the answer; nothing is thrown. */
export function readDirectory(tree: Tree, request: LookRequest): DirectoryLook {
  const path = join(tree.archive, request.path)
  try {
    const nowMs = Date.now()
    if (!isOfTheTree(tree, request.path)) return outsideLook(request.path)
    // Before the names: a change while they are read must show as a later stamp.
    const stats = statSync(path)
    const entries = readdirSync(path, { withFileTypes: true })
    // An area has a rule of its own: one that never held anything is no loss.
    if (entries.length === 0 && request.path.includes('/') && isAway(tree, request.path))
      throw new Error('its disk is away')
    const found = sortEntries(tree, request.path, entries)
    // After the names: one that came while they were read is young, however long its directory was quiet.
    const withFacts = needsFacts(request, path, nowMs)
    const files = withFacts ? factsOf(tree, path, found.names) : namesAlone(found.names)
    // Last of all, so that nothing of the above can be from another disk unnoticed.
    if (isForeign(tree, request.path)) return foreignLook(request.path)
    return {
      path: request.path,
      outcome: 'read',
      error: undefined,
      identity: identityOf(stats),
      stamp: stampOf(stats, nowMs),
      ...files,
      directories: found.directories,
      rejections: found.rejections,
    }
  } catch (error) {
    return failedLook(tree, request.path, error)
  }
}

/** The stamp of a directory; `undefined` when it cannot be had or a later change may hide behind it. */
export function readStamp(tree: Tree, path: string): DirectoryStamp | undefined {
  tree.onProgress?.()
  try {
    return stampOf(statSync(join(tree.archive, path)), Date.now())
  } catch {
    return undefined // whatever is wrong, the look that follows will tell
  }
}

function stampOf(stats: Stats, nowMs: number): DirectoryStamp | undefined {
  if (Math.abs(nowMs - stats.mtimeMs) < unsureMs || Math.abs(nowMs - stats.ctimeMs) < unsureMs)
    return undefined
  return { mtimeUs: toUs(stats.mtimeMs), ctimeUs: toUs(stats.ctimeMs), inode: toInode(stats.ino) }
}

function needsFacts(request: LookRequest, path: string, nowMs: number): boolean {
  if (request.detail !== 'fitting') return request.detail === 'facts'
  const touchedMs = statSync(path).mtimeMs
  return !isQuiet({ directory: parseDirectory(request.path), touchedMs, nowMs })
}

function namesAlone(names: readonly string[]) {
  return { names, sizes: undefined, mtimesUs: undefined, identities: undefined }
}

/** Sizes, mtimes and identities; a name that vanished or became something else since it was read is left out. */
function factsOf(tree: Tree, path: string, names: readonly string[]) {
  const found = { names: [] as string[], sizes: [] as number[], mtimesUs: [] as number[] }
  const identities = openIdentities(names.length)
  for (const name of names) {
    const stats = statSync(`${path}/${name}`, { throwIfNoEntry: false })
    tree.onProgress?.()
    if (!stats?.isFile()) continue
    packIdentity(identities, found.names.length, stats)
    found.names.push(name)
    found.sizes.push(stats.size)
    found.mtimesUs.push(toUs(stats.mtimeMs))
  }
  // Names that vanished may be a disk that did; then this fails, and tells.
  if (found.names.length < names.length) statSync(path)
  return { ...found, identities }
}

function sortEntries(tree: Tree, directory: string, entries: readonly Dirent[]) {
  const names: string[] = []
  const directories: string[] = []
  const rejections = new Map<string, { count: number; example: string }>()
  const reject = (name: string, reason: string): void => {
    const known = rejections.get(reason)
    if (known === undefined) rejections.set(reason, { count: 1, example: name })
    else known.count++
  }
  for (const entry of entries) {
    const { name } = entry
    const type = entry.isSymbolicLink() ? linkedType(tree, `${directory}/${name}`) : entry
    // A look at it will say that its disk is away.
    if (type === 'away') directories.push(name)
    else if (type === undefined) reject(name, 'symlink')
    else if (type.isFile()) {
      const parsed = parseFilename(name)
      if (parsed.kind === 'parsed') names.push(name)
      else reject(name, parsed.reason)
    } else if (type.isDirectory()) {
      const place = parseDirectory(`${directory}/${name}`)
      if (place.kind === 'rejected') reject(name, place.reason)
      else directories.push(name)
    } else reject(name, 'not-a-file')
  }
  const counted: DirectoryRejection[] = [...rejections].map(([reason, rejection]) => ({
    reason,
    ...rejection,
  }))
  return { names: names.sort(), directories: directories.sort(), rejections: counted }
}

/** Whether a directory lies where its path says, or where symlinks may lead: none but those are followed. */
function isOfTheTree(tree: Tree, path: string): boolean {
  const real = realpathSync.native(join(tree.archive, path))
  if (real === `${realpathSync.native(tree.archive)}/${path}`) return true
  return isLinked(tree, real)
}

function isLinked(tree: Tree, real: string): boolean {
  return tree.linkedDirectories.some(
    (directory) => real === directory || real.startsWith(`${directory}/`),
  )
}

/** What a symlink leads to, if that lies below a directory that symlinks may lead to; `away` if it is a disk that is. */
function linkedType(tree: Tree, path: string): Stats | 'away' | undefined {
  if (tree.linkedDirectories.length === 0) return undefined
  try {
    const target = realpathSync(join(tree.archive, path))
    return isLinked(tree, target) ? lstatSync(target) : undefined
  } catch {
    // A dangling link leads nowhere, unless it is clear where it led.
    return parseDirectory(path).kind === 'directory' && isAwayLink(tree, path) ? 'away' : undefined
  }
}

/** Whether a path leads over a symlink to a disk that is away. */
function isAway(tree: Tree, path: string): boolean {
  if (tree.linkedDirectories.length === 0) return false
  const names = path.split('/')
  return names.some((_, index) => isAwayLink(tree, names.slice(0, index + 1).join('/')))
}

/**
 * Whether a symlink leads below a linked directory that is not there, or to where a disk is mounted: to an empty
 * directory, or past one. Where the nearest directory that exists holds something, what is missing was taken away.
 */
function isAwayLink(tree: Tree, path: string): boolean {
  try {
    const link = join(tree.archive, path)
    if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return false
    const target = resolve(dirname(link), readlinkSync(link))
    if (!isLinked(tree, target)) return false
    for (let at = target; isLinked(tree, at); at = dirname(at))
      if (existsSync(at)) return readdirSync(at).length === 0
    return true
  } catch (error) {
    // Where no directory is no disk can be mounted; what cannot be told removes nothing.
    return !noDirectoryCodes.includes(codeOf(error))
  }
}

function isForeign(tree: Tree, path: string): boolean {
  return tree.isForeign?.(path.split('/', 1)[0] ?? '') ?? false
}

function foreignLook(path: string): DirectoryLook {
  const look = failedLook({ archive: '', linkedDirectories: [] }, path, undefined)
  const error = 'another disk is mounted there: if that is meant, restart the indexer'
  return { ...look, outcome: 'lost-area', error, rejections: [] }
}

/** What lies behind a symlink that must not be followed is not there. */
function outsideLook(path: string): DirectoryLook {
  const look = failedLook({ archive: '', linkedDirectories: [] }, path, undefined)
  const outcome = path.includes('/') ? 'missing' : 'lost-area'
  return { ...look, outcome, error: 'a symlink, not in linked_directories', rejections: [] }
}

function failedLook(tree: Tree, path: string, error: unknown): DirectoryLook {
  const code = codeOf(error)
  const outcome = failure(tree, path, code)
  return {
    path,
    outcome,
    error: code,
    identity: undefined,
    stamp: undefined,
    ...namesAlone([]),
    directories: [],
    rejections:
      outcome === 'unreadable' ? [{ reason: 'unreadable-directory', count: 1, example: '' }] : [],
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}

/** Codes that say for sure that no directory is there: nothing, a file in its place, or a symlink that leads to itself. */
const noDirectoryCodes = ['ENOENT', 'ENOTDIR', 'ELOOP']

function failure(tree: Tree, path: string, code: string): LookOutcome {
  if (!noDirectoryCodes.includes(code)) return 'unreadable'
  const [area = ''] = path.split('/')
  if (area === path || isForeign(tree, path)) return 'lost-area'
  if (!holdsDirectories(join(tree.archive, area))) return 'lost-area'
  return isAway(tree, path) ? 'unreadable' : 'missing'
}

/** Where a disk is mounted there may be a note or a `lost+found` without it, but no directories of an archive. */
function holdsDirectories(path: string): boolean {
  try {
    return readdirSync(path, { withFileTypes: true }).some(
      (entry) => !entry.isFile() && isDirectoryName(entry.name),
    )
  } catch {
    return false // unreadable is as good as lost
  }
}
