/**
 * Answers the announcement of a file: the indexer reads the file now, and the response is its
 * record.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { RouteHandlerMethod } from 'fastify'
import type { FileRecord } from '../../catalogue/records.ts'
import { sendToIndexer, required } from '../admin/authentication.ts'
import { parseRegistration } from '../admin/request-body.ts'
import { send } from '../http/formats.ts'
import type { ApiContext } from '../http/context.ts'
import { BadFields, tryAgain } from '../http/errors.ts'
import { serialiseRecord } from './serialise.ts'

/**
 * Timeout of the connection in milliseconds. The indexer may have to decompress a large file before
 * it answers.
 */
const timeoutMs = 60_000
/**
 * Maximum number of attempts to read the record. The record exists when the indexer answers. But if
 * the database was just replaced, the reader opens the new database a little later.
 */
const maxReads = 10
const readIntervalMs = 100

/** Registers a file with the indexer, and answers with its record. */
export function registerFile(context: ApiContext): RouteHandlerMethod {
  const { administration, links, reader } = context
  const find = async (id: number): Promise<FileRecord> => {
    for (let reads = 0; reads < maxReads; reads++) {
      const record = await reader.record({ id })
      if (record !== undefined) return record
      await pause(readIntervalMs)
    }
    throw tryAgain('The file is registered, but its record cannot be read at this moment.')
  }
  return async (request, reply) => {
    const { field, path } = parseRegistration(request.body, links().data)
    request.raw.socket.setTimeout(timeoutMs)
    const answer = await sendToIndexer(required(administration).register(path))
    if (answer.outcome === 'unsure') throw tryAgain('The file cannot be catalogued at this moment.')
    if (answer.outcome === 'refused') throw new BadFields({ [field]: [messageFor(answer.reason)] })
    const record = serialiseRecord(await find(answer.id), links())
    if (answer.outcome === 'created') reply.code(201).header('location', record.url)
    return send(reply, 'json', record)
  }
}

function messageFor(reason: string): string {
  if (reason === 'still-being-written') return 'The file is still being written.'
  if (reason === 'not-in-the-tree') return 'There is no such file in the archive.'
  return `This is no RINEX file of the archive: ${reason}.`
}
