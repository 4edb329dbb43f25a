import { randomUUID } from 'node:crypto'
import fastifyCors from '@fastify/cors'
import fastify, { LogController } from 'fastify'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { answerClientError } from './client-error.ts'
import { apiContext } from './context.ts'
import type { ApiDeps } from './deps.ts'
import { answerError, notFound } from './errors.ts'
import { commonHeaders, crossOrigin } from './headers.ts'
import { readJsonBodies } from './json-body.ts'
import { printable } from './log-text.ts'
import { knowAllMethods } from './resource.ts'
import { addAssets } from './routes/assets.ts'
import { addChanges } from './routes/changes.ts'
import { addData } from './routes/data.ts'
import { addHealth } from './routes/health.ts'
import { addMetrics } from './routes/metrics.ts'
import { addRinexFile } from './routes/rinex-file.ts'
import { addRoot } from './routes/root.ts'
import { addRescan } from './routes/rescan.ts'
import { addSchema } from './routes/schema.ts'
import { addStation } from './routes/station.ts'
import { addStatus } from './routes/status.ts'

export type { ApiDeps, ApiSettings } from './deps.ts'

/**
 * How long and how much a client may take. Node's own defaults let a thousand connections that dribble their
 * headers stay for a minute, and look for overdue ones only every half a minute.
 */
const limits = {
  headersTimeoutMs: 5000,
  requestTimeoutMs: 10_000,
  checkIntervalMs: 1000,
  /** Between two requests of a connection. */
  keepAliveMs: 5000,
  /** Of a connection on which nothing moves. A download that nobody reads ends after once or twice as long. */
  idleMs: 20_000,
  headerBytes: 8 * 1024,
  bodyBytes: 16 * 1024,
  requestsPerConnection: 1000,
  connections: 2048,
}

/** Builds the API on a catalogue. It does not listen: that is for who knows where. */
export async function buildServer(deps: ApiDeps): Promise<FastifyInstance> {
  const app = createApp(deps)
  const context = apiContext(deps)
  knowAllMethods(app)
  readJsonBodies(app)
  app.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(request, reply)
    done()
  })
  addMetrics(app, context)
  addRequestLog(app, deps)
  await addCors(app)
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
  await addAssets(app, context)
  return app
}

function createApp({ logger }: ApiDeps): FastifyInstance {
  // All the framework says by itself at this level is where it listens, which `serve` says in its own words.
  const silent = { info: () => undefined }
  const loggerInstance: FastifyBaseLogger = Object.assign(logger.child({}), silent)
  const app = fastify({
    loggerInstance,
    // It would log targets as they came, and two lines of each request.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    http: {
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.checkIntervalMs,
      maxHeaderSize: limits.headerBytes,
    },
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionTimeout: limits.idleMs,
    maxRequestsPerSocket: limits.requestsPerConnection,
    bodyLimit: limits.bodyBytes,
    // A request that was read is answered, also while the server closes.
    return503OnClosing: false,
    // A path that cannot be decoded, or has a part longer than any of ours, is one that does not exist.
    frameworkErrors: (_error, request, reply) => {
      setCommonHeaders(request, reply)
      answerError(notFound(), request, reply)
    },
    clientErrorHandler: answerClientError,
  })
  app.server.maxConnections = limits.connections
  return app
}

function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(commonHeaders).header('x-request-id', request.id)
}

/** Any origin may read. A plain OPTIONS asks what a resource is; a preflight asks for leave only. */
async function addCors(app: FastifyInstance): Promise<void> {
  await app.register(fastifyCors, {
    ...crossOrigin,
    strictPreflight: false,
    preflightContinue: true,
  })
  app.addHook('onRequest', (request, reply, done) => {
    if (request.method !== 'OPTIONS') done()
    // The plugin's own route, which would give leave for paths that do not exist.
    else if (request.routeOptions.url === '*') reply.callNotFound()
    else if (request.headers['access-control-request-method'] === undefined) done()
    else void reply.code(204).send()
  })
}

function addRequestLog(app: FastifyInstance, { logger }: ApiDeps): void {
  app.addHook('onResponse', (request, reply, done) => {
    if (logger.isLevelEnabled('debug')) {
      const target = printable(request.raw.url ?? '')
      const facts = { method: request.method, target, status: reply.statusCode }
      request.log.debug({ ...facts, ms: reply.elapsedTime }, 'answered')
    }
    done()
  })
}
