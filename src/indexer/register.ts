/** Reads a file that a client announces, for the request `register` on the control socket. */
import type { CatalogueWriter } from '../catalogue/writer.ts'
import type { RegisterAnswer } from '../control-socket/protocol.ts'
import { parseDirectory } from '../parse/archive-path.ts'
import { parseFilename } from '../parse/filename.ts'
import { isMissing } from './state/known-directories.ts'
import type { KnownDirectories } from './state/known-directories.ts'
import type { Settling } from './state/settling.ts'
import type { DirectorySnapshot } from './tree/directory-snapshot.ts'
import type { ReconcileLoop } from './reconcile-loop.ts'

export interface RegisterDeps {
  readonly writer: CatalogueWriter
  readonly known: KnownDirectories
  readonly settling: Settling
  readonly reconcileLoop: ReconcileLoop
}

/** Returns a function that reads a file which a client announces, because a network file system sends no events for it. */
export function openRegister(deps: RegisterDeps): (path: string) => Promise<RegisterAnswer> {
  const { writer, known, settling, reconcileLoop } = deps
  const lacks = (snapshot: DirectorySnapshot, name: string): boolean =>
    snapshot.outcome === 'read'
      ? !snapshot.names.includes(name) && !snapshot.away.includes(name)
      : isMissing(snapshot, known)
  return async (path) => {
    const slash = path.lastIndexOf('/')
    const directory = path.slice(0, Math.max(0, slash))
    const name = path.slice(slash + 1)
    const parsedDirectory = parseDirectory(directory)
    if (parsedDirectory.kind === 'rejected')
      return { outcome: 'refused', reason: parsedDirectory.reason }
    const parsed = parseFilename(name)
    if (parsed.kind === 'rejected') return { outcome: 'refused', reason: parsed.reason }
    // A name comes after the same name without its last character.
    const range = { after: name.slice(0, -1), through: name }
    const before = (await writer.directory(directory, range))?.files.get(name)
    const { snapshot, written } = await reconcileLoop.readNow(directory)
    if (lacks(snapshot, name)) return { outcome: 'refused', reason: 'not-in-the-tree' }
    if (settling.namesIn(directory).includes(name))
      return { outcome: 'refused', reason: 'still-being-written' }
    const after = (await writer.directory(directory, range))?.files.get(name)
    if (snapshot.outcome !== 'read' || !written || after === undefined) return { outcome: 'unsure' }
    return { outcome: before === undefined ? 'created' : 'known', id: after.id }
  }
}
