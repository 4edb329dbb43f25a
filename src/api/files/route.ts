/** The route of the list of files. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { openAuthentication } from '../admin/authentication.ts'
import { sendChunks } from '../http/context.ts'
import type { ApiContext } from '../http/context.ts'
import { linkUnlessTooLong, pageUrl } from '../http/links.ts'
import { negotiate } from '../http/negotiate.ts'
import type { Query } from '../http/query.ts'
import { addResource } from '../http/resource.ts'
import { Semaphore } from '../http/semaphore.ts'
import { createList } from './list.ts'
import { filesView } from './page.ts'
import { registerFile } from './register.ts'
import * as schemas from './schema.ts'
import { lineFormats, listLines, parseStreamRequest } from './stream.ts'

/**
 * Maximum number of streams at the same time, because each chunk of a stream delays all other
 * requests.
 */
const maxStreams = 50

type LineName = keyof typeof lineFormats

const formats = ['json', 'html', 'ndjson', 'csv', 'urls'] as const

export function addRinexFile(app: FastifyInstance, context: ApiContext): void {
  const list = createList(context)
  const stream = createStream(context)
  addResource(app, {
    path: `${context.apiPath}rinex-file/`,
    get: (request, reply) => {
      const format = negotiate(formats, request, reply)
      return format === 'json' || format === 'html'
        ? list(format, request, reply)
        : stream(format, request, reply)
    },
    schema: schemas.listFiles(context.settings.maxLimit),
    config: { faultForm: filesView },
    post: {
      schema: schemas.registerFile,
      authenticate: openAuthentication(context.administration),
      handler: registerFile(context),
    },
    formats,
  })
}

/** Streams the whole list. */
function createStream({ reader, links, limits }: ApiContext) {
  const streams = new Semaphore({
    permits: maxStreams,
    full: 'Too many clients are reading the whole list.',
  })
  return async (name: LineName, request: FastifyRequest, reply: FastifyReply) => {
    const format = lineFormats[name]
    const { followed, ...streamRequest } = parseStreamRequest(request.query as Query)
    const requester = request.method === 'HEAD' ? undefined : limits.stream(request, reply)
    if (requester !== undefined) streams.holdFor(reply)
    // The head is read before the first line, so that the change feed after it has all changes made
    // during the stream.
    const { epoch, seq } = await reader.head()
    const feed = pageUrl(links(), 'changes', [
      ...followed,
      ['epoch', epoch],
      ['since', String(seq)],
    ])
    const headers = {
      'content-type': format.mediaType,
      'catalogue-seq': String(seq),
      ...linkUnlessTooLong(`<${feed}>; rel="monitor"`),
    }
    if (requester === undefined) return reply.headers(headers).send()
    const lines = listLines({ ...streamRequest, reader, links: links(), epoch, requester }, format)
    return sendChunks(reply, headers, lines)
  }
}
