/** The directories in the catalogue, as a tree of names: which are known below another is asked at every look. */
export interface KnownDirectories {
  has(path: string): boolean
  add(path: string): void
  delete(path: string): void
  /** Paths of the directories known directly below this one. */
  childrenOf(path: string): string[]
  all(): string[]
  readonly size: number
}

export function openKnownDirectories(paths: readonly string[]): KnownDirectories {
  const known = new Set<string>()
  const children = new Map<string, Set<string>>()
  const directories: KnownDirectories = {
    has: (path) => known.has(path),
    add(path) {
      if (known.has(path)) return
      known.add(path)
      const parent = parentOf(path)
      const siblings = children.get(parent)
      if (siblings === undefined) children.set(parent, new Set([path]))
      else siblings.add(path)
    },
    delete(path) {
      known.delete(path)
      const parent = parentOf(path)
      const siblings = children.get(parent)
      if (siblings?.delete(path) === true && siblings.size === 0) children.delete(parent)
    },
    childrenOf: (path) => [...(children.get(path) ?? [])],
    all: () => [...known],
    get size() {
      return known.size
    },
  }
  for (const path of paths) directories.add(path)
  return directories
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}
