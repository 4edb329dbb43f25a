/**
 * Serves downloads, checksum lists and directory listings. Only files and directories of the
 * catalogue are served.
 */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { FileQuery } from '../../catalogue/reader.ts'
import type { FoundFile } from '../../catalogue/records.ts'
import { diskTimeoutMs, openDiskThreads, openStorageLog, unavailablePart } from './storage-check.ts'
import type { StorageLog } from './storage-check.ts'
import { openChecksums } from './checksum-list.ts'
import type { ApiContext } from '../http/context.ts'
import { parseDataTarget } from './data-target.ts'
import { FileChanged, NoDescriptor, FileUnavailable, openArchive } from './archived-file.ts'
import type { Archive, OpenFile } from './archived-file.ts'
import { HttpError, StorageUnavailable, notFound, tryAgain } from '../http/errors.ts'
import {
  contentHeaders,
  contentRange,
  isUnsettled,
  digestHeader,
  validatorHeaders,
  validatorsOf,
} from './file-headers.ts'
import { ClientGone, openContentReader } from './file-content.ts'
import type { ContentReader } from './file-content.ts'
import { offloadHeaders } from './offload.ts'
import { openListings } from '../directory-index/answer.ts'
import type { UnservedFiles } from './unserved-files.ts'
import { printable, requestLog } from '../http/access-log.ts'
import { evaluatePreconditions } from '../http/conditional-requests.ts'
import { addResource, rawQuery } from '../http/resource.ts'
import type { Semaphore } from '../http/semaphore.ts'

export interface DownloadsContext extends ApiContext {
  readonly unservedFiles: UnservedFiles
}

export function addData(app: FastifyInstance, context: DownloadsContext): void {
  const archive = openArchive(context.settings)
  const storageLog = openStorageLog(context.logger, () => performance.now())
  const threads = openDiskThreads(() => {
    const message = 'archive storage does not answer: downloads are answered with 503'
    storageLog.note(context.settings.archive, message)
  })
  const content = openContentReader(threads)
  const list = openListings(context)
  const sendChecksums = openChecksums(context)
  const get = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const target = parseDataTarget(request.raw.url ?? '', context.settings.datasetPrefix)
    if (target === undefined) throw notFound()
    if (target.kind === 'listing') return list(request, reply, target.directory)
    if (target.kind === 'checksums') return sendChecksums(request, reply, target.directory)
    const record = await context.reader.file(target)
    if (record === undefined) return redirect(request, reply, target)
    const file = await openRecord(record, { archive, request, context, storageLog, threads })
    const body = await prepare(file, record, { request, reply, content, context, threads })
    if (body === 'gone') return reply.hijack()
    if (body instanceof Readable) logFailure(body, request)
    return reply.send(body)
  }
  /** Redirects to a file with a name in another case, or to a directory with its slash. */
  const redirect = async (
    { raw }: FastifyRequest,
    reply: FastifyReply,
    { directory, name }: FileQuery,
  ): Promise<FastifyReply> => {
    const other = await context.reader.nameInOtherCase({ directory, name })
    if (other !== undefined) return reply.code(303).header('location', other).send()
    const path = directory === '' ? name : `${directory}/${name}`
    if ((await context.reader.directory(path)) === undefined) throw notFound()
    return reply
      .code(301)
      .header('location', `${name}/${rawQuery(raw.url ?? '')}`)
      .send()
  }
  // The handler parses the raw target, because the router decodes parameters. The root has a route
  // of its own, so that its path without the slash is redirected.
  for (const path of [context.dataPath, `${context.dataPath}*`]) addResource(app, { path, get })
}

/**
 * Logs the failure of a stream. The framework closes the connection, so that the client does not
 * take a part for the whole file.
 */
function logFailure(body: Readable, request: FastifyRequest): void {
  body.once('error', (error) => {
    if (!(error instanceof ClientGone))
      requestLog(request).warn({ err: error }, 'download failed before the whole body was sent')
  })
}

interface Opening {
  readonly archive: Archive
  readonly request: FastifyRequest
  readonly context: DownloadsContext
  readonly storageLog: StorageLog
  readonly threads: Semaphore
}

/**
 * @throws HttpError 404 or 503 if the file cannot be opened; other errors of the disk, which are
 * answered with 500
 */
async function openRecord(record: FoundFile, opening: Opening): Promise<OpenFile> {
  const { archive, threads } = opening
  try {
    const file = await threads.run(() => archive.open(record), diskTimeoutMs)
    opening.storageLog.opened(file.path)
    opening.context.unservedFiles.opened(`${record.directory}/${record.name}`)
    return file
  } catch (error) {
    if (error instanceof FileChanged) throw beingWritten(error)
    if (error instanceof NoDescriptor) throw busy(error)
    if (error instanceof StorageUnavailable) throw error
    await throwIfStorageUnavailable(record, error, opening)
    if (!(error instanceof FileUnavailable)) throw error
    const { id, directory, name } = record
    const why = printable(error.message)
    requestLog(opening.request).warn({ id, directory, name, why }, 'catalogued file is not served')
    opening.context.unservedFiles.note(`${directory}/${name}`, error.reason)
    throw notFound()
  }
}

/**
 * Answers 503 instead of 404 if the disk of the file may be away, or if the deletion guard
 * withholds the removal of the file.
 * @throws StorageUnavailable
 */
async function throwIfStorageUnavailable(
  { directory, name, isWithheld }: FoundFile,
  error: unknown,
  { context, storageLog, threads }: Opening,
): Promise<void> {
  const reason = error instanceof FileUnavailable ? error.reason : undefined
  if (reason === 'not-regular' || reason === 'lies-elsewhere') return
  const unavailable = await threads.run(
    () => unavailablePart(context.settings, `${directory}/${name}`),
    diskTimeoutMs,
  )
  if (unavailable !== undefined)
    storageLog.note(
      unavailable,
      'archive storage is away: downloads below it are answered with 503',
    )
  else if (isWithheld && reason === 'not-there')
    storageLog.note(
      directory,
      'removals are withheld: downloads of missing files are answered with 503',
    )
  else return
  throw new StorageUnavailable()
}

function beingWritten(cause: FileChanged): HttpError {
  return Object.assign(tryAgain('The file is being written.'), { cause })
}

function busy(cause: NoDescriptor): HttpError {
  return Object.assign(tryAgain('Too many files are open at this moment.'), { cause })
}

interface Download {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly content: ContentReader
  readonly context: DownloadsContext
  readonly threads: Semaphore
}

/** The body of a response: bytes or a stream; `undefined` if the response has only headers. */
type Body = Buffer | Readable | undefined

/**
 * Sets the status and headers, and returns the body, or `gone` if the client has left. Closes the
 * file, unless the body is a stream, which closes it.
 */
async function prepare(
  file: OpenFile,
  record: FoundFile,
  download: Download,
): Promise<Body | 'gone'> {
  let body: Body
  try {
    body = await answer(file, record, download)
    return body
  } catch (error) {
    if (error instanceof ClientGone) return 'gone'
    throw error instanceof FileChanged ? beingWritten(error) : error
  } finally {
    if (!(body instanceof Readable)) await download.threads.run(() => file.handle.close())
  }
}

async function answer(file: OpenFile, record: FoundFile, download: Download): Promise<Body> {
  const { stats } = file
  const { request, reply, content, context } = download
  const nowMs = context.nowUs() / 1000
  if (isUnsettled(record, stats, nowMs))
    throw new FileChanged(
      'the file is young and differs from its record, or its record has no size',
    )
  const offload = offloadHeaders(context.settings, { record, file, nowMs })
  if (offload !== undefined) {
    reply.code(200).headers(offload).headers(digestHeader(record, stats))
    return undefined
  }
  const validators = validatorsOf(record, file, nowMs)
  const selection = evaluatePreconditions(
    { method: request.method, headers: request.headers },
    validators,
  )
  if (selection.status === 412) throw new HttpError(412, 'Precondition failed.')
  if (selection.status === 416) throw rangeNotSatisfiable(stats.size)
  const range = selection.status === 206 ? selection.range : { first: 0, last: stats.size - 1 }
  const isBare = selection.status === 304 || request.method === 'HEAD'
  // The body is read before the headers are set. If the read fails, the response can still be 503.
  const body = isBare ? undefined : await content.open({ file, range, response: reply.raw })
  const own = { ...contentHeaders(record.name, range), ...digestHeader(record, stats) }
  reply.code(selection.status).headers(validatorHeaders(validators))
  // A cache replaces its stored headers by those of a 304, so the policy must be in the 304 too
  // (RFC 9111, 3.2).
  const policy = 'content-security-policy'
  reply.headers(selection.status === 304 ? { [policy]: own[policy] } : own)
  if (selection.status === 206) reply.headers(contentRange(range, stats.size))
  return body
}

function rangeNotSatisfiable(size: number): HttpError {
  return new HttpError(416, 'Range not satisfiable.', { 'content-range': `bytes */${size}` })
}
