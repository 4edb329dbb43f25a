/** For tests with a web server in front of the service: a certificate, and requests over HTTPS. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { ownHost } from './loopback.ts'

/** The public name in the example configurations. */
export const publicName = 'archive.example.org'

/** Makes `archive.pem` and `archive.key` in a folder. */
export function makeCertificate(folder: string): void {
  const key = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout archive.key'
  const certificate = `req -x509 ${key} -days 2 -subj /CN=${publicName} -out archive.pem`
  spawnSync('openssl', certificate.split(' '), { cwd: folder })
}

/** Requests a path exactly as it is written, from the server on this port. */
export async function ask(
  port: number,
  path: string,
  headers: OutgoingHttpHeaders = {},
  method = 'GET',
): Promise<IncomingMessage> {
  const server = { host: ownHost, port, servername: publicName, rejectUnauthorized: false }
  const asked = request({ ...server, path, method, headers: { host: publicName, ...headers } })
  const [answer] = (await once(asked.end(), 'response')) as [IncomingMessage]
  return answer
}

/** Reads the whole body of a response. */
export async function bytesOf(answer: IncomingMessage): Promise<Buffer> {
  return Buffer.concat((await answer.toArray()) as Buffer[])
}

/** Waits until a server accepts connections. @throws if the server ends before that */
export async function untilListening(
  server: { exitCode: number | null; signalCode: string | null },
  port: number,
): Promise<void> {
  while (!(await accepts(port))) {
    if (server.exitCode !== null || server.signalCode !== null)
      throw new Error(`the server ended with ${server.exitCode ?? server.signalCode}`)
    await pause(20)
  }
}

function accepts(port: number): Promise<boolean> {
  const socket = connect(port, ownHost)
  return new Promise<boolean>((resolve) => {
    socket.once('connect', resolve.bind(undefined, true)).once('error', () => resolve(false))
  }).finally(() => socket.destroy())
}
