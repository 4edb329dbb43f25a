import { chmodSync, lstatSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import type { Logger } from 'pino'
import type { ControlAnswer, ControlRequest, ControlResults } from '../control/protocol.ts'
import { parseDirectory } from '../parse/archive-path.ts'
import type { Indexer } from './indexer.ts'

/** A request is a line of JSON; nobody has reason to send a longer one. */
const longestRequest = 16_384

export interface ControlDeps {
  /** Path of the Unix socket. Its file permissions decide who may ask. */
  readonly path: string
  readonly logger: Logger
  readonly indexer: Pick<Indexer, 'status' | 'rescan' | 'register'>
}

/** There can be no control socket at this path; the message names it and the remedy. */
export class UnusableSocket extends Error {
  readonly code = 'UNUSABLE_SOCKET'
}

/**
 * Answers on the control socket.
 * @throws UnusableSocket also when another indexer answers there: that of another catalogue may be given the same path
 */
export async function openControl(deps: ControlDeps): Promise<{ close: () => void }> {
  await removeLeftOver(deps.path)
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    serve(socket, deps)
  })
  await listen(server, deps.path)
  // The group is the API's: it may ask, others may not.
  chmodSync(deps.path, 0o660)
  return {
    close() {
      server.close() // which removes the socket file too
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Takes away the socket of an earlier process, and nothing else. */
async function removeLeftOver(path: string): Promise<void> {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return
  if (!stats.isSocket())
    throw new UnusableSocket(`${path} is no socket: configure another control_socket`)
  if (await isInUse(path))
    throw new UnusableSocket(
      `already running: another indexer answers on ${path}, configure another control_socket`,
    )
  rmSync(path, { force: true })
}

function isInUse(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    // One that may not be connected to belongs to somebody else; nobody listens on a left-over.
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT')
    })
  })
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // Stays for as long as the server: a connection that cannot be accepted later is no reason to end.
    server.on('error', (error) => {
      reject(
        new UnusableSocket(
          `cannot listen on the control socket ${path}: ${error.message}: configure another control_socket, in a folder that this user may write`,
          { cause: error },
        ),
      )
    })
    server.listen(path, resolve)
  })
}

function serve(socket: Socket, deps: ControlDeps): void {
  let received = ''
  socket.setEncoding('utf8')
  socket.on('error', (error) => {
    deps.logger.debug({ error }, 'control connection')
  })
  socket.on('data', (text: string) => {
    received += text
    const lines = received.split('\n')
    received = lines.pop() ?? ''
    for (const line of lines)
      void answer(line, deps).then((answered) => {
        if (!socket.destroyed) socket.write(`${JSON.stringify(answered)}\n`)
      })
    if (received.length > longestRequest) socket.destroy()
  })
}

async function answer(line: string, deps: ControlDeps): Promise<ControlAnswer> {
  try {
    return { ok: true, result: await obey(JSON.parse(line) as ControlRequest | null, deps) }
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RefusedRequest)
      return { ok: false, error: error.message }
    deps.logger.error({ err: error }, 'a request on the control socket failed')
    return { ok: false, error: 'the indexer failed to answer, its log says why', failed: true }
  }
}

class RefusedRequest extends Error {}

async function obey(
  request: ControlRequest | null,
  { indexer, logger }: ControlDeps,
): Promise<ControlResults[keyof ControlResults]> {
  switch (request?.command) {
    case 'status':
      return indexer.status()
    case 'rescan': {
      const { path } = request
      const [full, acceptRemovals] = [isSaid(request.full), isSaid(request.acceptRemovals)]
      if (path !== undefined && parseDirectory(textOf(path)).kind === 'rejected')
        throw new RefusedRequest(`${path} is no directory below obs/ or nrt/`)
      const answer = await indexer.rescan({ path, full, acceptRemovals })
      if (answer.place !== 'nowhere')
        logger.info({ path, full, accept_removals: acceptRemovals }, 'a rescan was ordered')
      return answer
    }
    case 'register':
      return indexer.register(textOf(request.path))
    case undefined:
    default:
      throw new RefusedRequest('unknown command')
  }
}

/** A request may hold anything, whatever its type says. */
function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new RefusedRequest('the path must be text')
  return value
}

function isSaid(value: unknown): boolean {
  if (value !== undefined && typeof value !== 'boolean')
    throw new RefusedRequest('an option must be true or false')
  return value ?? false
}
