/**
 * The request header `Catalogue-Seq`: the client has seen this number, perhaps from another host
 * that is ahead of this one, and wants no older state.
 */
import type { FastifyRequest } from 'fastify'
import type { CatalogueReader } from '../../catalogue/reader.ts'
import { HttpError, tryAgain } from './errors.ts'

/** Longest time for which a request waits until the catalogue has the number (ms). */
const longestMs = 1000

/** @throws HttpError 400 for a header that is no number, 503 if the catalogue stays behind */
export async function untilLeastSeq(
  { headers, signal }: Pick<FastifyRequest, 'headers' | 'signal'>,
  reader: Pick<CatalogueReader, 'head' | 'untilWritten'>,
): Promise<void> {
  const wanted = headers['catalogue-seq']
  if (wanted === undefined) return
  if (typeof wanted !== 'string' || !/^\d{1,15}$/.test(wanted))
    throw new HttpError(400, 'The header Catalogue-Seq must be a whole number.')
  const endMs = performance.now() + longestMs
  while ((await reader.head()).seq < Number(wanted)) {
    if (performance.now() >= endMs || signal.aborted)
      throw tryAgain(`This host has not seen the change ${wanted} yet.`)
    await reader.untilWritten()
  }
}
