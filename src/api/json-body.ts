import type { FastifyInstance } from 'fastify'
import { HttpError } from './errors.ts'

/** Bodies are JSON or nothing; anything else is refused in DRF's words. */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
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
