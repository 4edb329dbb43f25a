/** The announcement of a file: the indexer reads it now, and the response is its record. */
import { setTimeout as pause } from 'node:timers/promises'
import type { RouteHandlerMethod } from 'fastify'
import type { FileRecord } from '../../catalogue/records.ts'
import {
  createAuthentication,
  curlPost,
  required,
  sendToIndexer,
  writeErrors,
} from '../admin/authentication.ts'
import { parseRegistration } from '../admin/request-body.ts'
import type { ApiContext } from '../http/context.ts'
import { BadFields, tryAgain } from '../http/errors.ts'
import type { Resource } from '../http/resource.ts'
import { sendJson } from '../http/send.ts'
import { inOther } from '../openapi/area-words.ts'
import type { RouteSchema } from '../openapi/openapi.ts'
import { exampleLinks } from '../openapi/openapi.ts'
import { json, withHeaders } from '../openapi/responses.ts'
import * as schema from '../openapi/schema.ts'
import { recordSchema } from './schema.ts'
import { serialiseRecord } from './serialise.ts'

/** Timeout in milliseconds: the indexer may have to decompress a large file first. */
const timeoutMs = 60_000
/** Attempts to read the record: the reader opens a database that was just replaced later. */
const maxReads = 10
const readIntervalMs = 100

const registrationExample = {
  path: `${inOther}2026/022/05/GRAZ00AUT_S_20260220500_01H_30S_MO.crx.gz`,
}

const registration = schema.component(
  'Registration',
  'A file to be read now, given by its path or by its download URL.',
  {},
  {
    path: schema.text('The path of the file below the archive root.', registrationExample.path, {
      minLength: 1,
      maxLength: 1024,
    }),
    download_path: schema.url('The download URL of the file.'),
  },
  { additionalProperties: false, minProperties: 1, examples: [registrationExample] },
)

const allow = withHeaders('Allow')

const operation: RouteSchema = {
  operationId: 'registerFile',
  tags: ['Administration'],
  summary: 'Announce a file',
  description:
    'Makes the indexer read the file now. This is useful on network file systems, which do not report new files.',
  security: [{ administrator: [] }],
  body: registration,
  response: {
    '200': {
      description: 'The file was already in the catalogue.',
      headers: allow,
      content: json(recordSchema),
    },
    '201': {
      description: 'The file was added to the catalogue.',
      headers: { ...allow, ...withHeaders('Location') },
      content: json(recordSchema),
    },
    ...writeErrors,
  },
  'x-codeSamples': [curlPost(`${exampleLinks.api}rinex-file/`, registrationExample)],
}

/** POST of the list: registers a file with the indexer, and answers with its record. */
export function registerFile(context: ApiContext): NonNullable<Resource['post']> {
  const { administration, links, reader, settings } = context
  const find = async (id: number): Promise<FileRecord> => {
    for (let reads = 0; reads < maxReads; reads++) {
      const record = await reader.record({ id })
      if (record !== undefined) return record
      await pause(readIntervalMs)
    }
    throw tryAgain('The file is registered, but its record cannot be read at this moment.')
  }
  const handler: RouteHandlerMethod = async (request, reply) => {
    const { field, path } = parseRegistration(request.body, links().data)
    request.raw.socket.setTimeout(timeoutMs)
    const answer = await sendToIndexer(required(administration).register(path))
    if (answer.outcome === 'unsure') throw tryAgain('The file cannot be catalogued at this moment.')
    if (answer.outcome === 'refused') throw new BadFields({ [field]: [messageFor(answer.reason)] })
    const record = serialiseRecord(await find(answer.id), links(), settings.layout)
    if (answer.outcome === 'created') reply.code(201).header('location', record.url)
    return sendJson(reply, record)
  }
  return { schema: operation, authenticate: createAuthentication(administration), handler }
}

function messageFor(reason: string): string {
  if (reason === 'still-being-written') return 'The file is still being written.'
  if (reason === 'not-in-the-tree') return 'There is no such file in the archive.'
  return `This is no RINEX file of the archive: ${reason}.`
}
