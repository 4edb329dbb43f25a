/** What could not be served: files for the status and the problems, storage for the log. */
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { unservedReasons } from './schema.ts'

export type UnservedReason = (typeof unservedReasons)[number]

/** Maximum number of files in the report; millions may be missing. */
const maxFiles = 1000

export class UnservedFiles {
  readonly #onFile: (reason: UnservedReason) => void
  readonly #nowMs: () => number
  readonly #latest = new LRUCache<string, { reason: UnservedReason; atMs: number }>({
    max: maxFiles,
  })
  #count = 0

  /** @param onFile called for each request of a catalogued file that could not be served */
  constructor(onFile: (reason: UnservedReason) => void, nowMs: () => number) {
    this.#onFile = onFile
    this.#nowMs = nowMs
  }

  /** Number of requests since the start. */
  get count(): number {
    return this.#count
  }

  /** @param path of a catalogued file; other paths must not become public */
  note(path: string, reason: UnservedReason): void {
    this.#count++
    this.#onFile(reason)
    this.#latest.set(path, { reason, atMs: this.#nowMs() })
  }

  /** Removes a file from the report, because it could be opened. */
  opened(path: string): void {
    this.#latest.delete(path)
  }

  /** All files in the report, the latest first; `sinceUs` is the time of the last request. */
  files() {
    return Array.from(this.#latest, ([path, { reason, atMs }]) => ({
      path,
      reason,
      sinceUs: atMs * 1000,
    }))
  }
}

const repeatMs = 3_600_000
const maxPaths = 1000

export class StorageLog {
  readonly #logger: Logger
  readonly #nowMs: () => number
  /** Time of the latest line by path, for few paths: withheld removals may affect thousands. */
  readonly #loggedMs = new LRUCache<string, number>({ max: maxPaths })

  /** @param nowMs a monotonic clock */
  constructor(logger: Logger, nowMs: () => number) {
    this.#logger = logger
    this.#nowMs = nowMs
  }

  /**
   * Logs why downloads get 503, at most once an hour for each path. Only an absolute one can
   * recover (`opened`).
   * @param path absolute, of an unavailable part, or a directory below the archive root
   */
  note(path: string, message: string): void {
    const latest = this.#loggedMs.peek(path)
    if (latest !== undefined && this.#nowMs() - latest < repeatMs) return
    this.#loggedMs.set(path, this.#nowMs())
    this.#logger.warn({ path }, message)
  }

  /** Logs that the paths at or above a file have recovered. @param file absolute path */
  opened(file: string): void {
    for (const path of [...this.#loggedMs.keys()])
      if (file === path || file.startsWith(`${path}/`)) {
        this.#loggedMs.delete(path)
        this.#logger.info({ path }, 'recovered: downloads are served again')
      }
  }
}
