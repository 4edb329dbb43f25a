/** What is not there: where the tree can tell for sure, and the catalogue knows nothing of it either. */
import type { KnownDirectories } from './known-directories.ts'
import type { DirectorySnapshot } from './tree/directory-snapshot.ts'
import type { TreeReader } from './tree/tree-reader.ts'

/** Whether a look says for sure that there is no such directory. */
export function isMissing({ path, outcome }: DirectorySnapshot, known: KnownDirectories): boolean {
  const [area = ''] = path.split('/', 1)
  // An area that never held anything is not lost.
  return outcome === 'missing' || (outcome === 'lost-area' && !known.has(area))
}

/** Whether there is nothing at or below a path, neither in the archive nor in the catalogue. */
export async function isUnknownPath(
  path: string,
  { tree, known }: { readonly tree: TreeReader; readonly known: KnownDirectories },
): Promise<boolean> {
  // Removals that are held back may be all that is left below directories that are gone.
  if (known.all().some((other) => other === path || other.startsWith(`${path}/`))) return false
  return isMissing(await tree.snapshot({ path, depth: 'names' }), known)
}
