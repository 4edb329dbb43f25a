/**
 * Whether the files of a database can be used at all, said so that the operator knows which one cannot and what to
 * do. SQLite names no file, and on its way to an error it leaves others beside the database.
 */
import { accessSync, constants, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { UnusableDatabase } from '../writer.ts'

const { R_OK, W_OK, X_OK } = constants

/** What the writer must be able to do with each file that it opens. The memory of numbers is replaced, not written. */
const both = R_OK | W_OK
const needs = { '': both, '-wal': both, '-shm': both, '-lock': both, '-numbers': R_OK }

/** By these names SQLite and the system tell that a disk, or somebody's share of it, is full. */
const noRoom = new Set(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC', 'EDQUOT'])

/**
 * Makes the folder of a database when it is missing, and looks at what is there already.
 * @throws UnusableDatabase
 */
export function preparePlace(database: string): void {
  const folder = dirname(database)
  attempt(`${folder} cannot be made or entered`, () => {
    mkdirSync(folder, { recursive: true, mode: 0o750 })
  })
  attempt(`${folder} may not be written by this user`, () => {
    accessSync(folder, both | X_OK)
  })
  for (const [suffix, mode] of Object.entries(needs)) checkFile(database + suffix, mode)
}

function checkFile(path: string, mode: number): void {
  const may = mode === R_OK ? 'read' : 'read and written'
  attempt(`${path} may not be ${may} by this user`, () => {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return
    if (!stats.isFile())
      throw new UnusableDatabase(`${path} is no file: move it away, or configure another database`)
    accessSync(path, mode)
  })
}

function attempt(what: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    const code = codeOf(error)
    if (code === undefined || error instanceof UnusableDatabase) throw error
    throw new UnusableDatabase(`${what} (${code}): ${remedyOf(code)}`, { cause: error })
  }
}

function remedyOf(code: string): string {
  if (noRoom.has(code)) return 'make room on its disk'
  const remedy =
    code === 'EROFS'
      ? 'its disk is mounted read-only, mount it for writing'
      : 'set owner and permissions right'
  return `${remedy}, or configure another database`
}

/** What to throw for an error while the file at `path` was opened: one that names it, if that one does not. */
export function unusable(path: string, error: unknown): unknown {
  const code = codeOf(error)
  if (code === undefined || !/^(SQLITE_|E[A-Z0-9]+$)/.test(code)) return error
  const problem = noRoom.has(code)
    ? `there is no room to open ${path} (${code}): make room on its disk`
    : `${path} cannot be opened: ${(error as Error).message} (${code}): see to the file and its disk, or configure another database`
  return new UnusableDatabase(problem, { cause: error })
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
