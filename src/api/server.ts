import { randomUUID } from 'node:crypto'
import type { RequestListener, Server } from 'node:http'
import fastify, { LogController } from 'fastify'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { answerClientError } from './client-error.ts'
import { apiContext } from './context.ts'
import type { ApiDeps } from './deps.ts'
import { answerError, notFound } from './errors.ts'
import { commonHeaders, preflightHeaders } from './headers.ts'
import { readJsonBodies } from './json-body.ts'
import { openFinishedAnswers } from './finished.ts'
import { openHotFiles } from './hot-files.ts'
import { createHttpServer } from './http-server.ts'
import { openPress } from './press/press.ts'
import { answerAgain } from './ready-answers.ts'
import { logAnswered } from './request-log.ts'
import { toldStatus } from './observation.ts'
import type { Observe } from './observation.ts'
import { normaliseTarget } from './request-target.ts'
import { knowAllMethods } from './resource.ts'
import { addAssets } from './routes/assets.ts'
import { addChanges } from './routes/changes.ts'
import { addData } from './routes/data.ts'
import { addHealth } from './routes/health.ts'
import { addMetrics, openMetrics } from './routes/metrics.ts'
import { addRinexFile } from './routes/rinex-file.ts'
import { addRoot } from './routes/root.ts'
import { addRescan } from './routes/rescan.ts'
import { addSchema } from './routes/schema.ts'
import { addStation } from './routes/station.ts'
import { addStatus } from './routes/status.ts'
import { openUnserved } from './unserved.ts'

export type { ApiDeps, ApiSettings } from './deps.ts'

const mostBodyBytes = 16 * 1024

/** Builds the API on a catalogue. It does not listen: that is for who knows where. */
export async function buildServer(deps: ApiDeps): Promise<FastifyInstance> {
  const metrics = openMetrics(deps)
  const observe: Observe = (observation) => {
    metrics.observe(observation)
    logAnswered(deps.logger, observation)
  }
  const press = openPress()
  const finished = openFinishedAnswers(deps.reader, press)
  const { archive, hotFileBytes } = deps.settings
  const hotFiles = openHotFiles({ reader: deps.reader, press, archive, mostBytes: hotFileBytes })
  const again = answerAgain([finished, hotFiles], observe)
  const clients = { limits: deps.settings, turnedAway: metrics.turnedAway }
  const { datasetPrefix } = deps.settings
  const app = createApp({ logger: deps.logger, datasetPrefix }, (handle) =>
    createHttpServer(handle, again, clients),
  )
  const unserved = openUnserved({ onFile: metrics.notServed })
  const context = apiContext(deps, { finished, hotFiles, unserved })
  knowAllMethods(app)
  readJsonBodies(app)
  app.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(request, reply)
    done()
  })
  observeRequests(app, observe)
  answerPreflights(app)
  app.setErrorHandler(answerError)
  app.setNotFoundHandler((request, reply) => {
    answerError(notFound(), request, reply)
  })
  addRoot(app, context)
  addRinexFile(app, context)
  addStation(app, context)
  addChanges(app, context)
  addStatus(app, context)
  addRescan(app, context)
  addSchema(app, context)
  addData(app, context)
  addHealth(app, context)
  addMetrics(app, metrics)
  await addAssets(app, context)
  return app
}

function createApp(
  { logger, datasetPrefix }: { readonly logger: Logger; readonly datasetPrefix: string },
  serverFactory: (handle: RequestListener) => Server,
): FastifyInstance {
  // All the framework says by itself at this level is where it listens, which `serve` says in its own words.
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
    // No route gives the framework a schema, whose compilers it would load all the same: ten megabytes of memory.
    schemaController: {
      compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas },
    },
    // A request that was read is answered, also while the server closes.
    return503OnClosing: false,
    // A path that cannot be decoded, or has a part longer than any of ours, is one that does not exist.
    frameworkErrors: (_error, request, reply) => {
      setCommonHeaders(request, reply)
      answerError(notFound(), request, reply)
    },
    clientErrorHandler: answerClientError,
  })
  return app
}

function noSchemas(): never {
  throw new Error('no route has a schema')
}

function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(commonHeaders).header('x-request-id', request.id)
}

/** A plain OPTIONS asks what a resource is; a preflight of a browser asks for leave only. */
function answerPreflights(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const isPreflight =
      request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
    if (isPreflight && !request.is404) void reply.code(204).headers(preflightHeaders).send()
    else done()
  })
}

/** The framework tells of answers that were taken to their end; a response closes also when its client has left. */
function observeRequests(app: FastifyInstance, observe: Observe): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { id, method, routeOptions, originalUrl: target } = request
    reply.raw.once('close', () => {
      observe({
        ...{ id, method, target, route: routeOptions.url ?? 'none' },
        ...{ status: toldStatus(reply.raw), ms: reply.elapsedTime },
      })
    })
    done()
  })
}
