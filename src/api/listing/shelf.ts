/** Finished listings, kept and shared while their directory is what it was. */
import { openByteShelf } from '../byte-shelf.ts'
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
  const kept = openByteShelf<Kept>(mostBytes)
  const underWay = new Map<string, Promise<Buffer>>()
  const turns = openTurns(atATime)
  return {
    async get(key, version, make) {
      const known = kept.get(key)
      if (known?.version === version) return known.body
      const name = `${version} ${key}`
      let making = underWay.get(name)
      if (making === undefined) {
        making = turns.take(make).finally(() => underWay.delete(name))
        underWay.set(name, making)
      }
      const body = await making
      if (body.length <= mostBytesOfOne) kept.put(key, { version, body })
      return body
    },
  }
}
