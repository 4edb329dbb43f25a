/**
 * Reads the entries of directories one after the other, so that a huge directory is not collected
 * in memory.
 */
import type { Dirent } from 'node:fs'
import { opendirSync } from 'node:fs'
import { opendir } from 'node:fs/promises'
import type { EntryRejectionReason } from '../../catalogue/records.ts'
import type { DirectoryRejection } from '../../catalogue/updates/change.ts'
import { mostRejectedNames } from '../../catalogue/updates/change.ts'

/** Number of entries that are read at once; reading them one by one takes twice as long. */
const bufferSize = 256

/**
 * Returns the entries of a directory in no particular order. If the caller stops, the remaining
 * entries are not read.
 */
export function* entriesOf(path: string): Generator<Dirent, undefined> {
  const directory = opendirSync(path, { bufferSize })
  try {
    for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) yield entry
  } finally {
    directory.closeSync()
  }
}

const fnvPrime = 0x01000193

/**
 * The part of a name in the sum of the names of a directory: 32 bits, as FNV-1a but with two
 * characters at a time, so that the sum of half a million names, in any order, is an exact double.
 * Directories with other names have the same sum once in four thousand million times; then another
 * name shows it later. The sums are stored (`DirectoryStamp`): with another function, names seem to
 * have changed under the same times.
 */
export function sumOfName(name: string): number {
  const { length } = name
  let hash = Math.imul(0x811c9dc5 ^ length, fnvPrime)
  for (let index = 1; index < length; index += 2)
    hash = Math.imul(hash ^ name.charCodeAt(index - 1) ^ (name.charCodeAt(index) << 16), fnvPrime)
  if (length % 2 === 1) hash = Math.imul(hash ^ name.charCodeAt(length - 1), fnvPrime)
  return (hash ^ (hash >>> 15)) >>> 0
}

export function isEmptyDirectory(path: string): boolean {
  for (const _ of entriesOf(path)) return false
  return true
}

/**
 * True if a directory has more entries than this; false if it cannot be read. Does not block this
 * thread.
 */
export async function hasMoreEntries(path: string, most: number): Promise<boolean> {
  let count = 0
  try {
    const entries = await opendir(path, { bufferSize: 1000 })
    try {
      while (count <= most && (await entries.read()) !== null) count++
    } finally {
      await entries.close()
    }
  } catch {
    // The next use of the directory reports the problem.
  }
  return count > most
}

/**
 * Counts the rejected entries of a directory by reason, and keeps the first names of each reason.
 */
export class Rejections {
  readonly #found = new Map<EntryRejectionReason, { count: number; names: string[] }>()

  add(name: string, reason: EntryRejectionReason): void {
    const known = this.count(reason)
    if (!name.startsWith('.')) known.names.push(name)
    if (known.names.length >= 10 * mostRejectedNames) known.names = firstOf(known.names)
  }

  /** Counts an entry, which is not named. */
  count(reason: EntryRejectionReason): { count: number; names: string[] } {
    const known = this.#found.get(reason) ?? { count: 0, names: [] }
    this.#found.set(reason, known)
    known.count++
    return known
  }

  all(): DirectoryRejection[] {
    return Array.from(this.#found, ([reason, { count, names }]) => ({
      reason,
      count,
      names: firstOf(names),
    }))
  }
}

function firstOf(names: readonly string[]): string[] {
  return names.toSorted().slice(0, mostRejectedNames)
}
