/** Finds what a request target below `data/` names. Pure. */
import { parseDirectory } from '../../parse/archive-path.ts'

/**
 * Name of the virtual file in the URL of each directory. A real file of this name is not served.
 */
export const checksumsName = 'SHA256SUMS'

/**
 * What a target names: the listing or the checksums of a directory, or an entry of a directory. The
 * catalogue knows if the entry is a file or a directory. Paths are below the archive root, which is
 * empty itself.
 */
export type DataTarget =
  | { readonly kind: 'listing'; readonly directory: string }
  | { readonly kind: 'checksums'; readonly directory: string }
  | { readonly kind: 'entry'; readonly directory: string; readonly name: string }

/**
 * Names of entries that a target may contain. They need no escaping, and never start with a dot, so
 * hidden files and `..` are excluded.
 */
const entryName = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,254}$/

/**
 * Maximum length of a path below `data/`. Eight directory names of 64 characters and a file name
 * need less.
 */
const maxPathLength = 1024

/**
 * Parses a request target. Decodes nothing, unlike the router, so a target with `%` names nothing.
 * @param target as `normaliseTarget` returns it, with or without a query
 * @returns `undefined` if the target can name no file and no directory
 */
export function parseDataTarget(target: string, datasetPrefix: string): DataTarget | undefined {
  const root = `/${datasetPrefix}/data/`
  const [whole = ''] = target.split('?', 1)
  if (whole.length > root.length + maxPathLength || !whole.startsWith(root)) return undefined
  const path = whole.slice(root.length)
  if (path === '') return { kind: 'listing', directory: '' }
  const slash = path.lastIndexOf('/')
  const directory = path.slice(0, Math.max(slash, 0))
  const name = path.slice(slash + 1)
  // In the root there are only the areas, whose names are directories by themselves.
  if (parseDirectory(slash === -1 ? name : directory).kind === 'rejected') return undefined
  if (name === '') return { kind: 'listing', directory }
  if (name === checksumsName) return { kind: 'checksums', directory }
  return entryName.test(name) ? { kind: 'entry', directory, name } : undefined
}
