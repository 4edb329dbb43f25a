import { setTimeout as pause } from 'node:timers/promises'
import { isAbsolute, relative } from 'node:path'
import type { ConfigOf } from '../config/command-options.ts'
import { askIndexer } from '../control/client.ts'
import { IndexerAway, IndexerRefused } from '../control/protocol.ts'
import type { RescanTicket, ScanProgress } from '../control/protocol.ts'
import { createLogger } from '../runtime/logger.ts'
import { print } from '../runtime/output.ts'
import { reportProgress } from './progress.ts'

/** How often the indexer is asked how far it is. */
const askEveryMs = 200

export interface RescanOptions {
  /** Directories, by their path or below the archive root; all there are when there is none. */
  readonly paths: readonly string[]
  readonly full: boolean
  readonly acceptRemovals: boolean
  readonly wait: boolean
}

/** Has the running indexer look at the archive again: at all that it does not refuse, which is told of each. */
export async function rescan(config: ConfigOf<'rescan'>, options: RescanOptions): Promise<number> {
  const socket = config.controlSocket
  // Asked before the orders: numbers begin anew with each indexer.
  const { pid } = await askIndexer(socket, { command: 'status' })
  const paths = options.paths.map((path) => belowArchive(path, config.archive))
  const orders = paths.length > 0 ? paths : [undefined]
  const tickets: RescanTicket[] = []
  for (const path of orders) {
    const ticket = await order(socket, path, options)
    if (ticket === undefined) continue
    await print(`${path ?? 'the whole archive'}: rescan ${ticket.number} ${words[ticket.place]}`)
    tickets.push(ticket)
  }
  if (options.wait && tickets.length > 0) {
    const last = Math.max(...tickets.map(({ number }) => number))
    await follow(config, { pid, number: last })
    await print('done')
  }
  return tickets.length === orders.length ? 0 : 1
}

/** Says why where it comes to nothing, at once: the others may take hours. */
async function order(
  socket: string,
  path: string | undefined,
  { full, acceptRemovals }: RescanOptions,
): Promise<RescanTicket | undefined> {
  try {
    const answer = await askIndexer(socket, { command: 'rescan', path, full, acceptRemovals })
    if (answer.place !== 'missing') return answer
    throw new IndexerRefused(`there is no directory ${path ?? ''} in the archive`)
  } catch (error) {
    if (!(error instanceof IndexerRefused) || error.failed) throw error
    process.stderr.write(`rinex-catalogue: ${error.message}\n`)
    return undefined
  }
}

const words: Readonly<Record<RescanTicket['place'], string>> = {
  running: 'is running',
  waiting: 'waits for the one that is running',
  merged: 'waits already and takes it in',
}

function belowArchive(path: string, archive: string): string {
  const below = isAbsolute(path) ? relative(archive, path) : path
  return below.replace(/\/+$/, '')
}

/** Shows how a rescan goes on, and returns when it has ended. */
async function follow(
  config: ConfigOf<'rescan'>,
  { pid, number }: { readonly pid: number; readonly number: number },
): Promise<void> {
  let scan: ScanProgress | undefined
  const logger = createLogger({ level: config.logLevel, name: 'rescan' })
  const progress = reportProgress(() => scan, logger)
  try {
    for (;;) {
      const status = await askIndexer(config.controlSocket, { command: 'status' })
      if (status.pid !== pid) throw new IndexerAway('the indexer was started again meanwhile')
      if (status.rescans.done >= number) return
      scan = status.scan
      await pause(askEveryMs)
    }
  } finally {
    progress.stop()
  }
}
