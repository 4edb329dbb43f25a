import { randomUUID } from 'node:crypto'
import type { RequestListener, Server } from 'node:http'
import accepts from '@fastify/accepts'
import type { Socket } from 'node:net'
import fastify, { LogController } from 'fastify'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { bodyValidation } from './admin/request-body.ts'
import { answerClientError } from './http/client-error.ts'
import { compressAnswers } from './http/compression.ts'
import { InFlightRequests } from './connections/in-flight.ts'
import { ClientLimits } from './connections/client-limits.ts'
import { ConnectionLimiter } from './connections/connection-limiter.ts'
import { apiContext } from './http/context.ts'
import type { ApiDeps } from './http/settings.ts'
import { answerError, notFound, sendError } from './http/errors.ts'
import { answerByAccept } from './pages/error-answer.ts'
import { commonHeaders, preflightHeaders } from './http/headers.ts'
import { createHttpServer, faultOf } from './http/http-server.ts'
import { readJsonBodies } from './http/json-body.ts'
import { logAccess, loggedStatus } from './http/access-log.ts'
import type { RecordAccess } from './http/access-log.ts'
import { normaliseTarget } from './http/request-target.ts'
import { knowAllMethods } from './http/resource.ts'
import { addAssets } from './pages/assets-route.ts'
import { addChanges } from './changes/route.ts'
import { addData } from './downloads/route.ts'
import { addHealth } from './status/health.ts'
import { addMetrics, openMetrics } from './status/metrics.ts'
import { addProblems } from './problems/route.ts'
import { addRinexFile } from './files/route.ts'
import { addRoot } from './pages/root.ts'
import { addRescan } from './admin/rescan.ts'
import { addSchema } from './pages/docs-route.ts'
import { addAvailability } from './stations/availability.ts'
import { addLatency } from './stations/latency.ts'
import { addStation } from './stations/route.ts'
import { addStatus } from './status/route.ts'
import { openMissingFiles } from './downloads/missing-files.ts'
import { downloadPaths } from './downloads/schema.ts'
import { listingPaths, listingSchemas } from './listings/schema.ts'
import { collectSchemas } from './openapi/document.ts'

export type { ApiDeps, ApiSettings } from './http/settings.ts'

const mostBodyBytes = 16 * 1024

/** Builds the API on a catalogue. Does not listen; the caller chooses the address. */
export async function buildServer(deps: ApiDeps): Promise<FastifyInstance> {
  const metrics = openMetrics(deps)
  const observe: RecordAccess = (observation) => {
    metrics.observe(observation)
    logAccess(deps.logger, observation)
  }
  const inFlight = new InFlightRequests()
  const limiter = new ConnectionLimiter(deps.settings, {
    rejected: metrics.rejected,
    untrusted: () => {
      deps.logger.warn(
        'requests of a proxy on this machine count as one client: name it in trusted_proxies',
      )
    },
  })
  const clientLimits = new ClientLimits((request) => limiter.addressOf(request))
  const startAnswer = openStartAnswer({ limiter, observe })
  const app = createApp(deps.logger, {
    datasetPrefix: deps.settings.datasetPrefix,
    startAnswer,
    inFlight,
    serverFactory: (handle) => {
      // Before the framework, which would make a request and a reply of each that waits.
      const server = createHttpServer((request, response) => {
        inFlight.begin(response, () => {
          handle(request, response)
        })
      })
      inFlight.watch(server)
      limiter.watch(server)
      clientLimits.watch(server)
      refuseTunnels(server, inFlight)
      return server
    },
  })
  const missingFiles = openMissingFiles({
    onFile: metrics.fileUnavailable,
    nowMs: () => deps.nowUs() / 1000,
  })
  const context = apiContext(deps, clientLimits)
  // Schemas describe answers; what is sent is made by the routes, as bytes.
  app.setSerializerCompiler(() => JSON.stringify)
  await collectSchemas(app, deps.settings, {
    paths: { ...listingPaths, ...downloadPaths },
    schemas: listingSchemas,
  })
  knowAllMethods(app)
  readJsonBodies(app)
  app.addHook('onRequest', startAnswer)
  await app.register(accepts)
  compressAnswers(app)
  answerPreflights(app)
  app.setErrorHandler(answerByAccept)
  app.setNotFoundHandler((request, reply) => {
    answerError(notFound(), request, reply)
  })
  addRoot(app, context)
  addRinexFile(app, context)
  addStation(app, context)
  addAvailability(app, context)
  addLatency(app, context)
  addChanges(app, context)
  addStatus(app, { ...context, missingFiles })
  addProblems(app, { ...context, missingFiles })
  addRescan(app, context)
  addSchema(app, context)
  addData(app, { ...context, missingFiles })
  addHealth(app, context)
  addMetrics(app, metrics)
  await addAssets(app, context)
  // The last of these hooks: clients that wait for changes have left then. The framework closes the server after it,
  // which would cut off an answer whose last bytes are not sent yet.
  app.addHook('preClose', () => inFlight.drain())
  return app
}

/** Begins each answer: `proceed` is called when the route may go on, and not for a request that is rejected. */
type StartAnswer = (request: FastifyRequest, reply: FastifyReply, proceed: () => void) => void

function openStartAnswer(parts: {
  readonly limiter: ConnectionLimiter
  readonly observe: RecordAccess
}): StartAnswer {
  const { limiter, observe } = parts
  return (request, reply, proceed) => {
    reply.headers(commonHeaders).header('x-request-id', request.id)
    observeAnswer(request, reply, observe)
    const rejection = limiter.check(request, reply) ?? faultOf(request.raw)
    if (rejection === undefined) proceed()
    else sendError(rejection, request, reply)
  }
}

/** A response closes also when its client has left; the framework's own hook runs only for answers that were sent. */
function observeAnswer(request: FastifyRequest, reply: FastifyReply, observe: RecordAccess): void {
  const { id, method, routeOptions, originalUrl: target } = request
  reply.raw.once('close', () => {
    observe({
      ...{ id, method, target, route: routeOptions.url ?? 'none' },
      ...{ status: loggedStatus(reply.raw), ms: reply.elapsedTime },
    })
  })
}

interface AppParts {
  readonly datasetPrefix: string
  readonly startAnswer: StartAnswer
  readonly inFlight: InFlightRequests
  readonly serverFactory: (handle: RequestListener) => Server
}

function createApp(logger: Logger, parts: AppParts): FastifyInstance {
  const { datasetPrefix, startAnswer, inFlight, serverFactory } = parts
  // At this level the framework logs only where it listens, which `serve` logs itself.
  const silent = { info: () => undefined }
  const loggerInstance: FastifyBaseLogger = Object.assign(logger.child({}), silent)
  const app = fastify({
    loggerInstance,
    // It would log targets as they came, and two lines of each request.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    // Making a child of the logger for each request costs more than most requests do.
    childLoggerFactory: (parent) => parent,
    serverFactory,
    // Before routing, so that the router and the routes read the same text.
    rewriteUrl: ({ url = '' }) => normaliseTarget(url, datasetPrefix),
    bodyLimit: mostBodyBytes,
    ...bodyValidation,
    // A request that was read is answered, also while the server closes.
    return503OnClosing: false,
    // A path that cannot be decoded, or has a part longer than any of ours, does not exist. No hook runs for it.
    frameworkErrors: (_error, request, reply) => {
      startAnswer(request, reply, () => {
        answerError(notFound(), request, reply)
      })
    },
    clientErrorHandler: (error, socket) => {
      inFlight.endAfterAnswers(socket, (isAnswered) => {
        answerClientError(error, socket, isAnswered)
      })
    },
  })
  return app
}

/** Without a listener Node closes the connection of a CONNECT at once, and with it the answers that are being made. */
function refuseTunnels(server: Server, inFlight: InFlightRequests): void {
  server.on('connect', (_request, socket: Socket) => {
    // Node reads nothing of it any more, and would not see its client leave.
    socket.on('error', () => socket.destroy()).resume()
    inFlight.endAfterAnswers(socket, (isAnswered) => {
      answerClientError(new Error('CONNECT'), socket, isAnswered)
      socket.destroySoon()
    })
  })
}

/** A plain OPTIONS asks what a resource is; a preflight of a browser asks for permission only. */
function answerPreflights(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const isPreflight =
      request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
    if (isPreflight && !request.is404) void reply.code(204).headers(preflightHeaders).send()
    else done()
  })
}
