/** Serves downloads, checksums and listings, of catalogued files and directories only. */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { FileQuery, FoundFile } from '../../catalogue/questions/files.ts'
import type { Layout } from '../../parse/layout.ts'
import { joinPath } from '../../parse/layout.ts'
import { printable } from '../../runtime/readable.ts'
import { createListings } from '../directory-index/listing.ts'
import { listingPaths } from '../directory-index/schema.ts'
import { requestLog } from '../http/access-log.ts'
import { HttpError, notFound, StorageUnavailable, tryAgain } from '../http/errors.ts'
import type { Semaphore } from '../http/limits.ts'
import { addResource, rawQuery } from '../http/resource.ts'
import { Archive, FileChanged, FileUnavailable, NoDescriptor } from './archived-file.ts'
import type { ChecksumList } from './checksum-list.ts'
import { createChecksums, isChecksumList } from './checksum-list.ts'
import { answerOf } from './file-answer.ts'
import { ClientGone, ContentReader } from './file-content.ts'
import { downloadPaths } from './schema.ts'
import { createDiskThreads, diskTimeoutMs, unavailablePart } from './storage-check.ts'
import type { DownloadsContext } from './unserved-files.ts'
import { StorageLog } from './unserved-files.ts'

export function addData(app: FastifyInstance, context: DownloadsContext): void {
  const { reader, settings, dataPath } = context
  const downloads = new Downloads(context)
  const list = createListings(context)
  const sendChecksums = {
    SHA256SUMS: createChecksums(context, 'SHA256SUMS'),
    MD5SUMS: createChecksums(context, 'MD5SUMS'),
  }
  const get = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const target = parseDataTarget(request.raw.url ?? '', settings.datasetPrefix, settings.layout)
    if (target === undefined) throw notFound()
    if (target.kind === 'listing') return list(request, reply, target.directory)
    if (target.kind === 'checksums')
      return sendChecksums[target.name](request, reply, target.directory)
    const record = await reader.file(target)
    if (record !== undefined) return downloads.send(record, request, reply)
    return redirect(request, reply, target)
  }
  /** Redirects to a file with a name in another case, or to a directory with its slash. */
  const redirect = async (
    { raw }: FastifyRequest,
    reply: FastifyReply,
    { directory, name }: FileQuery,
  ): Promise<FastifyReply> => {
    const other = await reader.nameInOtherCase({ directory, name })
    if (other !== undefined) return reply.code(303).header('location', other).send()
    const path = joinPath(directory, name)
    if ((await reader.directory(path)) === undefined) throw notFound()
    return reply
      .code(301)
      .header('location', `${name}/${rawQuery(raw.url ?? '')}`)
      .send()
  }
  // The handler parses the raw target, because the router decodes parameters. The root has a route
  // of its own, so that its path without the slash is redirected.
  addResource(app, { path: dataPath, get })
  const { layout } = settings
  const paths = { ...listingPaths(layout), ...downloadPaths(layout) }
  addResource(app, { path: `${dataPath}*`, get, paths })
}

/**
 * What a target names: the listing or the checksums of a directory, or an entry, which the
 * catalogue knows as a file or a directory. Paths are below the archive root, which is empty.
 */
type DataTarget =
  | { readonly kind: 'listing'; readonly directory: string }
  | { readonly kind: 'checksums'; readonly directory: string; readonly name: ChecksumList }
  | { readonly kind: 'entry'; readonly directory: string; readonly name: string }

/** Names of entries: they need no escaping, and never start with a dot. */
const entryName = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,254}$/

/** Maximum length of a path; twelve directories of 64 characters and a file need less. */
const maxPathLength = 1100

/**
 * Parses a target as `normaliseTarget` returns it. Decodes nothing, so one with `%` names nothing.
 * @returns `undefined` if it can name no file and no directory
 */
export function parseDataTarget(
  target: string,
  datasetPrefix: string,
  layout: Layout,
): DataTarget | undefined {
  const root = `/${datasetPrefix}/data/`
  const [whole = ''] = target.split('?', 1)
  if (whole.length > root.length + maxPathLength || !whole.startsWith(root)) return undefined
  const path = whole.slice(root.length)
  if (path === '') return { kind: 'listing', directory: '' }
  if (path.startsWith('/')) return undefined
  const slash = path.lastIndexOf('/')
  const directory = path.slice(0, Math.max(slash, 0))
  const name = path.slice(slash + 1)
  // Directories above an area are listed, with the areas alone; what is excluded is nowhere.
  const isListed =
    layout.parseDirectory(directory).kind === 'directory' && !layout.isExcluded(path, false)
  if (!isListed && !layout.leadsToArea(name === '' ? directory : path)) return undefined
  if (name === '') return { kind: 'listing', directory }
  if (isChecksumList(name)) return { kind: 'checksums', directory, name }
  return entryName.test(name) ? { kind: 'entry', directory, name } : undefined
}

/** The body of a response: bytes or a stream; `undefined` if the response has only headers. */
type Body = Buffer | Readable | undefined

class Downloads {
  readonly #context: DownloadsContext
  readonly #archive: Archive
  readonly #storageLog: StorageLog
  readonly #threads: Semaphore
  readonly #content: ContentReader

  constructor(context: DownloadsContext) {
    const { settings, logger } = context
    this.#context = context
    this.#archive = new Archive(settings)
    this.#storageLog = new StorageLog(logger, () => performance.now())
    this.#threads = createDiskThreads(() => {
      const message = 'archive storage does not answer: downloads are answered with 503'
      this.#storageLog.note(settings.archive, message)
    })
    this.#content = new ContentReader(this.#threads)
  }

  /** @throws HttpError 404 or 503 if the file cannot be opened, 412, 416; errors of the disk */
  async send(
    record: FoundFile,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    let body: Body
    try {
      body = await this.#prepare(record, request, reply)
    } catch (error) {
      if (error instanceof ClientGone) return reply.hijack()
      throw await this.#failureOf(error, record, request)
    }
    if (body instanceof Readable) logFailure(body, request)
    return reply.send(body)
  }

  /** Sets status and headers, and returns the body. Closes the file, unless a stream will. */
  async #prepare(record: FoundFile, request: FastifyRequest, reply: FastifyReply): Promise<Body> {
    const { settings, unservedFiles, nowUs } = this.#context
    const threads = this.#threads
    const file = await threads.run(() => this.#archive.open(record), diskTimeoutMs)
    let body: Body
    try {
      this.#storageLog.opened(file.path)
      unservedFiles.opened(pathOf(record))
      const version = { record, file, nowMs: nowUs() / 1000 }
      const { status, headers, range } = answerOf(request, version, settings)
      // The body is read before the headers are set. If the read fails, the response can still be
      // 503.
      if (range !== undefined) {
        const part = { file, range, response: reply.raw }
        body = await threads.run(() => this.#content.open(part), diskTimeoutMs)
      }
      reply.code(status).headers(headers)
      return body
    } finally {
      if (!(body instanceof Readable)) await threads.run(() => file.handle.close())
    }
  }

  /** The error with which a request is answered. Notes why the file could not be served. */
  async #failureOf(error: unknown, record: FoundFile, request: FastifyRequest): Promise<unknown> {
    if (error instanceof HttpError) return error
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
    const part = await this.#threads.run(
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

function pathOf({ directory, name }: FoundFile): string {
  return joinPath(directory, name)
}

function temporary(detail: string, cause: Error): HttpError {
  return Object.assign(tryAgain(detail), { cause })
}

/** Logs the failure of a stream; the framework then closes the connection. */
function logFailure(body: Readable, request: FastifyRequest): void {
  body.once('error', (error) => {
    if (!(error instanceof ClientGone))
      requestLog(request).warn({ err: error }, 'download failed before the whole body was sent')
  })
}
