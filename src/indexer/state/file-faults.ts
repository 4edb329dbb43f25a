/** Logs the files whose contents have no end, are damaged or disguised, each once. */
import type { Logger } from 'pino'

/** The fault in the content of a file. */
type FileFault = 'incomplete' | 'broken' | 'disguised'

/**
 * Maximum number of files whose logged faults are stored, because a damaged disk may have any
 * number of them.
 */
const mostFiles = 10_000

const messages: Readonly<Record<FileFault, string>> = {
  incomplete: 'content of a file has no end',
  broken: 'content of a file is damaged',
  disguised: 'content of a file is compressed in another way than its name says',
}

/** Logs the faults of files. */
export class FileFaults {
  readonly #logger: Logger
  readonly #logged = new Map<string, FileFault>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /**
   * Logs a fault of a file. If the file is read again, the same fault is not logged again, unless
   * `mostFiles` later faults have displaced it.
   */
  log(path: string, fault: FileFault): void {
    if (this.#logged.get(path) === fault) return
    this.#logged.set(path, fault)
    const [oldest] = this.#logged.keys()
    if (this.#logged.size > mostFiles && oldest !== undefined) this.#logged.delete(oldest)
    this.#logger.warn({ path }, messages[fault])
  }
}
