/** The checksums of a directory in the format of `sha256sum -c`: a virtual file, which is not on disk. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { CatalogueReader } from '../../catalogue/reader.ts'
import { isFresh, sendNotModified } from '../http/context.ts'
import type { ApiContext } from '../http/context.ts'
import { notFound } from '../http/errors.ts'
import type { DirectoryHandler, ListingParts } from '../listings/answer.ts'

/** Its name in the URL of each directory. A real file of this name is not served. */
export const checksumsName = 'SHA256SUMS'

/** Answers with the checksums of a directory. Shares cache and byte quota with the listings. */
export function openChecksums(
  { reader, tag }: Pick<ApiContext, 'reader' | 'tag'>,
  { cache, byteQuota }: ListingParts,
): DirectoryHandler {
  return async (request, reply, directory) => {
    const version = await reader.checksumsVersion(directory)
    if (version === undefined) throw notFound()
    reply.header('cache-control', 'no-cache')
    if (isFresh(request, reply, tag(version, 'text'))) return sendNotModified(reply)
    const body = await cache.get(`${checksumsName} ${directory}`, version, () =>
      checksumsOf(directory, reader),
    )
    if (request.method !== 'HEAD') byteQuota.acquire(reply, body)
    return reply.header('content-type', 'text/plain; charset=utf-8').send(body)
  }
}

/**
 * Reads in chunks, so a change in between may or may not be in the list: its ETag must be of the state before.
 * @throws HttpError 404 for a directory that was removed from the catalogue meanwhile
 */
async function checksumsOf(directory: string, reader: CatalogueReader): Promise<Buffer> {
  const lines: string[] = []
  const problems: string[] = []
  let unhashed = 0
  for (let after: string | undefined = ''; after !== undefined;) {
    // A large directory takes some hundredths of a second.
    if (lines.length + unhashed > 0) await yieldToEventLoop()
    const chunk = await reader.checksums(directory, after)
    if (chunk === undefined) throw notFound()
    for (const { name, sha256, problem } of chunk.files) {
      if (problem !== undefined) problems.push(`# ${problem}: ${name}\n`)
      if (sha256 === undefined) unhashed++
      else lines.push(`${Buffer.from(sha256).toString('hex')}  ${name}\n`)
    }
    after = chunk.next
  }
  const unhashedLine = unhashed > 0 ? [`# ${unhashed} files are not hashed yet\n`] : []
  return Buffer.from([...unhashedLine, ...problems, ...lines].join(''))
}
