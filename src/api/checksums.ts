/** The checksums of a directory as `sha256sum -c` reads them: a file that is nowhere but here. */
import { setImmediate } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CatalogueReader } from '../catalogue/catalogue.ts'
import { isFresh, sendNotModified } from './context.ts'
import { digest } from './entity-tag.ts'
import { notFound } from './errors.ts'

/** Its name in the URL of each directory, whatever may lie there under it. */
export const checksumsName = 'SHA256SUMS'

export async function sendChecksums(
  directory: string,
  exchange: { request: FastifyRequest; reply: FastifyReply; reader: CatalogueReader },
): Promise<FastifyReply> {
  const { request, reply, reader } = exchange
  const text = await checksumsOf(directory, reader)
  if (text === undefined) throw notFound()
  reply.header('cache-control', 'no-cache')
  if (isFresh(request, reply, `"${digest(text)}"`)) return sendNotModified(reply)
  return reply.header('content-type', 'text/plain; charset=utf-8').send(text)
}

/** `undefined` for a directory that is not in the catalogue. */
async function checksumsOf(
  directory: string,
  reader: CatalogueReader,
): Promise<string | undefined> {
  const lines: string[] = []
  let unhashed = 0
  for (let after: string | undefined = ''; after !== undefined;) {
    // A large directory takes some hundredths of a second: others have their turn in between.
    if (lines.length + unhashed > 0) await setImmediate()
    const chunk = await reader.checksums(directory, after)
    if (chunk === undefined) return undefined
    for (const { name, sha256 } of chunk.files)
      if (sha256 === undefined) unhashed++
      else lines.push(`${Buffer.from(sha256).toString('hex')}  ${name}\n`)
    after = chunk.next
  }
  if (unhashed > 0) lines.unshift(`# ${unhashed} files are not hashed yet\n`)
  return lines.join('')
}
