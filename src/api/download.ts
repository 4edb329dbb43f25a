/**
 * Opening an archived file and reading it, all through one descriptor: what was checked is what is sent,
 * whatever happens to the path in the meantime.
 */
import { constants, readlinkSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { FilePlace } from './data-target.ts'
import { openDescriptor } from './descriptor.ts'
import type { Descriptor } from './descriptor.ts'
import { openLocalDevices } from './local-file.ts'
import type { NotServedReason } from './unserved.ts'

export interface ArchivedFile extends Descriptor {
  /** Where it really is, when a symlink leads to it. */
  readonly linkedPath?: string
}

/** What lies at a path is not to be served; the message, for the log, says why. */
export class NotServed extends Error {
  readonly reason: NotServedReason

  constructor(reason: NotServedReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** This process has no descriptor left to open anything with: those of others are closed sooner or later. */
export class NoDescriptor extends Error {}

/** A file is no longer what it was when it was opened. */
export class FileChanged extends Error {}

export interface ArchiveTree {
  readonly archive: string
  /** Real paths. */
  readonly linkedDirectories: readonly string[]
}

export interface Archive {
  /**
   * Opens a regular file that lies where its path says, or below a linked directory. Who opens it closes it.
   * @throws NotServed for anything else, FileChanged when it was replaced meanwhile, NoDescriptor
   */
  open(place: FilePlace): Promise<ArchivedFile>
}

/** Not to wait for the writer of a FIFO, and not to follow a symlink in the last part of the path. */
const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW

/** What opening fails with where there is nothing to be served. */
const absent = new Map<string, NotServedReason>([
  ['ENOENT', 'not-there'],
  ['ENOTDIR', 'not-there'],
  // A symlink leads to a path that is longer than any can be.
  ['ENAMETOOLONG', 'not-there'],
  ['EACCES', 'no-permission'],
  ['EPERM', 'no-permission'],
  // A symlink leads there, and may not.
  ['ELOOP', 'lies-elsewhere'],
  ['ENXIO', 'not-regular'],
  ['ENODEV', 'not-regular'],
])

/** What it fails with when this process, or the whole system, holds as many open files as it may. */
const exhausted = ['EMFILE', 'ENFILE']

/** How Linux marks the path of a descriptor whose file has no name any more. */
const deletedMark = ' (deleted)'

export function openArchive(tree: ArchiveTree): Archive {
  let root = tree.archive
  const isLinked = (path: string): boolean =>
    tree.linkedDirectories.some((directory) => path.startsWith(join(directory, '/')))
  const lies = (path: string, { directory, name }: FilePlace): boolean =>
    path === join(root, directory, name)
  /** The root may be reached through symlinks, and these may lead elsewhere than when they were last followed. */
  const liesAt = async (path: string, place: FilePlace): Promise<boolean> => {
    if (lies(path, place)) return true
    root = await ifPresent(realpath(tree.archive))
    return lies(path, place)
  }
  const check = async (file: Descriptor, place: FilePlace): Promise<ArchivedFile> => {
    if (!file.stats.isFile()) throw new NotServed('not-regular', 'not a regular file')
    const path = readlinkSync(`/proc/self/fd/${file.fd}`)
    if (path.endsWith(deletedMark)) throw new FileChanged('replaced or removed')
    // Asked first, since a linked directory may be one that holds the archive itself.
    if (lies(path, place)) return file
    if (isLinked(path)) return { ...file, linkedPath: path }
    if (!(await liesAt(path, place))) throw new NotServed('lies-elsewhere', `lies at ${path}`)
    return file
  }
  const isLocal = openLocalDevices()
  /** A file may be a symlink itself where the configuration lets it lead. */
  const openFile = async (path: string): Promise<Descriptor> => {
    try {
      return await openDescriptor(path, flags, isLocal)
    } catch (error) {
      if (codeOf(error) !== 'ELOOP') throw error
      const target = await realpath(path)
      if (!isLinked(target)) throw error
      return await openDescriptor(target, flags, isLocal)
    }
  }
  return {
    async open(place) {
      const path = join(tree.archive, place.directory, place.name)
      const file = await ifPresent(openFile(path))
      try {
        return await check(file, place)
      } catch (error) {
        file.close()
        throw error
      }
    },
  }
}

/** Tells a path where nothing is to be served, and a want of descriptors, from a disk that fails. */
async function ifPresent<T>(result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (error) {
    const code = codeOf(error)
    const reason = absent.get(code)
    if (reason !== undefined) throw new NotServed(reason, code, { cause: error })
    if (exhausted.includes(code)) throw new NoDescriptor(code, { cause: error })
    throw error
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
