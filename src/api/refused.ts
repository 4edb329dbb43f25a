import type { FastifyReply, FastifyRequest } from 'fastify'
import { compressedVary } from './compression.ts'
import { sendHtml } from './context.ts'
import { answerError, BadFields } from './errors.ts'
import { namedFormat, preferredRepresentation } from './negotiate.ts'
import { renderRefused } from './pages/refused.ts'
import { rawQuery } from './resource.ts'

/** Answers an error: refused parameters with a page where a page was asked for, all else as JSON. */
export function answerByAccept(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const asksForPage =
    request.method !== 'POST' &&
    namedFormat(request) === undefined &&
    preferredRepresentation(request.headers.accept) === 'html'
  if (!(error instanceof BadFields) || !asksForPage) {
    answerError(error, request, reply)
    return
  }
  const query = rawQuery(request.raw.url ?? '').slice(1)
  reply.header('vary', compressedVary)
  sendHtml(reply.code(error.statusCode), renderRefused(error.fields, query))
}
