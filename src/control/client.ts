import { connect } from 'node:net'
import { IndexerAway, IndexerRefused } from './protocol.ts'
import type {
  ControlAnswer,
  ControlCommand,
  ControlRequest,
  ControlResults,
  IndexerStatus,
  SettlingFile,
  UnknownStatus,
} from './protocol.ts'

/** How long a page that shows the status waits for an indexer that answers it at once when nothing holds it up. */
const statusTimeoutMs = 2000
/** A disk may hold it up for seconds, and looking at a file may mean inflating a large one. */
const longestTimeoutMs = 30_000

/** What comes of asking for the status; `undefined` when no indexer runs. */
export type StatusReply = IndexerStatus | UnknownStatus | undefined

/** Asks the indexer what it is doing. */
export async function askStatus(
  socketPath: string,
  timeoutMs = statusTimeoutMs,
): Promise<StatusReply> {
  try {
    return await askIndexer(socketPath, { command: 'status' }, timeoutMs)
  } catch (error) {
    if (error instanceof IndexerRefused) return unknown(error.message)
    if (!(error instanceof IndexerAway)) throw error
    const { code, message } = error.cause as NodeJS.ErrnoException
    // There is no socket, or nobody listens on it.
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return undefined
    return unknown(code ?? message)
  }
}

/** Asks the indexer for the files that are not complete yet; none where it cannot be asked. */
export async function askSettling(socketPath: string): Promise<readonly SettlingFile[]> {
  try {
    return await askIndexer(socketPath, { command: 'settling' }, statusTimeoutMs)
  } catch (error) {
    if (error instanceof IndexerAway || error instanceof IndexerRefused) return []
    throw error
  }
}

function unknown(why: string): UnknownStatus {
  return {
    state: 'unknown',
    reason: `the indexer cannot be asked over its control socket: ${why}`,
  }
}

/** Asks for the status whenever it is called, and tells once that the indexer cannot be asked, until it can again. */
export function statusAsker(
  socketPath: string,
  tell: (reason: string) => void,
): () => Promise<StatusReply> {
  let told: string | undefined
  return async () => {
    const status = await askStatus(socketPath)
    const reason = status?.state === 'unknown' ? status.reason : undefined
    if (reason !== undefined && reason !== told) tell(reason)
    told = reason
    return status
  }
}

/**
 * Sends one request to the indexer.
 * @throws IndexerAway when nobody answers, IndexerRefused with the indexer's words when it refuses
 */
export async function askIndexer<Command extends ControlCommand>(
  socketPath: string,
  request: ControlRequest & { readonly command: Command },
  timeoutMs = longestTimeoutMs,
): Promise<ControlResults[Command]> {
  const line = await exchange(socketPath, request, timeoutMs).catch((error: unknown) => {
    throw new IndexerAway(`no indexer answers on ${socketPath}: ${(error as Error).message}`, {
      cause: error,
    })
  })
  const answer = JSON.parse(line) as ControlAnswer<Command>
  if (!answer.ok) throw new IndexerRefused(answer.error, answer)
  return answer.result
}

function exchange(socketPath: string, request: ControlRequest, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath)
    let received = ''
    socket.setEncoding('utf8')
    socket.setTimeout(timeoutMs, () => {
      socket.destroy(new Error('no answer in time'))
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
