import { LRUCache } from 'lru-cache'
import { Semaphore } from '../http/semaphore.ts'

const cacheBytes = 16 * 1024 * 1024
/** Larger listings (more than about 50,000 files) are not cached: they would evict all others. */
const maxEntryBytes = cacheBytes / 2
/** Listings that are built concurrently: each takes memory until it is complete. */
const maxConcurrent = 4

/** Caches finished listings by key and version. Concurrent requests for one listing share its building. */
export interface ListingCache {
  /** @param version of the listed state: an entry of another version is built again */
  get(key: string, version: string, build: () => Promise<Buffer>): Promise<Buffer>
}

interface CachedListing {
  readonly version: string
  readonly body: Buffer
}

export function openListingCache(): ListingCache {
  const cache = new LRUCache<string, CachedListing>({
    maxSize: cacheBytes,
    maxEntrySize: maxEntryBytes,
    sizeCalculation: ({ body }, key) => body.length + key.length,
  })
  const inFlight = new Map<string, Promise<Buffer>>()
  const semaphore = new Semaphore({ permits: maxConcurrent })
  return {
    async get(key, version, build) {
      const cached = cache.get(key)
      if (cached?.version === version) return cached.body
      const name = `${version} ${key}`
      let building = inFlight.get(name)
      if (building === undefined) {
        building = semaphore.run(build).finally(() => inFlight.delete(name))
        inFlight.set(name, building)
      }
      const body = await building
      cache.set(key, { version, body })
      return body
    },
  }
}
