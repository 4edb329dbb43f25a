/** Finished listings, kept and shared while their directory is what it was. */
import { LRUCache } from 'lru-cache'
import { Semaphore } from '../http/semaphore.ts'

/** Bytes of all that are kept. */
const mostBytes = 16 * 1024 * 1024
/** Larger ones, of some 50,000 files, would evict all others. */
const mostBytesOfOne = mostBytes / 2
/** Listings that are being made at a time: each takes memory until it is whole. */
const atATime = 4

export interface ListingCache {
  /** @param version of what it lists: the same key in another version is made anew */
  get(key: string, version: string, make: () => Promise<Buffer>): Promise<Buffer>
}

interface Kept {
  readonly version: string
  readonly body: Buffer
}

export function openListingCache(): ListingCache {
  const kept = new LRUCache<string, Kept>({
    maxSize: mostBytes,
    maxEntrySize: mostBytesOfOne,
    sizeCalculation: ({ body }, key) => body.length + key.length,
  })
  const inFlight = new Map<string, Promise<Buffer>>()
  const semaphore = new Semaphore({ permits: atATime })
  return {
    async get(key, version, make) {
      const known = kept.get(key)
      if (known?.version === version) return known.body
      const name = `${version} ${key}`
      let making = inFlight.get(name)
      if (making === undefined) {
        making = semaphore.run(make).finally(() => inFlight.delete(name))
        inFlight.set(name, making)
      }
      const body = await making
      kept.set(key, { version, body })
      return body
    },
  }
}
