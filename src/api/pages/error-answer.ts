import type { FastifyReply, FastifyRequest } from 'fastify'
import { compressedVary } from '../http/compression.ts'
import { sendHtml } from '../http/context.ts'
import { answerError, BadFields } from '../http/errors.ts'
import { namedFormat, preferredRepresentation } from '../http/negotiate.ts'
import { renderRefused } from './bad-request.ts'
import { rawQuery } from '../http/resource.ts'

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
