/** Chooses how the commands and the API reach the indexer. */
import type { Config } from '../config/options.ts'
import { overSocket } from '../control-socket/client.ts'
import type { Exchange } from '../control-socket/client.ts'

/** Returns the way to the indexer: through its control socket. */
export function controlOf({ controlSocket }: Pick<Config, 'controlSocket'>): Exchange {
  if (controlSocket === undefined) throw new Error('not yet')
  return overSocket(controlSocket)
}
