/** Sends requests to the indexer, over its control socket or another way, and reads the answers. */
import { connect } from 'node:net'
import type {
  ControlAnswer,
  ControlCommand,
  ControlRequest,
  ControlResults,
  IndexerStatus,
  SettlingFile,
  UnknownStatus,
} from './protocol.ts'
import { IndexerUnreachable, NoIndexer, RequestRejected } from './protocol.ts'

/**
 * Timeout of requests for the status and the settling files (ms), which the indexer normally
 * answers at once.
 */
const statusTimeoutMs = 2000
/**
 * Timeout of other requests (ms). It is long, because a disk may be slow, and checking a file may
 * require inflating it.
 */
const requestTimeoutMs = 30_000

/**
 * A way to the indexer: sends one request, and resolves with the line of the answer. Rejects with
 * `NoIndexer` if no indexer runs, and with any other error if no answer comes.
 */
export interface Exchange {
  (request: ControlRequest, timeoutMs: number): Promise<string>
  /** Names this way in errors for operators, for example by the path of the socket. */
  readonly place: string
  /** Names it in texts that may be shown to clients. */
  readonly publicName: string
}

/**
 * The result of a request for the status: `undefined` if no indexer runs, an `UnknownStatus` if the
 * indexer does not answer or rejects the request.
 */
export type StatusReply = IndexerStatus | UnknownStatus | undefined

/** Requests the status of the indexer. */
export async function askStatus(
  exchange: Exchange,
  timeoutMs = statusTimeoutMs,
): Promise<StatusReply> {
  try {
    return await askIndexer(exchange, { command: 'status' }, timeoutMs)
  } catch (error) {
    if (error instanceof RequestRejected) return unknown(exchange, error.message)
    if (!(error instanceof IndexerUnreachable)) throw error
    if (error.cause instanceof NoIndexer) return undefined
    const { code, message } = error.cause as NodeJS.ErrnoException
    return unknown(exchange, code ?? message)
  }
}

/**
 * Requests the list of settling files; returns an empty list if the indexer does not answer, or
 * rejects the request.
 */
export async function askSettling(exchange: Exchange): Promise<readonly SettlingFile[]> {
  return (await unlessSilent(askIndexer(exchange, { command: 'settling' }, statusTimeoutMs))) ?? []
}

/**
 * Requests the metrics; returns an empty text if the indexer does not answer, or rejects the
 * request.
 */
export async function askMetrics(exchange: Exchange): Promise<string> {
  return (await unlessSilent(askIndexer(exchange, { command: 'metrics' }, statusTimeoutMs))) ?? ''
}

async function unlessSilent<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof IndexerUnreachable || error instanceof RequestRejected) return undefined
    throw error
  }
}

function unknown({ publicName }: Exchange, why: string): UnknownStatus {
  return { state: 'unknown', reason: `${publicName} unavailable: ${why}` }
}

/**
 * Returns a function that requests the status. It calls `report` when the status becomes unknown,
 * and while the status stays unknown, again only if the reason changes.
 */
export function createStatusReader(
  exchange: Exchange,
  report: (reason: string) => void,
): () => Promise<StatusReply> {
  let reported: string | undefined
  return async () => {
    const status = await askStatus(exchange)
    const reason = status?.state === 'unknown' ? status.reason : undefined
    if (reason !== undefined && reason !== reported) report(reason)
    reported = reason
    return status
  }
}

/**
 * Sends one request to the indexer.
 * @throws IndexerUnreachable if there is no answer; RequestRejected with the indexer's message if
 * it rejects the request
 */
export async function askIndexer<Command extends ControlCommand>(
  exchange: Exchange,
  request: ControlRequest & { readonly command: Command },
  timeoutMs = requestTimeoutMs,
): Promise<ControlResults[Command]> {
  const line = await exchange(request, timeoutMs).catch((error: unknown) => {
    throw new IndexerUnreachable(
      `no answer of the indexer on ${exchange.place}: ${(error as Error).message}`,
      { cause: error },
    )
  })
  const answer = JSON.parse(line) as ControlAnswer<Command>
  if (!answer.ok) throw new RequestRejected(answer.error, answer)
  return answer.result
}

/** Returns the way over the control socket at this path. */
export function overSocket(path: string): Exchange {
  const send = (request: ControlRequest, timeoutMs: number): Promise<string> =>
    sendOverSocket(path, request, timeoutMs)
  return Object.assign(send, { place: path, publicName: 'control socket of the indexer' })
}

function sendOverSocket(path: string, request: ControlRequest, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    let received = ''
    socket.setEncoding('utf8')
    socket.setTimeout(timeoutMs, () => {
      socket.destroy(new Error('timeout'))
    })
    socket.on('connect', () => socket.write(`${JSON.stringify(request)}\n`))
    socket.on('data', (text: string) => {
      received += text
      if (!received.endsWith('\n')) return
      socket.end()
      resolve(received)
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // These codes mean that there is no socket, or that no process listens on it.
      const isNobody = error.code === 'ENOENT' || error.code === 'ECONNREFUSED'
      reject(isNobody ? new NoIndexer(error.message, { cause: error }) : error)
    })
    socket.on('close', () => {
      reject(new Error('the connection ended without an answer'))
    })
  })
}
