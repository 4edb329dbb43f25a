/**
 * Opening an archived file and checking it through the open file handle: the file that was checked is the file that is
 * sent, whatever happens to its path in the meantime.
 */
import { constants, fstatSync, readlinkSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { open, realpath, stat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { compareIdentity, toIdentity } from '../../catalogue/identity.ts'
import type { FilePlace } from './data-target.ts'
import type { MissingReason } from './missing-files.ts'

export interface ArchivedFile {
  /** Path by which it was opened. */
  readonly path: string
  /** Where it really is, when a symbolic link leads to it. */
  readonly linkedPath?: string | undefined
  /** As it was opened. */
  readonly stats: Stats
  /** Its last eight bytes as it was opened; all of a smaller file. */
  readonly tail: Buffer
}

export interface OpenFile extends ArchivedFile {
  readonly handle: FileHandle
}

/** What lies at a path must not or cannot be served; the message, for the log, says why. */
export class FileUnavailable extends Error {
  readonly reason: MissingReason

  constructor(reason: MissingReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** This process has no file descriptor left; others are closed sooner or later. */
export class NoDescriptor extends Error {}

/** A file is no longer what it was when it was opened. */
export class FileChanged extends Error {}

export interface ArchiveTree {
  /** Absolute path of the archive root. */
  readonly archive: string
  /** Real paths. */
  readonly linkedDirectories: readonly string[]
}

export interface Archive {
  /**
   * Opens a regular file that lies where its path says, or below a linked directory. The caller closes its handle.
   * @throws NotServed for anything else, FileChanged when it was replaced meanwhile, NoDescriptor
   */
  open(place: FilePlace): Promise<OpenFile>
  /** Path by which a file is opened. */
  pathOf(place: FilePlace): string
}

/** Does not wait for the writer of a FIFO, and does not follow a symbolic link in the last part of the path. */
const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW

/** Codes with which opening fails where there is nothing to be served. */
const missingFileCodes = new Map<string, MissingReason>([
  ['ENOENT', 'not-there'],
  ['ENOTDIR', 'not-there'],
  // A symlink leads to a path that is longer than any can be.
  ['ENAMETOOLONG', 'not-there'],
  ['EACCES', 'no-permission'],
  ['EPERM', 'no-permission'],
  // A symbolic link that must not be followed.
  ['ELOOP', 'lies-elsewhere'],
  ['ENXIO', 'not-regular'],
  ['ENODEV', 'not-regular'],
])

/** Codes with which it fails when this process, or the whole system, holds as many open files as it may. */
const exhaustedCodes = ['EMFILE', 'ENFILE']

/** How Linux marks the path of a file handle whose file has no name any more. */
const deletedMark = ' (deleted)'

export function openArchive(tree: ArchiveTree): Archive {
  let root = tree.archive
  const isLinked = (path: string): boolean =>
    tree.linkedDirectories.some((directory) => path.startsWith(join(directory, '/')))
  const lies = (path: string, { directory, name }: FilePlace): boolean =>
    path === join(root, directory, name)
  /** The root may be reached through symbolic links, and these may lead elsewhere than when they were last followed. */
  const liesAt = async (path: string, place: FilePlace): Promise<boolean> => {
    if (lies(path, place)) return true
    root = await orUnavailable(realpath(tree.archive))
    return lies(path, place)
  }
  const linkedPathOf = async (handle: FileHandle, place: FilePlace) => {
    const path = readlinkSync(`/proc/self/fd/${handle.fd}`)
    if (path.endsWith(deletedMark)) throw new FileChanged('replaced or removed')
    // Asked first, since a linked directory may be one that holds the archive itself.
    if (lies(path, place)) return undefined
    if (isLinked(path)) return path
    if (!(await liesAt(path, place))) throw new FileUnavailable('lies-elsewhere', `lies at ${path}`)
    return undefined
  }
  /** A file may be a symbolic link itself where the configuration lets it lead. */
  const openHandle = async (path: string): Promise<FileHandle> => {
    try {
      return await open(path, flags)
    } catch (error) {
      if (codeOf(error) !== 'ELOOP') throw error
      const target = await realpath(path)
      if (!isLinked(target)) throw error
      return await open(target, flags)
    }
  }
  const pathOf = ({ directory, name }: FilePlace): string => join(tree.archive, directory, name)
  return {
    pathOf,
    async open(place) {
      const path = pathOf(place)
      const handle = await orUnavailable(openHandle(path))
      try {
        // The kernel knows this of what was just opened; asking in another thread costs ten times as much.
        const stats = fstatSync(handle.fd)
        if (!stats.isFile()) throw new FileUnavailable('not-regular', 'not a regular file')
        const linkedPath = await linkedPathOf(handle, place)
        return { handle, path, stats, linkedPath, tail: await readTail(handle, stats.size) }
      } catch (error) {
        await handle.close()
        throw error
      }
    },
  }
}

/** The CRC-32 and the length of its content end a gzip stream (RFC 1952, 2.3.1). */
const tailBytes = 8

/** Reads the last bytes of a file. @throws FileChanged when it is shorter than `size` */
async function readTail(handle: FileHandle, size: number): Promise<Buffer> {
  const length = Math.min(tailBytes, size)
  const tail = Buffer.alloc(length)
  const { bytesRead } = await handle.read(tail, 0, length, size - length)
  if (bytesRead < length) throw new FileChanged('cut short')
  return tail
}

/**
 * Whether an open file still holds the bytes that it held when it was opened. A change of its size or mtime says no. A
 * change of its ctime alone is explained by another link count, mode or owner, or by another file that has taken its
 * path; where neither explains it, the file was rewritten in place and its times were set back, which its last bytes
 * tell.
 */
export async function isUnchanged({ handle, path, stats, tail }: OpenFile): Promise<boolean> {
  const now = await handle.stat()
  if (now.size !== stats.size || now.mtimeMs !== stats.mtimeMs) return false
  if (compareIdentity(toIdentity(stats), toIdentity(now)) !== 'changed') return true
  if (!(await leadsTo(path, now))) return true
  return tail.equals(await readTail(handle, now.size))
}

async function leadsTo(path: string, { dev, ino }: Stats): Promise<boolean> {
  try {
    const there = await stat(path)
    return there.dev === dev && there.ino === ino
  } catch {
    return false // it was renamed or removed, or its disk has gone
  }
}

/** Tells a path where nothing is to be served, and a lack of file descriptors, from a disk that fails. */
async function orUnavailable<T>(result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (error) {
    const code = codeOf(error)
    const reason = missingFileCodes.get(code)
    if (reason !== undefined) throw new FileUnavailable(reason, code, { cause: error })
    if (exhaustedCodes.includes(code)) throw new NoDescriptor(code, { cause: error })
    throw error
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
