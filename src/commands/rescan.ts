/** The command `rescan`: orders rescans from the running indexer. */
import { isAbsolute, normalize, relative } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { ConfigOf } from '../config/command-options.ts'
import type { Exchange } from '../control-socket/client.ts'
import { askIndexer } from '../control-socket/client.ts'
import type { RescanOutcome, RescanTicket, ScanProgress } from '../control-socket/protocol.ts'
import { IndexerUnreachable, RequestRejected } from '../control-socket/protocol.ts'
import type { LogLevel } from '../runtime/logger.ts'
import { createLogger } from '../runtime/logger.ts'
import { print } from '../runtime/program.ts'
import { readableNumber } from '../runtime/readable.ts'
import { controlOf } from './control.ts'
import { reportProgress } from './progress.ts'

/** Time between two status requests. */
const pollMs = 200

interface RescanOptions {
  /**
   * Directories, as absolute paths or as paths below the archive root; a directory above areas
   * stands for them. Without directories, the whole archive is read.
   */
  readonly paths: readonly string[]
  readonly acceptRemovals: boolean
  readonly wait: boolean
}

/**
 * Orders rescans from the running indexer and prints the result of each order, and with `wait` what
 * they changed.
 * @returns the exit code: 1 if an order was refused, or a rescan could not do everything; otherwise
 * 0
 */
export async function rescan(config: ConfigOf<'rescan'>, options: RescanOptions): Promise<number> {
  const control = controlOf(config)
  // The process id is read before the orders, because a restarted indexer numbers its rescans from
  // 1 again.
  const { pid } = await askIndexer(control, { command: 'status' })
  const paths = options.paths.map((path) => belowArchive(path, config.archive))
  const orders = paths.length > 0 && !paths.includes('') ? paths : [undefined]
  const tickets: RescanTicket[] = []
  for (const path of orders) {
    const ticket = await order(control, path, options)
    if (ticket === undefined) continue
    await print(`${nameOf(path)}: rescan ${ticket.number} ${placeTexts[ticket.place]}`)
    tickets.push(ticket)
  }
  if (options.wait && tickets.length > 0) {
    const last = Math.max(...tickets.map(({ number }) => number))
    await showProgress(control, config.logLevel, { pid, number: last })
    if (!(await reportOutcomes(control, new Set(tickets.map(({ number }) => number))))) return 1
  }
  return tickets.length === orders.length ? 0 : 1
}

/**
 * Prints what the rescans have changed together. @returns false if one of them could not do
 * everything
 */
async function reportOutcomes(control: Exchange, rescans: ReadonlySet<number>): Promise<boolean> {
  const outcomes = new Map<number, RescanOutcome>()
  for (const rescan of rescans) {
    const outcome = await askIndexer(control, { command: 'outcome', rescan })
    if (outcome !== null) outcomes.set(rescan, outcome)
  }
  const known = [...outcomes.values()]
  const sum = (key: 'added' | 'modified' | 'removed'): string =>
    `${readableNumber(known.reduce((total, outcome) => total + outcome[key], 0))} ${key}`
  const isKnown = known.length === rescans.size
  await print(isKnown ? `done: ${sum('added')}, ${sum('modified')}, ${sum('removed')}` : 'done')
  for (const [rescan, { problem }] of outcomes)
    if (problem !== null) process.stderr.write(`rinex-catalogue: rescan ${rescan}: ${problem}\n`)
  return known.every(({ problem }) => problem === null)
}

/**
 * Orders one rescan. Prints a rejection at once, because the other rescans may take hours, and
 * returns `undefined`.
 */
async function order(
  control: Exchange,
  path: string | undefined,
  { acceptRemovals }: RescanOptions,
): Promise<RescanTicket | undefined> {
  try {
    const answer = await askIndexer(control, { command: 'rescan', path, acceptRemovals })
    if (answer.place !== 'missing') return answer
    throw new RequestRejected(`no directory ${path ?? ''} in the archive`)
  } catch (error) {
    if (!(error instanceof RequestRejected) || error.failed) throw error
    process.stderr.write(`rinex-catalogue: ${error.message}\n`)
    return undefined
  }
}

const placeTexts: Readonly<Record<RescanTicket['place'], string>> = {
  running: 'is running',
  waiting: 'waits for the running rescan',
  merged: 'is waiting and includes it',
}

function nameOf(path: string | undefined): string {
  return path ?? 'the whole archive'
}

function belowArchive(path: string, archive = '/'): string {
  const below = isAbsolute(path) ? relative(archive, path) : normalize(path)
  return below.replace(/^\.?\/*$|\/+$/, '')
}

/** Shows the progress of a rescan and returns when it has ended. */
async function showProgress(
  control: Exchange,
  logLevel: LogLevel,
  { pid, number }: { readonly pid: number; readonly number: number },
): Promise<void> {
  let scan: ScanProgress | undefined
  const logger = createLogger({ level: logLevel, name: 'rescan' })
  const progress = reportProgress(() => scan, logger)
  try {
    for (;;) {
      const status = await askIndexer(control, { command: 'status' })
      if (status.pid !== pid) throw new IndexerUnreachable('the indexer was restarted')
      if (status.rescans.done >= number) return
      scan = status.scan
      await pause(pollMs)
    }
  } finally {
    progress.stop()
  }
}
