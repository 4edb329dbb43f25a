/** The routes of a resource: its methods, OPTIONS, a redirect to the slash, and 405. */
import { METHODS } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { CatalogueReader } from '../../catalogue/questions/reader.ts'
import type { DescribedResource, RouteSchema } from '../openapi/openapi.ts'
import { HttpError, notYet } from './errors.ts'
import type { Format } from './formats.ts'
import { mediaTypes } from './formats.ts'
import { sendJson } from './send.ts'

/** Checks that a request comes from an administrator. @throws HttpError 401 or 403 */
export type Authentication = (request: FastifyRequest) => void

export interface Resource extends DescribedResource {
  /** The pattern for the router. A path with GET is redirected to its slash at the end. */
  readonly path: string
  readonly get?: RouteHandlerMethod
  readonly post?: {
    readonly schema: RouteSchema
    /** Without it, everybody may ask. */
    readonly authenticate?: Authentication
    /** The format of its bodies; by default JSON. */
    readonly parses?: Format
    /** Checks the body, and answers. */
    readonly handler: RouteHandlerMethod
  }
  /** The formats of its responses; by default JSON. */
  readonly formats?: readonly Format[]
}

/** All methods that Node parses. CONNECT never reaches a route. */
const methods = METHODS.filter((method) => method !== 'CONNECT')

declare module 'fastify' {
  interface FastifyInstance {
    /** The resources in the order of their registration. */
    readonly resources: DescribedResource[]
  }
}

/** Lets the app have routes for all methods, so that a resource answers 405 itself. */
export function supportResources(app: FastifyInstance): void {
  app.decorate('resources', [])
  for (const method of methods)
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
}

function methodsOf({ get, post }: Resource): readonly string[] {
  return [...(get ? ['GET'] : []), ...(post ? ['POST'] : []), ...(get ? ['HEAD'] : []), 'OPTIONS']
}

export function addResource(app: FastifyInstance, resource: Resource): void {
  const { path, get, post } = resource
  app.resources.push(resource)
  const allowed = methodsOf(resource)
  const allow = allowed.join(', ')
  if (get !== undefined) {
    app.route({
      url: path,
      // The framework's own HEAD route would send the length of an empty body.
      method: ['GET', 'HEAD'],
      handler(request, reply) {
        reply.header('allow', allow)
        return get.call(this, request, reply)
      },
    })
    if (path.endsWith('/') && path !== '/') addRedirect(app, path)
  }
  if (post !== undefined) {
    app.post(path, {
      onRequest: (request, reply, done) => {
        reply.header('allow', allow)
        post.authenticate?.(request)
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
      throw new HttpError(405, `Method "${request.method}" not allowed.`)
    },
    handler: () => undefined,
  })
}

/** Redirects to the path with a slash, by a relative location of only what the route matched. */
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

/** The query of a request target with its question mark, or an empty string. */
export function rawQuery(target: string): string {
  const start = target.indexOf('?')
  return start === -1 ? '' : target.slice(start)
}

/** Answers OPTIONS as Django REST framework does; 204 for a resource without a description. */
function describe(
  reply: FastifyReply,
  { schema, post, formats = ['json'] }: Resource,
): FastifyReply {
  const { about } = schema ?? post?.schema ?? {}
  if (about === undefined) return reply.code(204).send()
  const renders = formats.map((format) => mediaTypes[format])
  return sendJson(reply, { ...about, renders, parses: [mediaTypes[post?.parses ?? 'json']] })
}

/** Longest time for which a request waits for a number of the catalogue (ms). */
const longestMs = 1000

/**
 * The header `Catalogue-Seq`: the client has seen this number, perhaps from a host that is ahead of
 * this one, and wants no older state.
 * @throws HttpError 400 for a header that is no number, 503 if the catalogue stays behind
 */
export async function untilLeastSeq(
  { headers }: Pick<FastifyRequest, 'headers'>,
  reader: Pick<CatalogueReader, 'head' | 'untilWritten'>,
): Promise<void> {
  const wanted = headers['catalogue-seq']
  if (wanted === undefined) return
  if (typeof wanted !== 'string' || !/^\d{1,15}$/.test(wanted))
    throw new HttpError(400, 'The header Catalogue-Seq must be a whole number.')
  const endMs = performance.now() + longestMs
  while ((await reader.head()).seq < Number(wanted)) {
    if (performance.now() >= endMs) throw notYet(Number(wanted))
    await reader.untilWritten()
  }
}
