/** The API server: the framework with its hooks, all routes, and the limits of connections. */
import { randomUUID } from 'node:crypto'
import type { RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'
import accepts from '@fastify/accepts'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fastify, { LogController } from 'fastify'
import type { Logger } from 'pino'
import { countriesOf } from '../parse/countries.ts'
import { notScanned } from '../series/as-of.ts'
import { ExpectedRules } from '../series/expectation.ts'
import { readJsonBodies } from './admin/request-body.ts'
import { ArchiveReader } from './archive/archive-reader.ts'
import { ConnectionLimiter } from './connections/connection-limiter.ts'
import { InFlightRequests, keepAlive } from './connections/in-flight.ts'
import { Turns } from './connections/turns.ts'
import { ServedFiles } from './downloads/served-files.ts'
import { UnservedFiles } from './downloads/unserved-files.ts'
import type { RecordAccess } from './http/access-log.ts'
import { logAccess, observeResponse } from './http/access-log.ts'
import { compressAnswers } from './http/compression.ts'
import { apiContext } from './http/context.ts'
import { notFound, sendError } from './http/errors.ts'
import { commonHeaders, preflightHeaders } from './http/headers.ts'
import {
  answerClientError,
  createHttpServer,
  faultOf,
  normaliseTarget,
} from './http/http-server.ts'
import { ClientLimits } from './http/limits.ts'
import { supportResources, untilLeastSeq } from './http/resource.ts'
import type { ApiDeps } from './http/settings.ts'
import { KnownPlaces } from './map/known-places.ts'
import { StationMap } from './map/station-map.ts'
import { countMissing } from './missing/missing-slots.ts'
import { addAssets } from './pages/assets.ts'
import { answerByAccept } from './pages/error-answer.ts'
import { Site } from './pages/site.ts'
import { addResources } from './resources.ts'
import { addEntrances } from './resources/root.ts'
import { AsOfReader } from './series/as-of-reader.ts'
import type { NetworkContext } from './series/network-context.ts'
import { bannerOf } from './series/network-context.ts'
import { NetworkStatusCache } from './series/network-status.ts'
import type { Metrics } from './status/metrics.ts'
import { addMetrics, createMetrics } from './status/metrics.ts'
import { addHealth } from './status/route.ts'

export type { ApiDeps, ApiSettings } from './http/settings.ts'

const maxBodyBytes = 16 * 1024

/** By how many milliseconds the number of alerts in the header of a page may be old. */
const alertsAgeMs = 30_000

/** Builds the API on a catalogue. Does not listen; the caller chooses the address. */
export async function buildServer(deps: ApiDeps): Promise<FastifyInstance> {
  const asOfReader = new AsOfReader(deps)
  const { expected = new ExpectedRules([]), places: inFile } = deps.settings
  const turns = new Turns()
  const network = new NetworkStatusCache({ ...deps, expected, asOfReader, turns })
  const archive = new ArchiveReader(deps)
  const metrics = createMetrics({ ...deps, archive, asOfReader, network })
  const observe: RecordAccess = (observation) => {
    metrics.observe(observation)
    logAccess(deps.logger, observation)
  }
  const inFlight = new InFlightRequests()
  const limiter = limiterOf(deps, metrics.rejected)
  const clientLimits = new ClientLimits((request) => limiter.addressOf(request), turns)
  const site = siteOf(deps, network, asOfReader)
  const context = apiContext(deps, clientLimits, site)
  const startResponse = createStartResponse(limiter, observe, context.apiPath)
  const answer = answerByAccept(context)
  const app = createApp(deps.logger, {
    datasetPrefix: deps.settings.datasetPrefix,
    startResponse,
    answer,
    inFlight,
    serverFactory: serverFactory({ inFlight, limiter, turns }),
  })
  const unservedFiles = new UnservedFiles(metrics.fileUnavailable, () => deps.nowUs() / 1000)
  supportResources(app)
  readJsonBodies(app)
  app.addHook('onRequest', startResponse)
  app.addHook('onRequest', (request) => untilLeastSeq(request, deps.reader))
  await app.register(accepts)
  site.addTo(app)
  compressAnswers(app)
  answerPreflights(app)
  // Before a body is read: its type could be none that the API knows.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) answer(notFound(), request, reply)
    else done()
  })
  app.setErrorHandler(answer)
  app.setNotFoundHandler((request, reply) => {
    answer(notFound(), request, reply)
  })
  const map = new StationMap()
  const places = new KnownPlaces(deps.reader, inFile)
  readAhead(app, { network, map, places })
  const servedFiles = new ServedFiles({ ...context, unservedFiles })
  const own = { expected, places, asOfReader, network, archive, map, unservedFiles, servedFiles }
  addResources(app, { ...context, ...own })
  addEntrances(app, context)
  addHealth(app, context)
  addMetrics(app, metrics)
  await addAssets(app, context)
  // This is the last `preClose` hook, so it runs after the hook that ends long polls. After this
  // hook, the framework closes the server. Without the hook, that would cut off responses whose
  // last bytes are not sent yet.
  app.addHook('preClose', () => inFlight.drain())
  return app
}

/**
 * Reads the deliveries of the last weeks, and coasts, before the first request needs them. An error
 * is ignored here: a request that needs them gets it.
 */
function readAhead(
  app: FastifyInstance,
  { network, map, places }: Pick<NetworkContext, 'network' | 'map' | 'places'>,
): void {
  const read = async (): Promise<void> => {
    const { head } = await network.current()
    map.readAhead((await places.at(head)).all)
  }
  app.addHook('onListen', (done) => {
    read().catch(() => undefined)
    done()
  })
}

function limiterOf(
  { settings, logger }: ApiDeps,
  rejected: Metrics['rejected'],
): ConnectionLimiter {
  return new ConnectionLimiter(settings, {
    rejected,
    untrusted: () => {
      logger.warn(
        'requests of a proxy on this machine count as one client: name it in trusted_proxies',
      )
    },
  })
}

function siteOf(
  { settings, reader, indexerStatus }: ApiDeps,
  network: NetworkStatusCache,
  asOfReader: AsOfReader,
): Site {
  const missingOf = (codes: readonly string[]) =>
    network.latest === undefined ? 0 : countMissing(network.latest, codes)
  return new Site(settings, async () => {
    // States that were known of the empty catalogue cannot be read during the first scan.
    const known = await network.ifLoaded(alertsAgeMs).catch(() => undefined)
    const asOf = await asOfReader.of(await reader.head())
    const isScanned = asOf.seconds !== undefined
    const status = isScanned ? undefined : await indexerStatus().catch(() => undefined)
    const scan = status && 'scan' in status ? status.scan : undefined
    // Until the first scan has ended, how far it is comes before why it does not go on.
    const isSaid = isScanned || (scan === undefined && asOf.notCurrent !== notScanned)
    return {
      openAlerts: isScanned ? (known?.losses.filter(({ alert }) => alert).length ?? 0) : 0,
      missingOf,
      countries: isScanned ? countriesOf(Array.from(known?.stations.keys() ?? [])) : [],
      isScanned,
      isEmpty: isScanned && known?.stations.size === 0,
      scan,
      banner: isSaid ? bannerOf(asOf) : [],
    }
  })
}

/** Paths that are answered at once, whatever else there is to do. */
const urgentPath = /^\/(?:healthz|readyz|metrics)(?:\?|$)/

interface ServerParts {
  readonly inFlight: InFlightRequests
  readonly limiter: ConnectionLimiter
  readonly turns: Turns
}

function serverFactory({ inFlight, limiter, turns }: ServerParts) {
  return (handle: RequestListener): Server => {
    // Requests wait before the framework, which would create a request and a reply object for each
    // request in the queue.
    const server = createHttpServer((request, response) => {
      const start = (): void => {
        if (!request.socket.destroyed) handle(request, response)
      }
      inFlight.begin(response, () => {
        if (urgentPath.test(request.url ?? '')) start()
        else turns.start(limiter.addressOf({ raw: request }), start)
      })
    })
    for (const each of [inFlight, limiter, turns]) each.watch(server)
    rejectTunnels(server, inFlight)
    return server
  }
}

/**
 * Sets the common headers, observes the response, and calls `proceed` unless the request is
 * rejected. Below the API all responses vary with `Accept`, because all errors do.
 */
type StartResponse = (request: FastifyRequest, reply: FastifyReply, proceed: () => void) => void

function createStartResponse(
  limiter: ConnectionLimiter,
  observe: RecordAccess,
  apiPath: string,
): StartResponse {
  return (request, reply, proceed) => {
    reply.headers({ ...commonHeaders, 'x-request-id': request.id, 'keep-alive': keepAlive })
    if (request.raw.url?.startsWith(apiPath) === true) reply.header('vary', 'Accept')
    // Limits, metrics, streams and the framework listen for `close`. Node would warn about the
    // eleventh listener.
    reply.raw.setMaxListeners(20)
    observeResponse(request, reply, observe)
    const rejection = limiter.check(request, reply) ?? faultOf(request.raw)
    if (rejection === undefined) proceed()
    else sendError(rejection, request, reply)
  }
}

interface AppParts {
  readonly datasetPrefix: string
  readonly startResponse: StartResponse
  readonly answer: ReturnType<typeof answerByAccept>
  readonly inFlight: InFlightRequests
  readonly serverFactory: (handle: RequestListener) => Server
}

function noSchemas(): never {
  throw new Error('the framework gets no schemas')
}

function createApp(logger: Logger, parts: AppParts): FastifyInstance {
  const { datasetPrefix, startResponse, answer, inFlight, serverFactory } = parts
  // The framework logs only its address at the level `info`, and `serve` logs the address itself.
  const silent = { info: () => undefined }
  const loggerInstance: FastifyBaseLogger = Object.assign(logger.child({}), silent)
  return fastify({
    loggerInstance,
    // The framework would log two lines per request, with raw targets.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    // A child logger per request would cost more than most requests.
    childLoggerFactory: (parent) => parent,
    serverFactory,
    // No route has a schema for the framework: loading its compilers would be a sixth of the start.
    schemaController: {
      compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas },
    },
    // The target is rewritten before routing, so that router and routes read the same target.
    rewriteUrl: ({ url = '' }) => normaliseTarget(url, datasetPrefix),
    bodyLimit: maxBodyBytes,
    // Requests that were received are answered also while the server closes.
    return503OnClosing: false,
    // Answers 404 if the path cannot be decoded or one of its segments is too long. No hook runs
    // for these requests.
    frameworkErrors: (_error, request, reply) => {
      startResponse(request, reply, () => {
        answer(notFound(), request, reply)
      })
    },
    clientErrorHandler: (error, socket) => {
      inFlight.endAfterAnswers(socket, (isAnswered) => {
        answerClientError(error, socket, isAnswered)
      })
    },
  })
}

/** Rejects CONNECT; without a listener, Node would cut off responses in flight. */
function rejectTunnels(server: Server, inFlight: InFlightRequests): void {
  server.on('connect', (_request, socket: Socket) => {
    // Node no longer reads this socket, and would not notice that the client leaves.
    socket.on('error', () => socket.destroy()).resume()
    inFlight.endAfterAnswers(socket, (isAnswered) => {
      answerClientError(new Error('CONNECT'), socket, isAnswered)
      socket.destroySoon()
    })
  })
}

/** Answers CORS preflights of existing paths with 204; the routes answer other OPTIONS. */
function answerPreflights(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const isPreflight =
      request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
    if (isPreflight && !request.is404) void reply.code(204).headers(preflightHeaders).send()
    else done()
  })
}
