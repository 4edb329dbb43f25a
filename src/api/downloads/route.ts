/** Serves downloads, checksums and listings, of catalogued files and directories only. */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { FileQuery, FoundFile } from '../../catalogue/questions/files.ts'
import type { Layout } from '../../parse/layout.ts'
import { joinPath } from '../../parse/layout.ts'
import { createListings } from '../directory-index/listing.ts'
import { listingPaths } from '../directory-index/schema.ts'
import { requestLog } from '../http/access-log.ts'
import { notFound } from '../http/errors.ts'
import { addResource, rawQuery } from '../http/resource.ts'
import type { OpenFile } from './archived-file.ts'
import type { ChecksumList } from './checksum-list.ts'
import { createChecksums, isChecksumList } from './checksum-list.ts'
import { answerOf } from './file-answer.ts'
import { ClientGone, ContentReader } from './file-content.ts'
import { downloadPaths } from './schema.ts'
import type { DownloadsContext } from './served-files.ts'
import { diskTimeoutMs } from './storage-check.ts'

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
  readonly #content: ContentReader

  constructor(context: DownloadsContext) {
    this.#context = context
    this.#content = new ContentReader(context.servedFiles.threads)
  }

  /** @throws HttpError 404 or 503 if the file cannot be opened, 412, 416; errors of the disk */
  async send(
    record: FoundFile,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { servedFiles } = this.#context
    try {
      const body = await servedFiles.use(record, request, (file) =>
        this.#prepare({ record, file }, request, reply),
      )
      if (body instanceof Readable) logFailure(body, request)
      return await reply.send(body)
    } catch (error) {
      if (error instanceof ClientGone) return reply.hijack()
      throw error
    }
  }

  /** Sets status and headers, and returns the body. */
  async #prepare(
    { record, file }: { readonly record: FoundFile; readonly file: OpenFile },
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Body> {
    const { settings, servedFiles, nowUs } = this.#context
    const version = { record, file, nowMs: nowUs() / 1000 }
    const { status, headers, range } = answerOf(request, version, settings)
    let body: Body
    // The body is read before the headers are set. If the read fails, the response can still be
    // 503.
    if (range !== undefined) {
      const part = { file, range, response: reply.raw }
      body = await servedFiles.threads.run(() => this.#content.open(part), diskTimeoutMs)
    }
    reply.code(status).headers(headers)
    return body
  }
}

/** Logs the failure of a stream; the framework then closes the connection. */
function logFailure(body: Readable, request: FastifyRequest): void {
  body.once('error', (error) => {
    if (!(error instanceof ClientGone))
      requestLog(request).warn({ err: error }, 'download failed before the whole body was sent')
  })
}
