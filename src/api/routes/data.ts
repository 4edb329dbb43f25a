/** Downloads and listings: what is in the catalogue and nothing else (contract 6). */
import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { FoundFile } from '../../catalogue/catalogue.ts'
import type { ByteRange } from '../byte-range.ts'
import { checksumsName, openChecksums } from '../checksums.ts'
import type { ApiContext } from '../context.ts'
import { parseDataTarget, parseDirectoryTarget } from '../data-target.ts'
import type { DirectoryTarget } from '../data-target.ts'
import { FileChanged, NoDescriptor, NotServed, openArchive } from '../download.ts'
import type { Archive, ArchivedFile } from '../download.ts'
import { HttpError, notFound, tryAgain } from '../errors.ts'
import { contentHeaders, contentRange, isUnsettled } from '../file-version.ts'
import { digestHeader, validatorHeaders, validatorsOf } from '../file-version.ts'
import { handOverHeaders } from '../hand-over.ts'
import type { FileAnswer } from '../hot-files.ts'
import { openListings } from '../listing/answer.ts'
import { openRoom } from '../listing/room.ts'
import { openShelf } from '../listing/shelf.ts'
import { printable } from '../log-text.ts'
import { ClientGone, openPieceReader } from '../pieces.ts'
import type { PieceReader, Pieces } from '../pieces.ts'
import { select } from '../preconditions.ts'
import { addResource, rawQuery } from '../resource.ts'
import { requestLog } from '../request-log.ts'
import { sendPieces } from '../send-pieces.ts'

export function addData(app: FastifyInstance, context: ApiContext): void {
  const archive = openArchive(context.settings)
  const pieces = openPieceReader()
  const sharing = { shelf: openShelf(), room: openRoom() }
  const list = openListings(context, sharing)
  const sendChecksums = openChecksums(context, sharing)
  const get = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const target = request.raw.url ?? ''
    const place = parseDataTarget(target, context.settings.datasetPrefix)
    if (place?.name === checksumsName) return sendChecksums(request, reply, place.directory)
    const listed = parseDirectoryTarget(target, context.settings.datasetPrefix)
    if (listed?.hasSlash === true) return list(request, reply, listed.directory)
    const record = place && (await context.reader.file(place.directory, place.name))
    if (record === undefined) return redirect(reply, target, await knownDirectory(listed, context))
    const file = await openRecord(record, { archive, request, unserved: context.unserved })
    const body = await prepare(file, record, { request, reply, pieces, context })
    if (body === 'gone') return reply.hijack()
    return isPieces(body) ? sendInPieces(body, { file, request, reply }) : reply.send(body)
  }
  // The router decodes what it compares, so the target itself is read here. The path of the root is a route of its own,
  // so that the same path without its slash is redirected.
  for (const path of [context.dataPath, `${context.dataPath}*`]) addResource(app, { path, get })
}

async function knownDirectory(
  listed: DirectoryTarget | undefined,
  { reader }: ApiContext,
): Promise<string> {
  if (listed === undefined || (await reader.directory(listed.directory)) === undefined)
    throw notFound()
  return listed.directory
}

/** Sends who forgot the slash of a directory to the path with it: to the last part of what was asked for, so nowhere else. */
function redirect(reply: FastifyReply, target: string, directory: string): FastifyReply {
  const last = directory.slice(directory.lastIndexOf('/') + 1)
  return reply
    .code(301)
    .header('location', `${last}/${rawQuery(target)}`)
    .send()
}

async function openRecord(
  record: FoundFile,
  {
    archive,
    request,
    unserved,
  }: Pick<Exchange, 'request'> & Pick<ApiContext, 'unserved'> & { readonly archive: Archive },
): Promise<ArchivedFile> {
  try {
    return await archive.open(record)
  } catch (error) {
    if (error instanceof FileChanged) throw beingWritten(error)
    if (error instanceof NoDescriptor) throw busy(error)
    if (!(error instanceof NotServed)) throw error
    const { id, directory, name } = record
    const why = printable(error.message)
    requestLog(request).warn({ id, directory, name, why }, 'catalogued file is not served')
    unserved.note(`${directory}/${name}`, error.reason)
    throw notFound()
  }
}

function beingWritten(cause: FileChanged): HttpError {
  return Object.assign(tryAgain('The file is being written.'), { cause })
}

function busy(cause: NoDescriptor): HttpError {
  return Object.assign(tryAgain('Too many files are open at this moment.'), { cause })
}

interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly pieces: PieceReader
  readonly context: ApiContext
}

/** What is sent of a file: all of it, to be kept; or pieces; nothing where headers say it all. */
type Body = Buffer | Pieces | undefined

function isPieces(body: Body | 'gone'): body is Pieces {
  return typeof body === 'object' && !Buffer.isBuffer(body)
}

/** Sets status and headers and gives the body. Closes the file, unless there are pieces to be read. */
async function prepare(
  file: ArchivedFile,
  record: FoundFile,
  exchange: Exchange,
): Promise<Body | 'gone'> {
  let body: Body
  try {
    body = await answer(file, record, exchange)
    return body
  } catch (error) {
    if (error instanceof ClientGone) return 'gone'
    throw error instanceof FileChanged ? beingWritten(error) : error
  } finally {
    if (!isPieces(body)) file.close()
  }
}

async function answer(file: ArchivedFile, record: FoundFile, exchange: Exchange): Promise<Body> {
  const { stats } = file
  const { request, reply, context } = exchange
  const nowMs = Date.now()
  if (isUnsettled(record, stats, nowMs)) throw new FileChanged('young, and not as catalogued')
  const handedOver = handOverHeaders(context.settings, record, file)
  if (handedOver !== undefined) {
    reply.code(200).headers(handedOver).headers(digestHeader(record, stats))
    return undefined
  }
  const validators = validatorsOf(record, stats, nowMs)
  const selection = select({ method: request.method, headers: request.headers }, validators)
  if (selection.status === 412) throw new HttpError(412, 'Precondition failed.')
  if (selection.status === 416) throw rangeNotSatisfiable(stats.size)
  const range = selection.status === 206 ? selection.range : { first: 0, last: stats.size - 1 }
  const isBare = selection.status === 304 || request.method === 'HEAD'
  // Read before a header promises it: a file that fails here can still be answered with 503.
  const body = isBare ? undefined : await openBody(file, { record, range }, exchange)
  const own = { ...contentHeaders(record.name, range), ...digestHeader(record, stats) }
  reply.code(selection.status).headers(validatorHeaders(validators))
  // What a client has takes over the headers of a 304, this one among them (RFC 9111, 3.2).
  const policy = 'content-security-policy'
  reply.headers(selection.status === 304 ? { [policy]: own[policy] } : own)
  if (selection.status === 206) reply.headers(contentRange(range, stats.size))
  if (!isPieces(body)) context.hotFiles.keep(answerOf(exchange, own), { record, stats, body })
  return body
}

/** What a GET of the whole file is answered with. @param own headers of it that the reply need not have */
function answerOf({ request, reply }: Exchange, own: Record<string, string>): FileAnswer {
  const headers = { ...(reply.getHeaders() as Record<string, string>), ...own }
  return { request: request.raw, route: request.routeOptions.url ?? '', headers }
}

async function openBody(
  file: ArchivedFile,
  { record, range }: { readonly record: FoundFile; readonly range: ByteRange },
  { pieces, request, reply, context }: Exchange,
): Promise<Body> {
  const { stats } = file
  const isKept = context.hotFiles.wants(request.raw, { record, stats })
  const wanted = { file, range, isAwaited: () => !reply.raw.destroyed }
  return isKept ? pieces.read(wanted, range.first) : pieces.all(wanted)
}

/** Past the framework, which would need memory of its own for every piece. */
async function sendInPieces(
  pieces: Pieces,
  { file, request, reply }: Pick<Exchange, 'request' | 'reply'> & { readonly file: ArchivedFile },
): Promise<FastifyReply> {
  reply.hijack()
  try {
    reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders)
    await sendPieces(reply.raw, pieces)
  } catch (error) {
    reply.raw.destroy()
    if (!(error instanceof ClientGone))
      requestLog(request).warn({ err: error }, 'download ended before its end')
  } finally {
    file.close()
  }
  return reply
}

function rangeNotSatisfiable(size: number): HttpError {
  return new HttpError(416, 'Range not satisfiable.', { 'content-range': `bytes */${size}` })
}
