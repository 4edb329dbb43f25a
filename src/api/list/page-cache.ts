import type { Head } from '../../catalogue/catalogue.ts'

/** A finished answer. */
export interface FinishedPage {
  readonly head: Head
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Pages in memory, and the bytes of all of them. */
const most = { pages: 1000, bytes: 8 * 1024 * 1024 }

/**
 * Finished pages of the catalogue's latest state. Any change of the catalogue may be one of any page, of its count at
 * least, so that all of them go with the first.
 */
export interface PageCache {
  get(key: string, head: Head): FinishedPage | undefined
  set(key: string, page: FinishedPage): void
}

export function openPageCache(): PageCache {
  const pages = new Map<string, FinishedPage>()
  let bytes = 0
  let current: Head = { epoch: '', seq: -1 }
  const clear = (): void => {
    pages.clear()
    bytes = 0
  }
  return {
    get(key, head) {
      if (head.seq !== current.seq || head.epoch !== current.epoch) {
        clear()
        current = head
      }
      return pages.get(key)
    },
    set(key, page) {
      if (page.head.seq !== current.seq || page.head.epoch !== current.epoch) return
      if (pages.size >= most.pages || bytes + page.body.length > most.bytes) clear()
      pages.set(key, page)
      bytes += page.body.length + key.length
    },
  }
}
