/** What can be sent again, within so many bytes: those that were asked for longest ago go first. */
export interface ByteShelf<T> {
  get(key: string): T | undefined
  /** The same, without counting as a request for it. */
  peek(key: string): T | undefined
  /** Keeps it, unless it alone is larger than all there is room for. */
  put(key: string, kept: T): void
  delete(key: string): void
  /** What goes when a body of so many bytes is put there. */
  leaving(key: string, bodyBytes: number): T[]
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
    peek: (key) => all.get(key),
    leaving(key, bodyBytes) {
      const there = all.get(key)
      const replaced = there === undefined ? 0 : sizeOf(key, there)
      let free = mostBytes - bytes + replaced - sizeWith(key, bodyBytes)
      const leaving: T[] = []
      for (const [other, kept] of all) {
        if (free >= 0) break
        if (other === key) continue
        leaving.push(kept)
        free += sizeOf(other, kept)
      }
      return leaving
    },
  }
}
