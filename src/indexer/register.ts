/** The request `register` on the control socket. */
import type { RegisterAnswer } from '../control-socket/protocol.ts'
import type { ReconcileLoop } from './reconcile-loop.ts'
import type { IndexerContext } from './state/context.ts'
import { isMissing } from './state/known-directories.ts'

/** Reads a file which a client announces, because a network file system sends no events for it. */
export async function register(
  path: string,
  context: Pick<IndexerContext, 'writer' | 'layout' | 'known' | 'settling'>,
  reconcileLoop: Pick<ReconcileLoop, 'readNow'>,
): Promise<RegisterAnswer> {
  const { writer, layout, settling } = context
  const slash = path.lastIndexOf('/')
  const directory = path.slice(0, Math.max(0, slash))
  const name = path.slice(slash + 1)
  for (const parsed of [layout.parseDirectory(directory), layout.parseFilename(name)])
    if (parsed.kind === 'rejected') return { outcome: 'refused', reason: parsed.reason }
  if (layout.isExcluded(path, false)) return { outcome: 'refused', reason: 'excluded' }
  // A name comes after the same name without its last character.
  const range = { after: name.slice(0, -1), through: name }
  const before = (await writer.directory(directory, range))?.files.get(name)
  const { snapshot, written } = await reconcileLoop.readNow(directory)
  const isThere = snapshot.names.includes(name) || snapshot.away.includes(name)
  if (snapshot.outcome === 'read' ? !isThere : isMissing(snapshot, context))
    return { outcome: 'refused', reason: 'not-in-the-tree' }
  if (settling.namesIn(directory).includes(name))
    return { outcome: 'refused', reason: 'still-being-written' }
  const after = (await writer.directory(directory, range))?.files.get(name)
  if (snapshot.outcome !== 'read' || !written || after === undefined) return { outcome: 'unsure' }
  return { outcome: before === undefined ? 'created' : 'known', id: after.id }
}
