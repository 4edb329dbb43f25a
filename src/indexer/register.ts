import type { CatalogueWriter } from '../catalogue/catalogue.ts'
import type { RegisterAnswer } from '../control/protocol.ts'
import { parseDirectory } from '../parse/archive-path.ts'
import { parseFilename } from '../parse/filename.ts'
import type { DirtyDirectories } from './dirty-directories.ts'
import type { Settling } from './settle.ts'
import type { Work } from './work.ts'

export interface RegisterDeps {
  readonly writer: CatalogueWriter
  readonly dirty: DirtyDirectories
  readonly settling: Settling
  readonly work: Work
}

/** Looks at one file now, because somebody says that it is there: on a network file system no event tells. */
export function openRegister(deps: RegisterDeps) {
  const { writer, dirty, settling, work } = deps
  return async (path: string): Promise<RegisterAnswer> => {
    const slash = path.lastIndexOf('/')
    const directory = path.slice(0, Math.max(0, slash))
    const name = path.slice(slash + 1)
    const place = parseDirectory(directory)
    if (place.kind === 'rejected') return { outcome: 'refused', reason: place.reason }
    const parsed = parseFilename(name)
    if (parsed.kind === 'rejected') return { outcome: 'refused', reason: parsed.reason }
    const before = (await writer.directory(directory))?.files.get(name)
    dirty.add({ path: directory, detail: 'facts', arrived: true }, performance.now())
    await work.caughtUp()
    const after = (await writer.directory(directory))?.files.get(name)
    if (after !== undefined)
      return { outcome: before === undefined ? 'created' : 'known', id: after.id }
    const waited = settling.within(directory).includes(name)
    return { outcome: 'refused', reason: waited ? 'still-being-written' : 'not-in-the-tree' }
  }
}
