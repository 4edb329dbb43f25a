/** Answers errors with HTML pages for people. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { NotBuilt } from '../../catalogue/errors.ts'
import type { ApiContext } from '../http/context.ts'
import { BadFields, logError, resetHeaders, sendError } from '../http/errors.ts'
import { compressedVary, preferredFormat, prefersHtml, UnknownFormat } from '../http/formats.ts'
import { relativeUrl } from '../http/http-server.ts'
import { rawQuery } from '../http/resource.ts'
import { send } from '../http/send.ts'
import { renderBadRequest, renderFailure } from './error-page.ts'
import { layOut } from './layout.ts'

/**
 * Answers errors with a page if the client prefers HTML and `format` names no format, or none that
 * there is. Errors of POST and all others are JSON.
 */
export function answerByAccept({ apiPath, dataPath, site }: ApiContext) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const known = logError(error, request)
    reply.header('vary', 'Accept')
    const isForPeople =
      known instanceof UnknownFormat
        ? preferredFormat(['json', 'html'], request.headers.accept) === 'html'
        : prefersHtml(request)
    if (request.method === 'POST' || !isForPeople) {
      sendError(known, request, reply)
      return
    }
    const url = request.raw.url ?? ''
    const [path = ''] = url.split('?', 1)
    const { method, id: requestId } = request
    const place = {
      method,
      path: path.startsWith(apiPath) ? path.slice(apiPath.length) : path,
      dataPath: path.startsWith(dataPath) ? path.slice(dataPath.length) : undefined,
      query: rawQuery(url).slice(1),
      up: relativeUrl(request.originalUrl, apiPath),
      requestId,
    }
    const allowed = String(reply.getHeader('allow') ?? '')
    resetHeaders(reply)
    reply.headers({ ...known.headers, vary: compressedVary })
    const said = site()
    const progress = error instanceof NotBuilt ? said.progress : undefined
    const page =
      known instanceof BadFields
        ? renderBadRequest(known, place)
        : renderFailure(known, { ...place, allowed, progress })
    // A page that says itself how far the first scan is needs no notice of it.
    const facts = progress === undefined ? said : { ...said, progress: undefined }
    send(reply.code(known.statusCode), 'html', layOut(page, facts))
  }
}
