import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { CatalogueWriter } from '../catalogue/writer.ts'
import type { ControlAnswer, ControlRequest, ControlResults } from '../control/protocol.ts'
import { parseDirectory } from '../parse/archive-path.ts'
import { openControlSocket } from './control-socket.ts'
import type { Indexer } from './indexer.ts'

/** A request is a line of JSON; nobody has reason to send a longer one. */
const longestRequest = 16_384

export interface ControlDeps {
  /** Path of the Unix socket. Its file permissions decide who may ask. */
  readonly path: string
  readonly logger: Logger
  readonly indexer: Pick<Indexer, 'status' | 'settlingFiles' | 'rescan' | 'register'>
  readonly writer: Pick<CatalogueWriter, 'repairCounts'>
  /** How often it is looked whether the socket is still there. */
  readonly readMs?: number
}

/** Answers on the control socket. @throws UnusableSocket */
export async function openControl(deps: ControlDeps): Promise<{ close: () => void }> {
  const { path, logger, readMs } = deps
  const sockets = new Set<Socket>()
  const serveOne = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    serve(socket, deps)
  }
  const listener = await openControlSocket({ path, logger, serve: serveOne, readMs })
  return {
    close() {
      listener.close()
      for (const socket of sockets) socket.destroy()
    },
  }
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
  { indexer, writer, logger }: ControlDeps,
): Promise<ControlResults[keyof ControlResults]> {
  switch (request?.command) {
    case 'status':
      return indexer.status()
    case 'settling':
      return indexer.settlingFiles()
    case 'rescan': {
      const { path } = request
      const [full, acceptRemovals] = [isSaid(request.full), isSaid(request.acceptRemovals)]
      if (path !== undefined && parseDirectory(textOf(path)).kind === 'rejected')
        throw new RefusedRequest(`${path} is no directory below obs/ or nrt/`)
      const answer = await indexer.rescan({ path, full, acceptRemovals })
      if (answer.place !== 'missing')
        logger.info({ path, full, accept_removals: acceptRemovals }, 'a rescan was ordered')
      return answer
    }
    case 'register':
      return indexer.register(textOf(request.path))
    case 'repair':
      logger.info('the counts are made anew')
      await writer.repairCounts()
      return { outcome: 'repaired' }
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
