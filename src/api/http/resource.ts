/** A resource of the service: which methods it knows, and what it answers to all the others. */
import { METHODS } from 'node:http'
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  RouteHandlerMethod,
} from 'fastify'
import { sendJson } from './context.ts'
import { methodNotAllowed } from './errors.ts'
import { mediaTypes } from './negotiate.ts'

/** Lets a request of an administrator pass, before its body is read; throws `HttpError` 401 or 403 for others. */
export type Authentication = (request: FastifyRequest) => void

export interface Resource {
  /** As the router matches it. A path that ends with a slash is also known without: by a redirect. */
  readonly path: string
  readonly get?: RouteHandlerMethod
  /** Describes GET; a resource without it is not in the description. */
  readonly schema?: FastifySchema
  readonly post?: {
    readonly schema: FastifySchema
    /** Throws for who may not; called before a body is read. */
    readonly authenticate: Authentication
    readonly handler: RouteHandlerMethod
  }
  /** Media types it has, where these are not JSON and HTML. */
  readonly renders?: readonly string[]
  /** What OPTIONS tells, in DRF's form; without it OPTIONS names the methods only. */
  readonly about?: { readonly name: string; readonly description: string }
}

/** Methods a server can be sent at all; a CONNECT is refused before it reaches a route. */
const methods = METHODS.filter((method) => method !== 'CONNECT')

/** Lets routes be registered for every method there is, so that a resource can refuse them in its own words. */
export function knowAllMethods(app: FastifyInstance): void {
  for (const method of methods)
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
}

/** Methods that a resource knows, in the order in which its answers name them. */
export function methodsOf({ get, post }: Pick<Resource, 'get' | 'post'>): readonly string[] {
  return [
    ...(get === undefined ? [] : ['GET']),
    ...(post === undefined ? [] : ['POST']),
    ...(get === undefined ? [] : ['HEAD']),
    'OPTIONS',
  ]
}

export function addResource(app: FastifyInstance, resource: Resource): void {
  const { path, get, schema, post } = resource
  const allowed = methodsOf(resource)
  const allow = allowed.join(', ')
  if (get !== undefined) {
    app.route({
      url: path,
      // Not the HEAD the framework would add, which does not know the length of a file that is not read.
      method: ['GET', 'HEAD'],
      ...(schema && { schema }),
      // Parameters are read by the table of each resource, which ignores some faults and names all others at once.
      validatorCompiler: () => () => true,
      handler(request, reply) {
        reply.header('allow', allow)
        return get.call(this, request, reply)
      },
    })
    if (path.endsWith('/')) addRedirect(app, path)
  }
  if (post !== undefined) {
    app.post(path, {
      schema: post.schema,
      onRequest: (request, reply, done) => {
        reply.header('allow', allow)
        post.authenticate(request)
        done()
      },
      // A body may be left out.
      preValidation: (request, _reply, done) => {
        request.body ??= {}
        done()
      },
      handler: post.handler,
    })
  }
  app.options(path, (_request, reply) => describe(reply.header('allow', allow), resource))
  app.route({
    url: path,
    method: methods.filter((method) => !allowed.includes(method)),
    onRequest: (request, reply) => {
      reply.header('allow', allow)
      throw methodNotAllowed(request.method)
    },
    handler: unreachable,
  })
}

/** For routes that have answered before a handler is due. */
function unreachable(): never {
  throw new Error('a request went past its refusal')
}

/**
 * Sends who forgot the slash to the path with it. The location is relative and made of nothing but what this
 * route matched, so it can lead nowhere else; the query stays as it was written.
 */
function addRedirect(app: FastifyInstance, path: string): void {
  const bare = path.slice(0, -1)
  const lastSegment = bare.slice(bare.lastIndexOf('/') + 1)
  app.get(bare, (request, reply) => {
    const [parameter = ''] = Object.values(request.params as object) as string[]
    const name = lastSegment.startsWith(':') ? parameter : lastSegment
    const location = `${name}/${rawQuery(request.raw.url ?? '')}`
    return reply.code(301).header('location', location).send()
  })
}

/** The query of a request target with its question mark, or nothing. */
export function rawQuery(target: string): string {
  const start = target.indexOf('?')
  return start === -1 ? '' : target.slice(start)
}

function describe(reply: FastifyReply, { about, get, renders }: Resource): FastifyReply {
  if (about === undefined) return reply.code(204).send()
  const usual = get === undefined ? [mediaTypes.json] : [mediaTypes.json, mediaTypes.html]
  return sendJson(reply, { ...about, renders: renders ?? usual, parses: [mediaTypes.json] })
}
