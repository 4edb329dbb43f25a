import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { hashToken } from '../api/admin/authentication.ts'
import type { Administration, ApiSettings, Offload } from '../api/http/settings.ts'
import { buildServer } from '../api/server.ts'
import { openReader } from '../catalogue/sqlite/reader.ts'
import { openClock } from '../runtime/clock.ts'
import { baseUrlFor } from '../config/address.ts'
import type { ConfigOf } from '../config/command-options.ts'
import { readExpectedFile } from '../config/expected-file.ts'
import { readToken } from '../config/token-file.ts'
import { ExpectedRules } from '../insight/expectation.ts'
import { askIndexer, askSettling, openStatusReader } from '../control/client.ts'
import { graceMs, startLifecycle } from '../runtime/lifecycle.ts'
import type { Lifecycle } from '../runtime/lifecycle.ts'
import { createLogger } from '../runtime/logger.ts'
import { print } from '../runtime/output.ts'
import { packageVersion } from '../runtime/package.ts'
import { realDirectories } from '../runtime/real-path.ts'

/** The indexer only queues a rescan, so this is long. A hanging indexer is reported before the HTTP connection times out. */
const rescanTimeoutMs = 10_000

/**
 * Connections that the kernel queues until they are accepted; `net.core.somaxconn` may limit it further. When the queue is
 * full, a client retries after one, three and seven seconds: with Node's 511 a burst of one client delayed others.
 */
const backlog = 4096

/** Runs the API until a signal ends it. */
export async function serve(config: ConfigOf<'serve'>): Promise<number> {
  const lifecycle = await startServing(config, {
    graceMs: graceMs.api,
    afterListening: () => undefined,
  })
  return lifecycle.untilEnd()
}

export interface ServingOptions {
  readonly graceMs: number
  /** Called when the API listens, to start other parts; not called when it cannot listen. */
  readonly afterListening: (lifecycle: Lifecycle) => void
}

/** Starts the API; resolves when it listens. */
export async function startServing(
  config: ConfigOf<'serve'>,
  options: ServingOptions,
): Promise<Lifecycle> {
  const administration = administrationOf(config)
  const logger = createLogger({ level: config.logLevel, name: 'api' })
  const lifecycle = startLifecycle({ logger, graceMs: options.graceMs })
  const reader = openReader({ database: config.database })
  lifecycle.add({
    name: 'catalogue',
    close: () => {
      reader.close()
    },
  })
  let known: string | undefined
  const baseUrl = (): string => {
    if (known !== undefined) return known
    const address = app.server.address() as AddressInfo | null
    const url = baseUrlFor(config, address?.port ?? config.port)
    // Stored: a server that is closing has no address, but still answers waiting requests.
    if (address !== null) known = url
    return url
  }
  const app = await buildServer({
    reader,
    logger,
    nowUs: openClock(),
    indexerStatus: openStatusReader(config.controlSocket, (reason) => {
      logger.warn({ control_socket: config.controlSocket }, reason)
    }),
    settlingFiles: () => askSettling(config.controlSocket),
    administration,
    settings: { ...settingsOf(config, logger), baseUrl },
  })
  lifecycle.add({ name: 'HTTP server', close: () => app.close() })
  await app.listen({ host: config.host, port: config.port, backlog }).catch((error: unknown) => {
    throw cannotListen(config, error)
  })
  options.afterListening(lifecycle)
  await announce(`${baseUrl()}/${config.datasetPrefix}/api/rinex-file/`, logger)
  return lifecycle
}

/** The API cannot listen on its host and port; the message names the option to change. */
class CannotListen extends Error {
  readonly code = 'CANNOT_LISTEN'
}

const remedies: Readonly<Record<string, string>> = {
  EADDRINUSE: 'set port to a free one',
  EACCES: 'set port to one above 1023',
  EADDRNOTAVAIL: 'set host to an address of this machine',
  ENOTFOUND: 'set host to a name or an address of this machine',
}

function cannotListen({ host, port }: ConfigOf<'serve'>, error: unknown): unknown {
  // Any other error is a defect of the program.
  if (!(error instanceof Error) || !('code' in error && 'syscall' in error)) return error
  const remedy = remedies[String(error.code)] ?? 'set host or port to another'
  const where = `host ${JSON.stringify(host)}, port ${port}`
  return new CannotListen(`cannot listen on ${where}: ${error.message}: ${remedy}`, {
    cause: error,
  })
}

function settingsOf(config: ConfigOf<'serve'>, logger: Logger): Omit<ApiSettings, 'baseUrl'> {
  return {
    archive: config.archive,
    linkedDirectories: realDirectories(config.linkedDirectories, logger),
    datasetPrefix: config.datasetPrefix,
    offload: offloadOf(config),
    maxLimit: config.maxLimit,
    keepRemovalsDays: config.keepRemovalsDays,
    problems: config.problems,
    expected: new ExpectedRules(readExpectedFile(config.expectedFile)),
    version: packageVersion(),
    connectionsPerAddress: config.connectionsPerAddress,
    trustedProxies: config.trustedProxies,
  }
}

function offloadOf({ sendFiles, internalPrefix }: ConfigOf<'serve'>): Offload | undefined {
  return sendFiles === 'self' ? undefined : { header: sendFiles, internalPrefix }
}

function administrationOf(config: ConfigOf<'serve'>): Administration | undefined {
  const token = readToken('admin_token_file', config.adminTokenFile)
  if (token === undefined) return undefined
  const { controlSocket } = config
  return {
    tokenHash: hashToken(token),
    register: (path) => askIndexer(controlSocket, { command: 'register', path }),
    rescan: (order) => askIndexer(controlSocket, { command: 'rescan', ...order }, rescanTimeoutMs),
  }
}

/** Prints the URL of the list: as a plain line on a terminal, as a field of a log line elsewhere. */
async function announce(url: string, logger: Logger): Promise<void> {
  if (process.stdout.isTTY) await print(`listening on ${url}`)
  else logger.info({ url }, 'listening')
}
