/** What can be sent again, within so many bytes: those that were asked for longest ago go first. */
export interface ByteShelf<T> {
  get(key: string): T | undefined
  /** Keeps it, unless it alone is larger than all there is room for. */
  put(key: string, kept: T): void
  delete(key: string): void
  /** What goes first when something is put there; `undefined` while there is room for a body of so many bytes. */
  firstToGo(key: string, bodyBytes: number): T | undefined
}

/** What is kept besides a body and its key, as measured: headers, and what knows whether they still hold. */
const besidesBytes = 6 * 1024

/** @param mostBytes of all bodies; one that is text has a byte for each character */
export function openByteShelf<T extends { readonly body: { readonly length: number } }>(
  mostBytes: number,
): ByteShelf<T> {
  // The order of a map is that of insertion.
  const all = new Map<string, T>()
  let bytes = 0
  /** Asked for or put last, so that it is where it belongs. */
  let latest: string | undefined
  const sizeWith = (key: string, bodyBytes: number): number => bodyBytes + key.length + besidesBytes
  const sizeOf = (key: string, { body }: T): number => sizeWith(key, body.length)
  const remove = (key: string): void => {
    const kept = all.get(key)
    if (kept === undefined) return
    all.delete(key)
    bytes -= sizeOf(key, kept)
  }
  return {
    get(key) {
      const kept = all.get(key)
      if (kept === undefined || key === latest) return kept
      all.delete(key)
      all.set(key, kept)
      latest = key
      return kept
    },
    put(key, kept) {
      remove(key)
      if (sizeOf(key, kept) > mostBytes) return
      all.set(key, kept)
      latest = key
      bytes += sizeOf(key, kept)
      for (const oldest of all.keys()) {
        if (bytes <= mostBytes) return
        remove(oldest)
      }
    },
    delete: remove,
    firstToGo(key, bodyBytes) {
      if (bytes + sizeWith(key, bodyBytes) <= mostBytes) return undefined
      const [oldest] = all.values()
      return oldest
    },
  }
}
