/**
 * From a request to the answer of a resource: negotiation, parameters, ignored parameters, 304,
 * limit, reading, writing. The list of files, the change feed and downloads have ways of their own.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { Head } from '../../catalogue/records.ts'
import { isFresh, sendNotModified } from '../http/conditional-requests.ts'
import type { ApiContext } from '../http/context.ts'
import type { FormState } from '../http/errors.ts'
import { BadFields, resetHeaders } from '../http/errors.ts'
import type { Format } from '../http/formats.ts'
import { compressedVary, isNamed, mediaTypes, negotiate } from '../http/formats.ts'
import type { HeaderFields } from '../http/headers.ts'
import type { Requester } from '../http/limits.ts'
import { addResource } from '../http/resource.ts'
import { send, sendElsewhere } from '../http/send.ts'
import type { Content, ParameterSchemas, RouteSchema } from '../openapi/openapi.ts'
import { curl, exampleLinks } from '../openapi/openapi.ts'
import * as common from '../openapi/parameters.ts'
import type { ErrorName, HeaderName } from '../openapi/responses.ts'
import { errors, negotiated } from '../openapi/responses.ts'
import type { Schema } from '../openapi/schema.ts'
import { exampleOf, text } from '../openapi/schema.ts'
import { schemasOf } from '../parameters/parameter.ts'
import type { Accepts, Parameters, Query, Request } from '../parameters/request.ts'
import { ignoredHeader, readRequest } from '../parameters/request.ts'

/** The state that an answer follows from. */
export interface AnswerState {
  /** The head of the catalogue, or a text that changes whenever the answer does. */
  readonly version: Head | string
  /** True if the answer depends on the details of files. */
  readonly details?: boolean
  /** Headers of the answer, and of 304. */
  readonly headers?: HeaderFields
}

/** A request whose parameters are valid. */
export interface RequestOf<P extends Parameters, Name extends Format> extends Request<P> {
  readonly format: Name
  readonly request: FastifyRequest
  /** What the form of a page says of parameters that were refused. */
  readonly refused?: FormState | undefined
}

/** The answer in each format: as text, or JSON as a value. Only one of them is made. */
export interface Answer<Name extends Format> {
  readonly bodies: {
    readonly [Each in Name]: () => Each extends 'json' ? unknown : string | Promise<string>
  }
  /** The state that was read with the answer, if it can be newer than that before. */
  readonly version?: Head | string | undefined
  readonly headers?: HeaderFields
  /** Where the client is sent instead: a relative URL. */
  readonly location?: string | undefined
}

/** A resource that is read: how it answers, and what the OpenAPI document says of it. */
interface Declaration<
  P extends Parameters,
  Name extends Format,
  S extends AnswerState | undefined,
> {
  /** The path below the API, with patterns of the router. */
  readonly path: string
  readonly formats: readonly Name[]
  /** Without it, the resource has no parameters. */
  readonly accepts?: Accepts<P>
  /** True if its page has a form, which says what of a request was refused. */
  readonly hasForm?: boolean
  readonly operation: Operation
  readonly bodies: Bodies
  /**
   * What the answer follows from, before the limits count the request; `undefined` if only the
   * answer shows it. Throws `HttpError` for a resource that is not there.
   */
  readonly state: (asked: RequestOf<P, Name>) => S | Promise<S>
  /** Reads the answer, in a turn of the requester. */
  readonly read: (
    asked: RequestOf<P, Name>,
    state: S,
    requester: Requester,
  ) => Answer<Name> | Promise<Answer<Name>>
}

export function addAnswer<
  P extends Parameters,
  Name extends Format,
  S extends AnswerState | undefined,
>(app: FastifyInstance, context: ApiContext, resource: Declaration<P, Name, S>): void {
  const { path, formats, accepts = none<P>(), operation, bodies } = resource
  addResource(app, {
    path: `${context.apiPath}${path}`,
    formats,
    schema: operationOf(operation, accepts, { formats, bodies }),
    get: answering(context, resource),
  })
}

const none = <P extends Parameters>(): Accepts<P> => ({ parameters: {} as P })

function answering<P extends Parameters, Name extends Format, S extends AnswerState | undefined>(
  { tag, limits }: ApiContext,
  { formats, accepts = none<P>(), hasForm = false, state: stateOf, read }: Declaration<P, Name, S>,
): RouteHandlerMethod {
  const answer = async (
    { format, request, reply }: Asking<Name>,
    query: Query,
    refused?: FormState,
  ) => {
    const asked = { ...readRequest(query, accepts, format), format, request, refused }
    const isFreshAt = (version: Head | string, details: boolean): boolean =>
      refused === undefined && isFresh(request, reply, tag(version, format, { details }))
    reply.headers(ignoredHeader(asked.ignored))
    const state = await stateOf(asked)
    const { details = false } = state ?? {}
    if (state !== undefined) {
      reply.headers(state.headers ?? {})
      if (isFreshAt(state.version, details)) return sendNotModified(reply)
    }
    const requester = await limits.page(request, reply)
    const answer = await withForm(asked, async () => read(asked, state, requester))
    await requester.turn()
    reply.headers(answer.headers ?? {})
    const { version, location } = answer
    if (location !== undefined) return sendElsewhere(reply, location)
    if (version !== undefined && isFreshAt(version, details)) return sendNotModified(reply)
    const bodies: Readonly<Record<Name, () => unknown>> = answer.bodies
    const body = await withForm(asked, () => bodies[format]())
    return send(reply, format, typeof body === 'string' ? body : JSON.stringify(body))
  }
  return (request, reply) => {
    const asking = { format: negotiate(formats, request, reply), request, reply }
    const query = request.query as Query
    return hasForm ? keepingPage(asking, query, answer) : answer(asking, query)
  }
}

/** A request for a format, and its answer. */
export interface Asking<Name extends Format> {
  readonly format: Name
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/**
 * Answers a request. If it has faults, a person gets the page of the request without them, whose
 * form says what was refused.
 */
export async function keepingPage<Name extends Format, T>(
  asking: Asking<Name>,
  query: Query,
  answer: (asking: Asking<Name>, query: Query, refused?: FormState) => Promise<T>,
): Promise<T> {
  try {
    return await answer(asking, query)
  } catch (error) {
    if (asking.format !== 'html' || !(error instanceof BadFields)) throw error
    const { fields, request = { kept: [], limit: 0 } } = error
    const valid = Object.entries(query).filter(([name]) => !Object.hasOwn(fields, name))
    resetHeaders(asking.reply)
    asking.reply.code(error.statusCode).header('vary', compressedVary)
    const refused = { ...request, faults: fields }
    return await answer(asking, Object.fromEntries(valid), refused).catch(() => {
      throw error
    })
  }
}

/** Faults that only the answer finds are shown in the form of the resource, as all others are. */
async function withForm<T>(
  { kept, range }: Request<Parameters>,
  answer: () => T | Promise<T>,
): Promise<T> {
  try {
    return await answer()
  } catch (error) {
    throw error instanceof BadFields ? error.in({ kept, limit: range.limit }) : error
  }
}

/** What the OpenAPI document says of a resource beyond its parameters and formats. */
export interface Operation {
  readonly id: string
  readonly tag: string
  /** The name of the resource in the response to OPTIONS. */
  readonly name: string
  readonly summary: string
  /** A sentence about the resource, for OPTIONS and the root; the description begins with it. */
  readonly about: string
  readonly description?: string
  readonly returns: string
  readonly headers?: readonly HeaderName[]
  readonly params?: ParameterSchemas
  /** Errors besides those that every resource has; by default `Unavailable` alone. */
  readonly errors?: readonly ErrorName[]
  readonly samples: readonly string[]
}

/** The schemas of the bodies of an answer; a format without one is text. */
export type Bodies = Readonly<Partial<Record<Format, Schema>>>

export function operationOf<P extends Parameters>(
  { id, tag, name, summary, about, description, returns, params, samples, ...more }: Operation,
  { parameters, filters }: Accepts<P>,
  { formats, bodies }: { readonly formats: readonly Format[]; readonly bodies: Bodies },
): RouteSchema {
  const paged = 'offset' in parameters ? (['Link'] as const) : []
  return {
    operationId: id,
    tags: [tag],
    summary,
    about: { name, description: about },
    ...(description !== undefined && { description }),
    ...(params && { params }),
    querystring: {
      ...schemasOf([...(filters ?? []), ...Object.entries(parameters)]),
      strict: common.strict,
      format: common.format(['api', ...formats.filter(isNamed)]),
    },
    headers: common.ifNoneMatch,
    response: {
      '200': negotiated(
        returns,
        contentOf(formats, bodies),
        ...paged,
        'Ignored-Parameters',
        ...(more.headers ?? []),
      ),
      ...errors('NotModified', 'BadParameters', 'NotFound', 'NotAcceptable'),
      ...errors('TooManyRequests', ...(more.errors ?? ['Unavailable'])),
    },
    'x-codeSamples': samples.map((sample) => curl(`${exampleLinks.api}${sample}`)),
  }
}

function contentOf(formats: readonly Format[], bodies: Bodies): Content {
  return Object.fromEntries(
    formats.map((format) => {
      const schema = bodies[format]
      const described = schema && { schema, example: exampleOf(schema) }
      return [mediaTypes[format], described ?? { schema: text() }] as const
    }),
  )
}
