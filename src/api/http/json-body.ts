import type { FastifyInstance } from 'fastify'
import type { IncomingHttpHeaders } from 'node:http'
import { HttpError } from './errors.ts'

/** Bodies are JSON or nothing; anything else is refused in DRF's words. */
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

/** A body is UTF-8 as it stands (RFC 8259, 8.1); one that says that it is something else is not guessed at. */
function unsupported(headers: IncomingHttpHeaders): HttpError | undefined {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.trim().toLowerCase() !== 'identity')
    return new HttpError(415, `Unsupported content encoding "${encoding}" in request.`)
  const [, charset] = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '') ?? []
  if (charset !== undefined && !/^utf-?8$/i.test(charset))
    return new HttpError(415, `Unsupported charset "${charset}" in request.`)
  return undefined
}
