import { connect } from 'node:net'
import { IndexerAway, IndexerRefused } from './protocol.ts'
import type {
  ControlAnswer,
  ControlCommand,
  ControlRequest,
  ControlResults,
  IndexerStatus,
} from './protocol.ts'

/** How long a page that shows the status waits for an indexer that answers it at once when nothing holds it up. */
const statusPatienceMs = 2000
/** A disk may hold it up for seconds, and looking at a file may mean inflating a large one. */
const longestPatienceMs = 30_000

/** Asks the indexer what it is doing; `undefined` when nobody answers. */
export async function askStatus(socketPath: string): Promise<IndexerStatus | undefined> {
  try {
    return await askIndexer(socketPath, { command: 'status' }, statusPatienceMs)
  } catch (error) {
    if (error instanceof IndexerAway) return undefined
    throw error
  }
}

/**
 * Sends one request to the indexer.
 * @throws IndexerAway when nobody answers, IndexerRefused with the indexer's words when it refuses
 */
export async function askIndexer<Command extends ControlCommand>(
  socketPath: string,
  request: ControlRequest & { readonly command: Command },
  patienceMs = longestPatienceMs,
): Promise<ControlResults[Command]> {
  const line = await exchange(socketPath, request, patienceMs).catch((error: unknown) => {
    throw new IndexerAway(`no indexer answers on ${socketPath}: ${(error as Error).message}`, {
      cause: error,
    })
  })
  const answer = JSON.parse(line) as ControlAnswer<Command>
  if (!answer.ok) throw new IndexerRefused(answer.error)
  return answer.result
}

function exchange(
  socketPath: string,
  request: ControlRequest,
  patienceMs: number,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath)
    let received = ''
    socket.setEncoding('utf8')
    socket.setTimeout(patienceMs, () => {
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
