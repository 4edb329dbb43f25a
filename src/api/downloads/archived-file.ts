/** Opens archived files, and checks through the handle that the checked file is the one sent. */
import type { Stats } from 'node:fs'
import { constants, readlinkSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { open, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { compareIdentity, toIdentity } from '../../catalogue/identity.ts'
import type { FileQuery, FoundFile } from '../../catalogue/questions/files.ts'
import { suffixOf } from '../../parse/filename.ts'
import { errorCode } from '../../runtime/error-code.ts'
import type { ApiSettings } from '../http/settings.ts'
import type { UnservedReason } from './unserved-files.ts'

export interface ArchivedFile {
  /** Path by which the file was opened. */
  readonly path: string
  /** The real path of the file, if a symbolic link leads to it. */
  readonly linkedPath?: string | undefined
  readonly stats: Stats
  /** The last eight bytes of the file when it was opened; all bytes of a smaller file. */
  readonly tail: Buffer
  /** True if these are a check of the content: those of a gzip stream. */
  readonly hasCheck: boolean
}

export interface OpenFile extends ArchivedFile {
  readonly handle: FileHandle
}

/** Thrown if a path has no file that may be served. The message is for the log. */
export class FileUnavailable extends Error {
  readonly reason: UnservedReason

  constructor(reason: UnservedReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** Thrown if there is no free file descriptor, which is temporary. */
export class NoDescriptor extends Error {}

/** Thrown if a file has changed since it was opened. */
export class FileChanged extends Error {}

export type ArchiveTree = Pick<ApiSettings, 'archive' | 'linkedDirectories'>

/** Flags of `open`: it waits for no FIFO, and follows no link in the last segment of a path. */
const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW

/** Error codes of `open` which mean that no file may be served, each with its reason. */
const missingFileCodes = new Map<string, UnservedReason>([
  ['ENOENT', 'not-there'],
  ['ENOTDIR', 'not-there'],
  // The target of a symbolic link is too long to exist.
  ['ENAMETOOLONG', 'not-there'],
  ['EACCES', 'no-permission'],
  ['EPERM', 'no-permission'],
  // A symbolic link that must not be followed.
  ['ELOOP', 'lies-elsewhere'],
  ['ENXIO', 'not-regular'],
  ['ENODEV', 'not-regular'],
])

/** Error codes of `open` when this process or the system has no free file descriptor. */
const exhaustedCodes = ['EMFILE', 'ENFILE']

/** Linux appends this to the path of a file handle whose file was unlinked. */
const deletedMark = ' (deleted)'

export class Archive {
  readonly #tree: ArchiveTree
  /** Real path of the archive root, when it was resolved last. */
  #root: string

  constructor(tree: ArchiveTree) {
    this.#tree = tree
    this.#root = tree.archive
  }

  /**
   * Opens a regular file that is in its place in the archive or below a linked directory. The
   * caller closes it.
   * @throws FileUnavailable for anything else, FileChanged if it was replaced, removed or truncated
   * meanwhile, NoDescriptor, and other errors of the disk
   */
  async open(place: FileQuery & Partial<Pick<FoundFile, 'isDisguised'>>): Promise<OpenFile> {
    const path = join(this.#tree.archive, place.directory, place.name)
    const handle = await orUnavailable(this.#openHandle(path))
    try {
      // In a thread: a network file system may ask its server, which may hang.
      const stats = await handle.stat()
      if (!stats.isFile()) throw new FileUnavailable('not-regular', 'not a regular file')
      const linkedPath = await this.#linkedPathOf(handle, place)
      const hasCheck = suffixOf(place.name) === '.gz' && place.isDisguised !== true
      const tail = await readTail(handle, stats.size)
      return { handle, path, stats, linkedPath, tail, hasCheck }
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  /** Opens a file. The file may be a symbolic link, if it leads below a linked directory. */
  async #openHandle(path: string): Promise<FileHandle> {
    try {
      return await open(path, flags)
    } catch (error) {
      if (errorCode(error) !== 'ELOOP') throw error
      const target = await realpath(path)
      if (!this.#isLinked(target)) throw error
      return await open(target, flags)
    }
  }

  async #linkedPathOf(handle: FileHandle, place: FileQuery): Promise<string | undefined> {
    // This call is synchronous, because it reads only the kernel's memory, never the archive.
    const path = readlinkSync(`/proc/self/fd/${handle.fd}`)
    if (path.endsWith(deletedMark))
      throw new FileChanged('the file was replaced or removed after it was opened')
    // The archive is checked first, because a linked directory may contain the archive itself.
    if (this.#isPlace(path, place)) return undefined
    if (this.#isLinked(path)) return path
    // The symbolic links to the root may have changed.
    this.#root = await orUnavailable(realpath(this.#tree.archive))
    if (this.#isPlace(path, place)) return undefined
    throw new FileUnavailable('lies-elsewhere', `outside the archive, at ${path}`)
  }

  #isLinked(path: string): boolean {
    const { linkedDirectories } = this.#tree
    return linkedDirectories.some((directory) => path.startsWith(join(directory, '/')))
  }

  #isPlace(path: string, { directory, name }: FileQuery): boolean {
    return path === join(this.#root, directory, name)
  }
}

/** Bytes at the end of a file that show an overwrite: the CRC-32 and length of gzip (RFC 1952). */
const tailBytes = 8

/** @throws FileChanged when the file is shorter than `size` */
async function readTail(handle: FileHandle, size: number): Promise<Buffer> {
  const length = Math.min(tailBytes, size)
  const tail = Buffer.alloc(length)
  const { bytesRead } = await handle.read(tail, 0, length, size - length)
  if (bytesRead < length) throw new FileChanged('truncated')
  return tail
}

/**
 * True if an open file has the same bytes as when it was opened. If only the ctime differs, it may
 * have another link count, mode or owner, or lost its path; else it may have been rewritten in
 * place and its times set back, so its last bytes are compared, if they are a check of the content.
 */
export async function isUnchanged(file: OpenFile): Promise<boolean> {
  const { handle, path, stats, tail, hasCheck } = file
  const now = await handle.stat()
  if (now.size !== stats.size || now.mtimeMs !== stats.mtimeMs) return false
  if (compareIdentity(toIdentity(stats), toIdentity(now)) !== 'changed') return true
  if (!(await isStillAt(path, now))) return true
  return hasCheck && tail.equals(await readTail(handle, now.size))
}

async function isStillAt(path: string, { dev, ino }: Stats): Promise<boolean> {
  try {
    const current = await stat(path)
    return current.dev === dev && current.ino === ino
  } catch {
    return false // renamed or removed, or its disk is gone
  }
}

/** Turns the errors of the two tables into `FileUnavailable` and `NoDescriptor`. */
async function orUnavailable<T>(result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (error) {
    const code = errorCode(error)
    const reason = missingFileCodes.get(code)
    if (reason !== undefined) throw new FileUnavailable(reason, code, { cause: error })
    if (exhaustedCodes.includes(code)) throw new NoDescriptor(code, { cause: error })
    throw error
  }
}
