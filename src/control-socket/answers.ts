/** Answers the requests of the API and of commands on the control socket. */
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { CatalogueWriter } from '../catalogue/updates/writer.ts'
import type { Layout } from '../parse/layout.ts'
import { areaWords } from '../parse/layout.ts'
import type {
  ControlAnswer,
  ControlRequest,
  ControlResults,
  IndexerStatus,
  RegisterAnswer,
  RescanAnswer,
  RescanOrder,
  RescanOutcome,
  SettlingFile,
} from './protocol.ts'
import { openControlSocket } from './socket-file.ts'

/** Maximum length of a request in characters. A request is one line of JSON. */
const longestRequest = 16_384

/** What clients may ask of the indexer. */
interface AskedIndexer {
  status(): IndexerStatus
  metrics(): Promise<string>
  settlingFiles(): readonly SettlingFile[]
  rescan(order: RescanOrder): Promise<RescanAnswer>
  rescanOutcome(number: number): RescanOutcome | undefined
  register(path: string): Promise<RegisterAnswer>
}

/** What answers a request. */
export interface AnswerParts {
  readonly layout: Layout
  readonly logger: Logger
  readonly indexer: AskedIndexer
  readonly writer: Pick<CatalogueWriter, 'repairCounts'>
}

interface ControlParts extends AnswerParts {
  /** Path of the Unix socket. Its file permissions decide who may connect. */
  readonly path: string
  /** Time between two checks that the socket file still exists. */
  readonly checkIntervalMs?: number | undefined
}

/** Answers requests on the control socket. @throws UnusableSocket */
export async function openControl(parts: ControlParts): Promise<{ close: () => void }> {
  const sockets = new Set<Socket>()
  const serveOne = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    serve(socket, parts)
  }
  const listener = await openControlSocket({ ...parts, serve: serveOne })
  return {
    close() {
      listener.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function serve(socket: Socket, parts: ControlParts): void {
  let received = ''
  socket.setEncoding('utf8')
  socket.on('error', (error) => {
    parts.logger.debug({ error }, 'control connection')
  })
  socket.on('data', (text: string) => {
    received += text
    const lines = received.split('\n')
    received = lines.pop() ?? ''
    for (const line of lines)
      void answerLine(line, parts).then((answer) => {
        if (!socket.destroyed) socket.write(`${answer}\n`)
      })
    if (received.length > longestRequest) socket.destroy()
  })
}

/** Answers one request, which any client may have written. @returns the line of the answer */
export async function answerLine(line: string, parts: AnswerParts): Promise<string> {
  return JSON.stringify(await answer(line, parts))
}

async function answer(line: string, parts: AnswerParts): Promise<ControlAnswer> {
  if (line.length > longestRequest) return { ok: false, error: 'the request is too long' }
  try {
    return { ok: true, result: await execute(JSON.parse(line) as ControlRequest | null, parts) }
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof InvalidRequest)
      return { ok: false, error: error.message }
    parts.logger.error({ err: error }, 'control request failed')
    return { ok: false, error: 'the indexer failed to answer, see its log', failed: true }
  }
}

class InvalidRequest extends Error {}

async function execute(
  request: ControlRequest | null,
  { layout, indexer, writer, logger }: AnswerParts,
): Promise<ControlResults[keyof ControlResults]> {
  switch (request?.command) {
    case 'status':
      return indexer.status()
    case 'settling':
      return indexer.settlingFiles()
    case 'metrics':
      return indexer.metrics()
    case 'rescan': {
      const { path } = request
      const acceptRemovals = flagOf(request.acceptRemovals)
      if (path !== undefined && layout.listedBelow(stringOf(path)).length === 0)
        throw new InvalidRequest(`${path} is not a directory below ${areaWords(layout)}`)
      const answer = await indexer.rescan({ path, acceptRemovals })
      if (answer.place !== 'missing')
        logger.info({ path, accept_removals: acceptRemovals }, 'rescan ordered')
      return answer
    }
    case 'outcome':
      return indexer.rescanOutcome(numberOf(request.rescan)) ?? null
    case 'register':
      return indexer.register(stringOf(request.path))
    case 'repair':
      logger.info('recomputing the counts')
      await writer.repairCounts()
      return { outcome: 'repaired' }
    case undefined:
    default:
      throw new InvalidRequest('unknown command')
  }
}

// A request was not validated before, so each field may have any type.

function stringOf(value: unknown): string {
  if (typeof value === 'string') return value
  throw new InvalidRequest('the path must be text')
}

function numberOf(value: unknown): number {
  if (typeof value === 'number') return value
  throw new InvalidRequest('the rescan must be a number')
}

function flagOf(value: unknown = false): boolean {
  if (typeof value === 'boolean') return value
  throw new InvalidRequest('an option must be true or false')
}
