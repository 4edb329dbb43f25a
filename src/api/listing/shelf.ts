/** Finished listings, kept and shared while their directory is what it was. */
import { openTurns } from '../turns.ts'

/** Bytes of all that are kept. */
const mostBytes = 16 * 1024 * 1024
/** Larger ones, of some 50,000 files, would drive out all others. */
const mostBytesOfOne = mostBytes / 2
/** Listings that are being made at a time: each takes memory until it is whole. */
const atATime = 4

export interface ListingShelf {
  /** @param version of what it lists: the same key in another version is made anew */
  get(key: string, version: string, make: () => Promise<Buffer>): Promise<Buffer>
}

interface Kept {
  readonly version: string
  readonly body: Buffer
}

export function openShelf(): ListingShelf {
  /** The longest unused first. */
  const kept = new Map<string, Kept>()
  const underWay = new Map<string, Promise<Buffer>>()
  const turns = openTurns(atATime)
  let bytes = 0
  const drop = (key: string): void => {
    bytes -= kept.get(key)?.body.length ?? 0
    kept.delete(key)
  }
  const keep = (key: string, listing: Kept): void => {
    drop(key)
    if (listing.body.length > mostBytesOfOne) return
    kept.set(key, listing)
    bytes += listing.body.length
    for (const oldest of kept.keys()) {
      if (bytes <= mostBytes) return
      drop(oldest)
    }
  }
  return {
    async get(key, version, make) {
      const known = kept.get(key)
      if (known?.version === version) {
        kept.delete(key)
        kept.set(key, known)
        return known.body
      }
      const name = `${version} ${key}`
      let making = underWay.get(name)
      if (making === undefined) {
        making = turns.take(make).finally(() => underWay.delete(name))
        underWay.set(name, making)
      }
      const body = await making
      keep(key, { version, body })
      return body
    },
  }
}
