/** Opens catalogued files for requests, in the threads for the archive, and says why it cannot. */
import type { Stats } from 'node:fs'
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { isSameVersion, toIdentity, youngFileMs } from '../../catalogue/identity.ts'
import type { FoundFile } from '../../catalogue/questions/files.ts'
import { joinPath } from '../../parse/layout.ts'
import { printable } from '../../runtime/readable.ts'
import { requestLog } from '../http/access-log.ts'
import type { ApiContext } from '../http/context.ts'
import { HttpError, notFound, StorageUnavailable, tryAgain } from '../http/errors.ts'
import type { Semaphore } from '../http/limits.ts'
import type { OpenFile } from './archived-file.ts'
import { Archive, FileChanged, FileUnavailable, NoDescriptor } from './archived-file.ts'
import { ClientGone } from './file-content.ts'
import { createDiskThreads, diskTimeoutMs, unavailablePart } from './storage-check.ts'
import type { UnservedFiles } from './unserved-files.ts'
import { StorageLog } from './unserved-files.ts'

type ServedFilesContext = Pick<ApiContext, 'settings' | 'logger' | 'nowUs'> & {
  readonly unservedFiles: UnservedFiles
}

/** What the resources need that serve files, or show those that could not be served. */
export interface DownloadsContext extends ApiContext {
  readonly unservedFiles: UnservedFiles
  readonly servedFiles: ServedFiles
}

export class ServedFiles {
  /** Permits of the threads that may wait for the archive. */
  readonly threads: Semaphore
  readonly #context: ServedFilesContext
  readonly #archive: Archive
  readonly #storageLog: StorageLog

  constructor(context: ServedFilesContext) {
    const { settings, logger } = context
    this.#context = context
    this.#archive = new Archive(settings)
    this.#storageLog = new StorageLog(logger, () => performance.now())
    this.threads = createDiskThreads(() => {
      const message = 'archive storage does not answer: downloads are answered with 503'
      this.#storageLog.note(settings.archive, message)
    })
  }

  /**
   * Opens a file, uses it and closes it, unless the result is a stream, which will.
   * @throws HttpError 404 or 503 if the file cannot be opened or changes; ClientGone; what `use`
   * throws; other errors of the disk
   */
  async use<T>(
    record: FoundFile,
    request: FastifyRequest,
    use: (file: OpenFile) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.#use(record, use)
    } catch (error) {
      throw await this.#failureOf(error, record, request)
    }
  }

  async #use<T>(record: FoundFile, use: (file: OpenFile) => Promise<T>): Promise<T> {
    const { threads } = this
    const file = await threads.run(() => this.#archive.open(record), diskTimeoutMs)
    let result: T | undefined
    try {
      this.#storageLog.opened(file.path)
      this.#context.unservedFiles.opened(pathOf(record))
      if (isUnsettled(record, file.stats, this.#context.nowUs() / 1000))
        throw new FileChanged('the file is young and differs from its record')
      result = await use(file)
      return result
    } finally {
      if (!(result instanceof Readable)) await threads.run(() => file.handle.close())
    }
  }

  /** The error with which a request is answered. Notes why the file could not be served. */
  async #failureOf(error: unknown, record: FoundFile, request: FastifyRequest): Promise<unknown> {
    if (error instanceof HttpError || error instanceof ClientGone) return error
    if (error instanceof FileChanged) return temporary('The file is being written.', error)
    if (error instanceof NoDescriptor)
      return temporary('Too many files are open at this moment.', error)
    if (await this.#isAway(record, error)) return new StorageUnavailable()
    if (!(error instanceof FileUnavailable)) return error
    const { id, directory, name } = record
    const why = printable(error.message)
    requestLog(request).warn({ id, directory, name, why }, 'catalogued file is not served')
    this.#context.unservedFiles.note(pathOf(record), error.reason)
    return notFound()
  }

  /** True if the disk of the file may be away, or its removal is withheld: 503 instead of 404. */
  async #isAway(record: FoundFile, error: unknown): Promise<boolean> {
    const reason = error instanceof FileUnavailable ? error.reason : undefined
    if (reason === 'not-regular' || reason === 'lies-elsewhere') return false
    const part = await this.threads.run(
      () => unavailablePart(this.#context.settings, pathOf(record)),
      diskTimeoutMs,
    )
    if (part !== undefined) {
      const message = 'archive storage is away: downloads below it are answered with 503'
      this.#storageLog.note(part, message)
      return true
    }
    if (!record.isWithheld || reason !== 'not-there') return false
    const message = 'removals are withheld: downloads of missing files are answered with 503'
    this.#storageLog.note(record.directory, message)
    return true
  }
}

/**
 * True if a file may still be written to: it is young, or has a time in the future, and differs
 * from its record.
 */
function isUnsettled(record: FoundFile, stats: Stats, nowMs: number): boolean {
  const ageMs = nowMs - stats.mtimeMs
  return !isSameVersion(record, toIdentity(stats)) && ageMs < youngFileMs
}

function pathOf({ directory, name }: FoundFile): string {
  return joinPath(directory, name)
}

function temporary(detail: string, cause: Error): HttpError {
  return Object.assign(tryAgain(detail), { cause })
}
