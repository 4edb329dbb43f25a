/** The client of the control socket: sends requests to the indexer and reads its answers. */
import { connect } from 'node:net'
import { IndexerUnreachable, RequestRejected } from './protocol.ts'
import type {
  ControlAnswer,
  ControlCommand,
  ControlRequest,
  ControlResults,
  IndexerStatus,
  SettlingFile,
  UnknownStatus,
} from './protocol.ts'

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
 * The result of a request for the status: `undefined` if no indexer runs, an `UnknownStatus` if the
 * indexer does not answer or rejects the request.
 */
export type StatusReply = IndexerStatus | UnknownStatus | undefined

/** Requests the status of the indexer. */
export async function askStatus(
  socketPath: string,
  timeoutMs = statusTimeoutMs,
): Promise<StatusReply> {
  try {
    return await askIndexer(socketPath, { command: 'status' }, timeoutMs)
  } catch (error) {
    if (error instanceof RequestRejected) return unknown(error.message)
    if (!(error instanceof IndexerUnreachable)) throw error
    const { code, message } = error.cause as NodeJS.ErrnoException
    // These codes mean that there is no socket, or that no process listens on it.
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return undefined
    return unknown(code ?? message)
  }
}

/**
 * Requests the list of settling files; returns an empty list if the indexer does not answer, or
 * rejects the request.
 */
export async function askSettling(socketPath: string): Promise<readonly SettlingFile[]> {
  return (
    (await unlessSilent(askIndexer(socketPath, { command: 'settling' }, statusTimeoutMs))) ?? []
  )
}

/**
 * Requests the metrics; returns an empty text if the indexer does not answer, or rejects the
 * request.
 */
export async function askMetrics(socketPath: string): Promise<string> {
  return (await unlessSilent(askIndexer(socketPath, { command: 'metrics' }, statusTimeoutMs))) ?? ''
}

async function unlessSilent<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof IndexerUnreachable || error instanceof RequestRejected) return undefined
    throw error
  }
}

function unknown(why: string): UnknownStatus {
  return {
    state: 'unknown',
    reason: `control socket of the indexer unavailable: ${why}`,
  }
}

/**
 * Returns a function that requests the status. It calls `report` when the status becomes unknown,
 * and while the status stays unknown, again only if the reason changes.
 */
export function createStatusReader(
  socketPath: string,
  report: (reason: string) => void,
): () => Promise<StatusReply> {
  let reported: string | undefined
  return async () => {
    const status = await askStatus(socketPath)
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
  socketPath: string,
  request: ControlRequest & { readonly command: Command },
  timeoutMs = requestTimeoutMs,
): Promise<ControlResults[Command]> {
  const line = await exchange(socketPath, request, timeoutMs).catch((error: unknown) => {
    throw new IndexerUnreachable(
      `no answer of the indexer on ${socketPath}: ${(error as Error).message}`,
      {
        cause: error,
      },
    )
  })
  const answer = JSON.parse(line) as ControlAnswer<Command>
  if (!answer.ok) throw new RequestRejected(answer.error, answer)
  return answer.result
}

function exchange(socketPath: string, request: ControlRequest, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath)
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
    socket.on('error', reject)
    socket.on('close', () => {
      reject(new Error('the connection ended without an answer'))
    })
  })
}
