/**
 * Reconciles large directories in parts, so that a directory with hundreds of thousands of files
 * needs little memory and never blocks this thread for long. A directory with few files has one
 * part.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { DirectoryChange } from '../../catalogue/updates/change.ts'
import type { KnownDirectory } from '../../catalogue/updates/known.ts'
import { mostKnownFiles } from '../../catalogue/updates/known.ts'
import type { CatalogueWriter } from '../../catalogue/updates/writer.ts'
import type { DirectorySnapshot } from '../read/directory-snapshot.ts'
import { sliceSnapshot } from '../read/packed-identities.ts'
import { reconcile } from './reconcile.ts'

/**
 * Number of files in a transaction; writing them blocks the process for about a tenth of a second.
 */
const filesPerPart = 10_000

interface DirectoryPart {
  readonly snapshot: DirectorySnapshot
  readonly known: KnownDirectory | undefined
}

export interface Comparison {
  /** The change that makes the catalogue agree with the snapshot; `undefined` if they agree. */
  readonly change: DirectoryChange | undefined
  /** The directory in the catalogue; `undefined` for a new one. */
  readonly known: Pick<KnownDirectory, 'stamp' | 'unreadable'> | undefined
}

/**
 * Compares a directory with the catalogue (see `reconcile`): the names of the snapshot part by
 * part, in their order.
 * @param isEmpty true if the catalogue holds nothing of it, so that it need not be asked
 */
export async function reconcileInParts(
  writer: Pick<CatalogueWriter, 'directory'>,
  snapshot: DirectorySnapshot,
  isEmpty = false,
): Promise<Comparison> {
  if (isEmpty && snapshot.outcome === 'read' && snapshot.names.length < mostKnownFiles)
    return { change: reconcile(snapshot, undefined), known: undefined }
  const changes: DirectoryChange[] = []
  let known: Comparison['known']
  for await (const part of partsOf(writer, snapshot)) {
    known = part.known
    const change = reconcile(part.snapshot, part.known)
    if (change !== undefined) changes.push(change)
  }
  return { change: join(changes), known }
}

/**
 * Returns the parts of a directory. Each is a range of names, with at most `mostKnownFiles` files
 * on either side.
 */
async function* partsOf(
  writer: Pick<CatalogueWriter, 'directory'>,
  snapshot: DirectorySnapshot,
): AsyncGenerator<DirectoryPart, undefined> {
  const { path, names, outcome } = snapshot
  for (let from = 0, after = ''; ;) {
    const through = names[from + mostKnownFiles - 1]
    const known = await writer.directory(path, { after, through })
    const last = known?.next ?? through
    const to = last === undefined ? names.length : firstAfter(names, last, from)
    const isWhole = from === 0 && last === undefined
    yield { snapshot: isWhole ? snapshot : sliceSnapshot(snapshot, from, to), known }
    // The other outcomes say nothing about files.
    if (last === undefined || (outcome !== 'read' && outcome !== 'missing')) return
    from = to
    after = last
    await yieldToOthers()
  }
}

/** Returns the index of the first name after `last`, at or after the index `from`. */
function firstAfter(names: readonly string[], last: string, from: number): number {
  let index = from
  for (let name = names[index]; name !== undefined && name <= last; name = names[index]) index++
  return index
}

const fileLists = ['added', 'modified', 'attributes', 'rehash', 'removed'] as const

/** Number of files of a change. */
export function filesOf(change: DirectoryChange): number {
  return fileLists.reduce((sum, list) => sum + change[list].length, 0)
}

/** Returns a change whose lists of files are made by a function. */
function withFiles(
  change: DirectoryChange,
  filesIn: (list: (typeof fileLists)[number]) => readonly unknown[],
): DirectoryChange {
  return { ...change, ...Object.fromEntries(fileLists.map((list) => [list, filesIn(list)])) }
}

/** Joins the changes of the parts of one directory. */
function join(changes: readonly DirectoryChange[]): DirectoryChange | undefined {
  const [first] = changes
  if (first === undefined || changes.length === 1) return first
  return withFiles(first, (list) => changes.flatMap<unknown>((change) => change[list]))
}

/**
 * Splits a change into parts for transactions of their own; the last part completes it (see
 * `DirectoryChange.more`).
 */
export function splitChange(change: DirectoryChange): DirectoryChange[] {
  const count = Math.max(1, Math.ceil(filesOf(change) / filesPerPart))
  if (count === 1) return [change]
  return Array.from({ length: count }, (_, index) => {
    const part = withFiles(change, (list) => {
      const { length } = change[list]
      const [from, to] = [index, index + 1].map((at) => Math.floor((length * at) / count))
      return change[list].slice(from, to)
    })
    return { ...part, more: index < count - 1 }
  })
}
