/** Authenticates administrators, and turns errors of the indexer into responses. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { IndexerUnreachable, RequestRejected } from '../../control-socket/protocol.ts'
import { HttpError, tryAgain } from '../http/errors.ts'
import type { Authentication } from '../http/resource.ts'
import type { Administration } from '../http/settings.ts'
import { curl } from '../openapi/openapi.ts'
import { errors } from '../openapi/responses.ts'

/** @throws HttpError 403 if writing is off, 401 without the right token */
export function createAuthentication(administration: Administration | undefined): Authentication {
  return (request) => {
    const { tokenHash } = required(administration)
    const [, token] = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '') ?? []
    if (token === undefined) throw unauthorized('Authentication credentials were not provided.')
    // Digests have the same length, and the time of the comparison reveals nothing about the token.
    if (!timingSafeEqual(hashToken(token), tokenHash)) throw unauthorized('Invalid token.')
  }
}

/** @throws HttpError 403 if writing is off */
export function required(administration: Administration | undefined): Administration {
  if (administration !== undefined) return administration
  throw new HttpError(403, 'Writing is off: no administrator token is configured.')
}

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

function unauthorized(detail: string): HttpError {
  return new HttpError(401, detail, { 'www-authenticate': 'Bearer' })
}

/**
 * Waits for the indexer's answer.
 * @throws HttpError 503 if the indexer does not answer or fails, 400 with its message if it rejects
 * the request
 */
export async function sendToIndexer<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof IndexerUnreachable)
      throw Object.assign(tryAgain('The indexer does not answer at this moment.'), { cause: error })
    if (!(error instanceof RequestRejected)) throw error
    if (!error.failed) throw new HttpError(400, error.message)
    throw Object.assign(tryAgain('The indexer failed to do it, its log says why.'), {
      cause: error,
    })
  }
}

/** Error responses of every request that writes. */
export const writeErrors = errors(
  'BadBody',
  'Unauthorized',
  'Forbidden',
  'TooLarge',
  'UnsupportedMediaType',
  'Unavailable',
)

/** Writes a POST request as a shell command, for the examples. */
export function curlPost(target: string, body: object) {
  const options = "-X POST -H 'Authorization: Bearer TOKEN' -H 'Content-Type: application/json'"
  return curl(target, `${options} -d '${JSON.stringify(body)}'`)
}
