/** What can be sent again, within so many bytes: those that were asked for longest ago go first. */
export interface ByteShelf<T> {
  has(key: string): boolean
  get(key: string): T | undefined
  /** Keeps it, unless it alone is larger than all there is room for. */
  put(key: string, kept: T): void
  delete(key: string): void
  clear(): void
}

/** What is kept besides a body and its key: headers and the like. */
const besidesBytes = 1024

export function openByteShelf<T extends { readonly body: Buffer }>(
  mostBytes: number,
): ByteShelf<T> {
  // The order of a map is that of insertion.
  const all = new Map<string, T>()
  let bytes = 0
  const sizeOf = (key: string, { body }: T): number => body.length + key.length + besidesBytes
  const remove = (key: string): void => {
    const kept = all.get(key)
    if (kept === undefined) return
    all.delete(key)
    bytes -= sizeOf(key, kept)
  }
  return {
    has: (key) => all.has(key),
    get(key) {
      const kept = all.get(key)
      if (kept === undefined) return undefined
      all.delete(key)
      all.set(key, kept)
      return kept
    },
    put(key, kept) {
      remove(key)
      if (sizeOf(key, kept) > mostBytes) return
      all.set(key, kept)
      bytes += sizeOf(key, kept)
      for (const oldest of all.keys()) {
        if (bytes <= mostBytes) return
        remove(oldest)
      }
    },
    delete: remove,
    clear() {
      all.clear()
      bytes = 0
    },
  }
}
