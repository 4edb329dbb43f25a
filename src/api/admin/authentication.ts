/** Writing is for administrators, who show a token. Without a configured one it is off. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { IndexerAway, IndexerRefused } from '../../control/protocol.ts'
import type { Administration } from '../http/settings.ts'
import type { Authentication } from '../http/resource.ts'
import { forbidden, HttpError, tryAgain } from '../http/errors.ts'

/** @throws HttpError 403 while writing is off, 401 for who does not show the token */
export function openAuthentication(administration: Administration | undefined): Authentication {
  return (request) => {
    const { tokenHash } = required(administration)
    const [, token] = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '') ?? []
    if (token === undefined) throw unauthorized('Authentication credentials were not provided.')
    // Digests are of one length and tell nothing of the token, however long the comparison takes.
    if (!timingSafeEqual(hashToken(token), tokenHash)) throw unauthorized('Invalid token.')
  }
}

/** @throws HttpError 403 while writing is off */
export function required(administration: Administration | undefined): Administration {
  if (administration !== undefined) return administration
  throw forbidden('Writing is off: no administrator token is configured.')
}

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

function unauthorized(detail: string): HttpError {
  return new HttpError(401, detail, { 'www-authenticate': 'Bearer' })
}

/**
 * Hands a request on to the indexer.
 * @throws HttpError 503 when it does not answer or fails, 400 with its own words when it refuses what was asked
 */
export async function sendToIndexer<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof IndexerAway)
      throw Object.assign(tryAgain('The indexer does not answer at this moment.'), { cause: error })
    if (!(error instanceof IndexerRefused)) throw error
    if (!error.failed) throw new HttpError(400, error.message)
    throw Object.assign(tryAgain('The indexer failed to do it, its log says why.'), {
      cause: error,
    })
  }
}
