/** The checksums of a directory as `sha256sum -c` reads them: a file that is nowhere but here. */
import { setImmediate } from 'node:timers/promises'
import type { CatalogueReader } from '../../catalogue/reader.ts'
import { isFresh, sendNotModified } from '../http/context.ts'
import type { ApiContext } from '../http/context.ts'
import { notFound } from '../http/errors.ts'
import type { DirectoryHandler, ListingParts } from '../listings/answer.ts'

/** Its name in the URL of each directory, whatever may lie there under it. */
export const checksumsName = 'SHA256SUMS'

/** Answers with the checksums of a directory of the catalogue. They share memory with listings. */
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
 * It is read in pieces, and what changes meanwhile may be in it or not: its tag is of the state before.
 * @throws HttpError 404 for a directory that is not in the catalogue any more
 */
async function checksumsOf(directory: string, reader: CatalogueReader): Promise<Buffer> {
  const lines: string[] = []
  const problems: string[] = []
  let unhashed = 0
  for (let after: string | undefined = ''; after !== undefined;) {
    // A large directory takes some hundredths of a second: others have their turn in between.
    if (lines.length + unhashed > 0) await setImmediate()
    const chunk = await reader.checksums(directory, after)
    if (chunk === undefined) throw notFound()
    for (const { name, sha256, problem } of chunk.files) {
      if (problem !== undefined) problems.push(`# ${problem}: ${name}\n`)
      if (sha256 === undefined) unhashed++
      else lines.push(`${Buffer.from(sha256).toString('hex')}  ${name}\n`)
    }
    after = chunk.next
  }
  const counted = unhashed > 0 ? [`# ${unhashed} files are not hashed yet\n`] : []
  return Buffer.from([...counted, ...problems, ...lines].join(''))
}
