/** Sends answers: texts, JSON, streams; and writes CSV. */
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Format } from './formats.ts'
import { contentType } from './formats.ts'
import { pageHeaders } from './headers.ts'

/** Sends a text in one of the formats. */
export function send(reply: FastifyReply, format: Format, text: string): FastifyReply {
  reply.headers(format === 'html' ? pageHeaders : { 'content-type': contentType(format) })
  // The text is sent as a buffer, because Fastify appends a charset to the media type of a string.
  return reply.send(Buffer.from(text))
}

/** Sends a client elsewhere. The framework gives a HEAD no length of its own. */
export function sendElsewhere(reply: FastifyReply, location: string): FastifyReply {
  return reply.code(303).headers({ location, 'content-length': '0' }).send()
}

export function sendJson(reply: FastifyReply, value: object): FastifyReply {
  return send(reply, 'json', JSON.stringify(value))
}

/**
 * Sends a body in chunks. The first one is made before the headers are set, so that its failure
 * gets an answer. A later one closes the connection: no client takes a part for the whole.
 */
export async function sendChunks(
  reply: FastifyReply,
  headers: Readonly<Record<string, string>>,
  chunks: AsyncGenerator<Buffer>,
): Promise<FastifyReply> {
  const first = await chunks.next()
  const all = first.done === true ? chunks : startingWith(first.value, chunks)
  return reply.headers(headers).send(Readable.from(all, { objectMode: false }))
}

async function* startingWith(first: Buffer, rest: AsyncGenerator<Buffer>) {
  yield first
  yield* rest
}

/** Writes a table: a header line, then one line for each row. */
export function csvText(
  columns: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string {
  return [columns, ...rows].map((row) => `${row.map(csvValue).join(',')}\r\n`).join('')
}

/** Quotes a value where needed; null is empty. */
export function csvValue(value: string | number | null): string {
  const text = String(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
