/** Talking HTTP by hand, where a client library would tidy up what is sent or hide what comes back. */
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'

export interface RawAnswer {
  /** 0 when nothing came that looks like HTTP. */
  readonly status: number
  readonly head: string
  readonly body: Buffer
}

/** Far longer than anything takes: who waits so long waits for what never comes. */
const timeoutMs = 60_000

/** Sends bytes as they are and reads until the server closes. */
export async function sendRaw(port: number, bytes: Buffer | string): Promise<RawAnswer> {
  const socket = connect(port, '127.0.0.1')
  socket.write(bytes)
  return parseAnswer(await readToEnd(socket))
}

/** Whatever comes until the connection ends, in order or not. */
export function readToEnd(socket: Socket): Promise<Buffer> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = []
    const timer = setTimeout(() => socket.destroy(), timeoutMs)
    socket.on('data', (piece: Buffer) => pieces.push(piece))
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(Buffer.concat(pieces))
    })
  })
}

export function parseAnswer(received: Buffer): RawAnswer {
  const end = received.indexOf('\r\n\r\n')
  const head = received.subarray(0, Math.max(end, 0)).toString('latin1')
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(head) ?? []
  return { status: Number(status ?? 0), head, body: received.subarray(end < 0 ? 0 : end + 4) }
}

/** Starts a GET and stops reading after the first bytes of the answer, as a very slow client does. */
export async function startSlowly(port: number, target: string, headers = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\n${headers}Connection: close\r\n\r\n`)
  await once(socket, 'readable')
  return socket
}

/** Lets so much of what is due in this process happen that whatever could go on by itself has gone on. */
export async function letHappen(): Promise<void> {
  for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Waits until something holds; what is waited for is the message when it never does. */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + timeoutMs; Date.now() < end;) {
    if (await holds()) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error(`in vain: ${what}`)
}
