import type { FastifyInstance } from 'fastify'
import type { IncomingHttpHeaders } from 'node:http'
import { HttpError } from './errors.ts'

/** Accepts JSON bodies and empty ones; others are 415 in DRF's words. */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const fault = unsupported(request.headers)
    if (fault !== undefined) {
      done(fault)
      return
    }
    try {
      done(null, body === '' ? undefined : JSON.parse(body.toString()))
    } catch (error) {
      done(new HttpError(400, `JSON parse error - ${(error as Error).message}`))
    }
  })
  app.addContentTypeParser('*', (request, _payload, done) => {
    const type = request.headers['content-type'] ?? ''
    done(new HttpError(415, `Unsupported media type "${type}" in request.`))
  })
}

/** JSON is UTF-8 (RFC 8259, 8.1): another charset or a content encoding is 415. */
function unsupported(headers: IncomingHttpHeaders): HttpError | undefined {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.trim().toLowerCase() !== 'identity')
    return new HttpError(415, `Unsupported content encoding "${encoding}" in request.`)
  const [, charset] = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '') ?? []
  if (charset !== undefined && !/^utf-?8$/i.test(charset))
    return new HttpError(415, `Unsupported charset "${charset}" in request.`)
  return undefined
}
