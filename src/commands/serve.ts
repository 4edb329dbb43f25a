/** The command `serve`: runs the API. The command `start` uses `startServing` too. */
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import type { Logger } from 'pino'
import { hashToken } from '../api/admin/authentication.ts'
import type { Administration, ApiSettings } from '../api/http/settings.ts'
import { buildServer } from '../api/server.ts'
import { engineOf, openReader } from '../catalogue/engines/engine.ts'
import { CatalogueUnavailable } from '../catalogue/errors.ts'
import type { CatalogueReader } from '../catalogue/questions/reader.ts'
import { baseUrlFor } from '../config/checks.ts'
import type { ConfigOf } from '../config/command-options.ts'
import { readExpectedFile } from '../config/expected-file.ts'
import { readToken } from '../config/named-files.ts'
import { readStationsFile } from '../config/stations-file.ts'
import type { Exchange } from '../control-socket/client.ts'
import {
  askIndexer,
  askMetrics,
  askSettling,
  createStatusReader,
} from '../control-socket/client.ts'
import { createLayout } from '../parse/layout.ts'
import { createClock } from '../runtime/clock.ts'
import type { Part } from '../runtime/lifecycle.ts'
import { graceMs, Lifecycle } from '../runtime/lifecycle.ts'
import { createLogger } from '../runtime/logger.ts'
import { packageVersion, print } from '../runtime/program.ts'
import { realDirectories } from '../runtime/real-path.ts'
import { ServiceManager } from '../runtime/service-manager.ts'
import { ExpectedRules } from '../series/expectation.ts'
import { StationPlaces } from '../series/station-places.ts'
import type { LayoutChoice } from './checks/layout-choice.ts'
import { chooseLayout, endIfChosen, logChoice } from './checks/layout-choice.ts'
import { controlOf } from './control.ts'

/**
 * Timeout of an order of a rescan. Ten seconds are ample, because the indexer only queues the
 * rescan. The HTTP connection times out later, so a hanging indexer is still reported to the
 * client.
 */
const rescanTimeoutMs = 10_000

/**
 * Maximum number of connections that the kernel queues until the API accepts them;
 * `net.core.somaxconn` may reduce this number. When the queue is full, a client retries after one,
 * three and seven seconds. With Node's default of 511, a burst of one client delayed other clients.
 */
const backlog = 4096

/** Runs the API until a signal ends it. */
export async function serve(config: ConfigOf<'serve'>): Promise<number> {
  const choice = await chooseLayout(config, 'serve')
  const lifecycle = await startServing(config, { graceMs: graceMs.api, choice })
  return lifecycle.untilEnd()
}

interface Serving {
  /** Longest time in which all parts of the process must end (ms). */
  readonly graceMs: number
  readonly choice: LayoutChoice
  /** The part that is closed after all others. */
  readonly demo?: Part
  /** What the log and every page say of this service. */
  readonly notice?: string
}

/** Starts the API; resolves when it listens. */
export async function startServing(
  config: ConfigOf<'serve'>,
  { graceMs, choice, demo, notice }: Serving,
): Promise<Lifecycle> {
  const control = controlOf(config)
  const administration = administrationOf(config, control)
  const logger = createLogger({ level: config.logLevel, name: 'api' })
  logChoice(choice, config.archive, logger)
  const lifecycle = new Lifecycle({ logger, graceMs })
  if (demo !== undefined) lifecycle.add(demo)
  const reader = await openReader(config)
  lifecycle.add({
    name: 'catalogue',
    close: () => reader.close(),
  })
  endIfChosen(choice, reader, lifecycle)
  // The URL is known only when the server listens, because the port may be 0 in the configuration.
  let baseUrl = ''
  const app = await buildServer({
    reader,
    logger,
    nowUs: createClock(),
    indexerStatus: createStatusReader(control, (reason) => {
      logger.warn({ control_socket: config.controlSocket }, reason)
    }),
    indexerMetrics: () => askMetrics(control),
    settlingFiles: () => askSettling(control),
    administration,
    settings: {
      ...settingsOf(config, logger, notice),
      layout: createLayout(choice.lists),
      baseUrl: () => baseUrl,
    },
  })
  lifecycle.add({ name: 'HTTP server', close: () => app.close() })
  const { host, port } = config
  await app.listen({ host, port, backlog }).catch((error: unknown) => {
    throw cannotListen(config, error)
  })
  const { address, family, port: actualPort } = app.server.address() as AddressInfo
  baseUrl = baseUrlFor(config, actualPort)
  const url = `${baseUrl}/${config.datasetPrefix}/api/rinex-file/`
  const actualHost = family === 'IPv6' ? `[${address}]` : address
  if (process.stdout.isTTY) {
    if (notice !== undefined) await print(`${notice}\nIt is in ${dirname(config.archive)}.`)
    // It leads a browser to the start page.
    await print(`listening on ${baseUrl}/${config.datasetPrefix}/`)
  } else {
    const place = { url, address: `${actualHost}:${actualPort}` }
    logger.info({ ...place, notice, ...(await engineOf(config)) }, 'listening')
  }
  const serviceManager = new ServiceManager(process.env, logger)
  serviceManager.ready(() => describe(reader, url))
  // The service manager is added last, so that it is closed first.
  lifecycle.add({ name: 'service manager', close: () => serviceManager.close() })
  return lifecycle
}

/**
 * Returns a sentence about the work of the API. Without a catalogue, the API continues: it answers
 * 503, and opens the database again by itself.
 */
async function describe(reader: CatalogueReader, url: string): Promise<string> {
  try {
    await reader.head()
    return `serving ${url}`
  } catch (error) {
    if (error instanceof CatalogueUnavailable) return `answering 503: ${error.message}`
    throw error
  }
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
  // An error without these properties is a defect of the program.
  if (!(error instanceof Error) || !('code' in error && 'syscall' in error)) return error
  const remedy = remedies[String(error.code)] ?? 'set host or port to another'
  const where = `host ${JSON.stringify(host)}, port ${port}`
  return new CannotListen(`cannot listen on ${where}: ${error.message}: ${remedy}`, {
    cause: error,
  })
}

function settingsOf(
  config: ConfigOf<'serve'>,
  logger: Logger,
  notice: string | undefined,
): Omit<ApiSettings, 'baseUrl' | 'layout'> {
  return {
    archive: config.archive,
    linkedDirectories: realDirectories(config.linkedDirectories, logger),
    datasetPrefix: config.datasetPrefix,
    internalPrefix: config.internalPrefix,
    maxLimit: config.maxLimit,
    keepRemovalsDays: config.keepRemovalsDays,
    checksums: config.checksums,
    problems: config.problems,
    expected: new ExpectedRules(readExpectedFile(config.expectedFile)),
    places: placesOf(config, logger),
    version: packageVersion(),
    identity: {
      title: config.archiveTitle ?? 'RINEX file catalogue',
      operator: config.archiveOperator,
      contact: config.archiveContact,
      licence: config.archiveLicence,
      stationLink: config.stationLink,
      notice,
    },
    connectionsPerAddress: config.connectionsPerAddress,
    trustedProxies: config.trustedProxies,
  }
}

/** The places of the file; what is wrong with its other lines goes to the log. */
function placesOf({ stationsFile }: ConfigOf<'serve'>, logger: Logger): StationPlaces {
  const { places, faults } = readStationsFile(stationsFile)
  for (const fault of faults) logger.warn({ stations_file: stationsFile }, `stations_file ${fault}`)
  return new StationPlaces(places)
}

function administrationOf(
  config: ConfigOf<'serve'>,
  control: Exchange,
): Administration | undefined {
  const token = readToken('admin_token_file', config.adminTokenFile)
  if (token === undefined) return undefined
  return {
    tokenHash: hashToken(token),
    register: (path) => askIndexer(control, { command: 'register', path }),
    rescan: (order) => askIndexer(control, { command: 'rescan', ...order }, rescanTimeoutMs),
  }
}
