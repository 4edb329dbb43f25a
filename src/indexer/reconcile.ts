/** One directory on disk against the same directory in the catalogue: pure, and the same for every cause. */
import type {
  DirectoryChange,
  FileFacts,
  KnownDirectory,
  NewFile,
} from '../catalogue/catalogue-writer.ts'
import { isMisplaced, parseDirectory } from '../parse/archive-path.ts'
import { parseFilename } from '../parse/filename.ts'
import type { ParsedName } from '../parse/types.ts'
import type { DirectoryLook } from './tree/look.ts'

/**
 * What has to be applied so that the catalogue agrees with the look; `undefined` when it does already, or when
 * the look says nothing about what is there.
 * @param arrived whether files that are new were seen arriving, rather than found.
 */
export function reconcile(
  look: DirectoryLook,
  known: KnownDirectory | undefined,
  arrived: boolean,
): DirectoryChange | undefined {
  switch (look.outcome) {
    case 'lost-area':
      return undefined
    case 'missing':
      return known && goneDirectory(look, known)
    case 'unreadable':
      // It may hold anything: what was known stays, and sweeps look again. Noted once.
      return known !== undefined && known.stamp === undefined ? undefined : nothing(look)
    case 'read':
      return compare(look, known, arrived)
  }
}

function nothing(look: DirectoryLook): DirectoryChange {
  return {
    path: look.path,
    gone: false,
    stamp: undefined,
    heldSinceUs: undefined,
    directories: [],
    arrived: false,
    added: [],
    modified: [],
    filled: [],
    removed: [],
    rejections: look.rejections,
    misplaced: undefined,
  }
}

function goneDirectory(look: DirectoryLook, known: KnownDirectory): DirectoryChange {
  return {
    ...nothing(look),
    gone: true,
    misplaced: 0,
    removed: Array.from(known.files.values(), ({ id }) => id),
  }
}

function compare(
  look: DirectoryLook,
  known: KnownDirectory | undefined,
  arrived: boolean,
): DirectoryChange | undefined {
  const directory = parseDirectory(look.path)
  const added: NewFile[] = []
  const modified: FileFacts[] = []
  const filled: FileFacts[] = []
  // Where nothing is known, nothing needs to be looked for.
  const isNew = known === undefined || known.files.size === 0
  let misplaced = 0
  look.names.forEach((name, index) => {
    const parsed = parseFilename(name) as ParsedName // the look brings RINEX names only
    if (directory.kind === 'directory' && isMisplaced(parsed, directory)) misplaced++
    const size = look.sizes?.[index]
    const mtimeUs = look.mtimesUs?.[index]
    const before = isNew ? undefined : known.files.get(name)
    if (before === undefined) added.push({ name, parsed, size, mtimeUs })
    else if (size === undefined || mtimeUs === undefined) return
    else if (before.size === undefined) filled.push({ id: before.id, name, size, mtimeUs })
    else if (before.size !== size || before.mtimeUs !== mtimeUs)
      modified.push({ id: before.id, name, size, mtimeUs })
  })
  const removed = isNew ? [] : goneFiles(known, [...look.names, ...look.away])
  const differs = added.length + modified.length + filled.length + removed.length > 0
  if (!differs && known !== undefined && sameStamp(look.stamp, known.stamp)) return undefined
  return {
    ...nothing(look),
    stamp: look.stamp,
    arrived,
    added,
    modified,
    filled,
    removed,
    misplaced,
  }
}

function goneFiles({ files }: KnownDirectory, names: readonly string[]): number[] {
  const present = new Set(names)
  return Array.from(files)
    .filter(([name]) => !present.has(name))
    .map(([, { id }]) => id)
}

/** Whether nothing can have changed between two looks; a stamp that is not sure equals none. */
export function sameStamp(a: DirectoryLook['stamp'], b: KnownDirectory['stamp']): boolean {
  return (
    a !== undefined &&
    b !== undefined &&
    a.mtimeUs === b.mtimeUs &&
    a.ctimeUs === b.ctimeUs &&
    a.inode === b.inode
  )
}
