/** The routes of the list of files and of single records. */
import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import { openAuthentication } from '../admin/authentication.ts'
import { registration } from '../admin/schema.ts'
import { compressedVary } from '../http/compression.ts'
import { sendChunks } from '../http/context.ts'
import type { ApiContext } from '../http/context.ts'
import { changesUrl, linkUnlessTooLong } from '../http/links.ts'
import { mediaTypes, namedFormat } from '../http/negotiate.ts'
import type { Query } from '../http/query.ts'
import { addResource } from '../http/resource.ts'
import { Semaphore } from '../http/semaphore.ts'
import { listFiles } from './list.ts'
import type { ListContext } from './list.ts'
import { filesView } from './page.ts'
import { showFile } from './record.ts'
import { registerFile } from './register.ts'
import type { RegisterContext } from './register.ts'
import * as schemas from './schema.ts'
import { lineFormats, listLines, parseStreamRequest } from './stream.ts'

/**
 * Maximum number of streams at the same time, because each chunk of a stream delays all other
 * requests.
 */
const maxStreams = 50

type FilesContext = ListContext & RegisterContext & Pick<ApiContext, 'apiPath'>

export function addRinexFile(app: FastifyInstance, context: FilesContext): void {
  const path = `${context.apiPath}rinex-file/`
  for (const schema of [schemas.fileSchema, schemas.recordSchema, schemas.recordPageSchema])
    app.addSchema(schema)
  app.addSchema(registration)
  addResource(app, {
    path,
    get: streamFiles(context, listFiles(context)),
    schema: schemas.listFiles(context.settings.maxLimit),
    config: { faultForm: filesView },
    post: {
      schema: schemas.registerFile,
      authenticate: openAuthentication(context.administration),
      handler: registerFile(context),
    },
    renders: [
      mediaTypes.json,
      mediaTypes.html,
      ...[...lineFormats.values()].map(({ mediaType }) => mediaType.replace(/;.*/, '')),
    ],
    about: {
      name: 'Rinex File List',
      description: 'The RINEX files of the archive, by default the newest record first.',
    },
  })
  addResource(app, {
    path: `${path}:id(^[0-9]+$)/`,
    get: showFile(context),
    schema: schemas.getFile,
    about: { name: 'Rinex File Instance', description: 'One RINEX file of the archive.' },
  })
}

/** Streams the whole list if the request names a line format; otherwise calls the next handler. */
function streamFiles(
  { reader, links, limits }: FilesContext,
  next: RouteHandlerMethod,
): RouteHandlerMethod {
  const streams = new Semaphore({
    permits: maxStreams,
    full: 'Too many clients are reading the whole list.',
  })
  return async function (request, reply) {
    const format = lineFormats.get(namedFormat(request) ?? '')
    if (format === undefined) return next.call(this, request, reply)
    const { followed, ...streamRequest } = parseStreamRequest(request.query as Query)
    const requester = request.method === 'HEAD' ? undefined : limits.stream(request, reply)
    if (requester !== undefined) streams.holdFor(reply)
    // The head is read before the first line, so that the change feed after it has all changes made
    // during the stream.
    const { epoch, seq } = await reader.head()
    const feed = changesUrl(links(), [...followed, ['epoch', epoch], ['since', String(seq)]])
    const headers = {
      'content-type': format.mediaType,
      vary: compressedVary,
      'catalogue-seq': String(seq),
      ...linkUnlessTooLong(`<${feed}>; rel="monitor"`),
    }
    if (requester === undefined) return reply.headers(headers).send()
    const lines = listLines({ ...streamRequest, reader, links: links(), epoch, requester }, format)
    return sendChunks(reply, headers, lines)
  }
}
