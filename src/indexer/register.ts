import type { CatalogueWriter } from '../catalogue/writer.ts'
import type { RegisterAnswer } from '../control/protocol.ts'
import { parseDirectory } from '../parse/archive-path.ts'
import { parseFilename } from '../parse/filename.ts'
import { isAbsent } from './absent.ts'
import type { KnownDirectories } from './known-directories.ts'
import type { Settling } from './settle.ts'
import type { DirectoryLook } from './tree/look.ts'
import type { Work } from './work.ts'

export interface RegisterDeps {
  readonly writer: CatalogueWriter
  readonly known: KnownDirectories
  readonly settling: Settling
  readonly work: Work
}

/** Looks at one file now, because somebody says that it is there: on a network file system no event tells. */
export function openRegister(deps: RegisterDeps) {
  const { writer, known, settling, work } = deps
  const lacks = (look: DirectoryLook, name: string): boolean =>
    look.outcome === 'read'
      ? !look.names.includes(name) && !look.away.includes(name)
      : isAbsent(look, known)
  return async (path: string): Promise<RegisterAnswer> => {
    const slash = path.lastIndexOf('/')
    const directory = path.slice(0, Math.max(0, slash))
    const name = path.slice(slash + 1)
    const place = parseDirectory(directory)
    if (place.kind === 'rejected') return { outcome: 'refused', reason: place.reason }
    const parsed = parseFilename(name)
    if (parsed.kind === 'rejected') return { outcome: 'refused', reason: parsed.reason }
    const before = (await writer.directory(directory))?.files.get(name)
    const { look, written } = await work.lookNow(directory)
    if (lacks(look, name)) return { outcome: 'refused', reason: 'not-in-the-tree' }
    if (settling.within(directory).includes(name))
      return { outcome: 'refused', reason: 'still-being-written' }
    const after = (await writer.directory(directory))?.files.get(name)
    if (look.outcome !== 'read' || !written || after === undefined) return { outcome: 'unsure' }
    return { outcome: before === undefined ? 'created' : 'known', id: after.id }
  }
}
