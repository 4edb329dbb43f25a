/** The ways of the commands and the API to the indexer. */
import { serverName } from '../catalogue/database-url.ts'
import type { CatalogueAddress } from '../catalogue/engines/engine.ts'
import type { Indexers } from '../catalogue/postgres/requests.ts'
import type { Config } from '../config/options.ts'
import type { Exchange } from '../control-socket/client.ts'
import { overSocket } from '../control-socket/client.ts'
import type { ControlAnswer, ControlRequest } from '../control-socket/protocol.ts'
import { NoIndexer } from '../control-socket/protocol.ts'

/**
 * Returns the way to the indexer: through its control socket, or from any host through the
 * database.
 */
export function controlOf(config: CatalogueAddress & Pick<Config, 'controlSocket'>): Exchange {
  const { controlSocket } = config
  return controlSocket === undefined ? throughDatabase(config) : overSocket(controlSocket)
}

function throughDatabase({ database, databasePasswordFile }: CatalogueAddress): Exchange {
  const address = { url: database, passwordFile: databasePasswordFile }
  const opened = import('../catalogue/postgres/requests.ts').then(
    ({ RequestClient }) => new RequestClient(address),
  )
  const exchange = async (request: ControlRequest, timeoutMs: number): Promise<string> => {
    const client = await opened
    const indexers = await client.indexers()
    if (indexers.active === undefined) throw new NoIndexer(waitingWords(indexers))
    if (request.command === 'status') return withHosts(indexers.active, indexers.waiting)
    const answer = await client.ask(JSON.stringify(request), timeoutMs)
    if (answer === undefined) throw new Unanswered('timeout')
    return answer
  }
  const names = { place: serverName(database), publicName: 'the database' }
  return Object.assign(
    (request: ControlRequest, timeoutMs: number) =>
      exchange(request, timeoutMs).catch(async (error: unknown) => {
        if (error instanceof NoIndexer || error instanceof Unanswered) throw error
        const { serverFault } = await import('../catalogue/postgres/connection.ts')
        throw new Unanswered(`the server ${serverFault(error)}`, { cause: error })
      }),
    names,
  )
}

/** The message is for operators; clients see only the code. */
class Unanswered extends Error {
  readonly code = 'no answer'
}

function waitingWords({ waiting }: Indexers): string {
  return waiting.length === 0 ? 'no indexer runs' : `indexers wait on ${waiting.join(', ')}`
}

/** The answer to a request for the status, with the hosts. */
function withHosts(
  { host, status }: NonNullable<Indexers['active']>,
  waiting: readonly string[],
): string {
  const answer = JSON.parse(status) as ControlAnswer<'status'>
  if (!answer.ok) return status
  return JSON.stringify({
    ...answer,
    result: { ...answer.result, hosts: { active: host, waiting } },
  })
}
