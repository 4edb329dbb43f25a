/**
 * Compares a directory on disk with the same directory in the catalogue. No I/O; the comparison
 * does not depend on the cause of the read.
 */
import { compareIdentity, isSameVersion } from '../../catalogue/identity.ts'
import type { FileIdentity } from '../../catalogue/records.ts'
import type {
  DirectoryChange,
  FileFacts,
  NewFile,
  ReboundFile,
} from '../../catalogue/updates/change.ts'
import { emptyChange } from '../../catalogue/updates/change.ts'
import type { KnownDirectory, KnownFile } from '../../catalogue/updates/known.ts'
import type { DirectorySnapshot } from '../read/directory-snapshot.ts'
import { identityAt, versionAt } from '../read/packed-identities.ts'
import { sameStamp } from '../state/sure-stamps.ts'

/**
 * Returns the change that makes the catalogue agree with the snapshot; `undefined` if they agree
 * already, if the directory is still as unreadable as the catalogue records, or if the snapshot
 * says nothing about the directory.
 */
export function reconcile(
  snapshot: DirectorySnapshot,
  known: KnownDirectory | undefined,
): DirectoryChange | undefined {
  switch (snapshot.outcome) {
    case 'lost-area':
      return undefined
    case 'missing':
      return known && goneDirectory(snapshot, known)
    case 'unreadable':
      // The directory may hold anything, so its records stay. The first time, a change without a
      // stamp is written: it records that the directory is unreadable, and each sweep finds the
      // directory again.
      return known?.unreadable === true ? undefined : unchanged(snapshot)
    case 'read':
      return compare(snapshot, known)
  }
}

function unchanged({ path, rejections }: DirectorySnapshot): DirectoryChange {
  return { ...emptyChange(path), rejections }
}

function goneDirectory(snapshot: DirectorySnapshot, known: KnownDirectory): DirectoryChange {
  return {
    ...unchanged(snapshot),
    gone: true,
    removed: Array.from(known.files.values(), ({ id }) => id),
  }
}

/** Differences between the catalogue and the files that exist on disk. */
interface Differences {
  readonly added: NewFile[]
  readonly modified: FileFacts[]
  readonly attributes: ReboundFile[]
  readonly rehash: number[]
}

function compare(
  snapshot: DirectorySnapshot,
  known: KnownDirectory | undefined,
): DirectoryChange | undefined {
  const found: Differences = { added: [], modified: [], attributes: [], rehash: [] }
  // For a new directory, this saves a look-up for each file.
  const isNew = known === undefined || known.files.size === 0
  snapshot.names.forEach((name, index) => {
    const version = versionAt(snapshot, index)
    const before = isNew ? undefined : known.files.get(name)
    if (before === undefined) found.added.push({ name, ...version })
    else if (!isSameVersion(before, version))
      found.modified.push({ id: before.id, name, ...version })
    else if (before.hashed !== undefined) compareHashed(before, identityAt(snapshot, index), found)
  })
  const removed = isNew ? [] : goneFiles(known, [...snapshot.names, ...snapshot.away])
  const { added, modified, attributes, rehash } = found
  const some = [added, modified, attributes, rehash, removed]
  const differs = some.some((files) => files.length > 0)
  if (!differs && known !== undefined && sameStamp(snapshot.stamp, known.stamp)) return undefined
  return {
    ...unchanged(snapshot),
    stamp: snapshot.stamp,
    ...found,
    removed,
  }
}

/**
 * Compares a file, whose size and mtime equal those of its record, with the version that was
 * hashed.
 */
function compareHashed(
  { id, hashed }: KnownFile,
  seen: FileIdentity,
  { attributes, rehash }: Differences,
): void {
  if (hashed === undefined) return
  const comparison = compareIdentity(hashed, seen)
  // If the ctime is older, the snapshot was taken before the file was hashed, or the clock was set
  // back. Then the snapshot says nothing about the present attributes.
  const isOlder = seen.ctimeUs < hashed.ctimeUs
  if (comparison === 'attributes' && !isOlder)
    attributes.push({ id, identity: seen, boundCtimeUs: hashed.ctimeUs })
  else if (comparison !== 'same') rehash.push(id)
}

function goneFiles({ files }: KnownDirectory, names: readonly string[]): number[] {
  const present = new Set(names)
  return Array.from(files)
    .filter(([name]) => !present.has(name))
    .map(([, { id }]) => id)
}
