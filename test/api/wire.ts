/** Raw HTTP over sockets: sends bytes unchanged and shows all bytes of a response. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect } from 'node:net'

export interface RawAnswer {
  /** 0 when the bytes are no HTTP response. */
  readonly status: number
  readonly head: string
  readonly body: Buffer
}

/** Far longer than anything here takes. */
const timeoutMs = 60_000

/** Sends bytes unchanged and reads until the connection closes. */
export async function sendRaw(port: number, bytes: Buffer | string): Promise<RawAnswer> {
  const socket = connect(port, '127.0.0.1')
  socket.write(bytes)
  return parseAnswer(await readToEnd(socket))
}

/** All bytes until the connection closes, normally or by a reset. */
export function readToEnd(socket: Socket): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const timer = setTimeout(() => socket.destroy(), timeoutMs)
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(Buffer.concat(chunks))
    })
  })
}

export function parseAnswer(received: Buffer): RawAnswer {
  const end = received.indexOf('\r\n\r\n')
  const head = received.subarray(0, Math.max(end, 0)).toString('latin1')
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(head) ?? []
  return { status: Number(status ?? 0), head, body: received.subarray(end < 0 ? 0 : end + 4) }
}

/**
 * Starts a GET and stops reading after the first bytes of the response, as a very slow client does.
 */
export async function startSlowly(port: number, target: string, headers = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\n${headers}Connection: close\r\n\r\n`)
  await once(socket, 'readable')
  return socket
}

/** Runs 200 turns of the event loop: more than any pending work of this process needs. */
export async function runEventLoop(): Promise<void> {
  for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve))
}
