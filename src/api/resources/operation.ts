/** The OpenAPI operation of a resource that is read. Pure. */
import { isNamed, mediaTypes } from '../http/formats.ts'
import type { Format } from '../http/formats.ts'
import { curl, exampleLinks } from '../openapi/openapi.ts'
import type {
  Content,
  MediaTypeObject,
  Parameters as OpenApiParameters,
  RouteSchema,
} from '../openapi/openapi.ts'
import * as common from '../openapi/parameters.ts'
import { errors, negotiated } from '../openapi/responses.ts'
import type { ErrorName, HeaderName } from '../openapi/responses.ts'
import { schemasOf } from '../parameters/parameter.ts'
import type { Accepted, Parameters } from '../parameters/request.ts'

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
  /** What the response is: a sentence. */
  readonly returns: string
  readonly headers?: readonly HeaderName[]
  /** Parameters in the path. */
  readonly params?: OpenApiParameters
  /** Errors besides those that every resource has; by default `Unavailable` alone. */
  readonly errors?: readonly ErrorName[]
  /** Example requests below the API. */
  readonly samples: readonly string[]
}

/** The bodies of an answer; a format without one is text. */
export type Bodies = Readonly<Partial<Record<Format, MediaTypeObject>>>

export function operationOf<P extends Parameters>(
  { id, tag, name, summary, about, description, returns, params, samples, ...more }: Operation,
  { parameters, filters, maxLimit }: Accepted<P>,
  { formats, bodies }: { readonly formats: readonly Format[]; readonly bodies: Bodies },
): RouteSchema {
  const paged = maxLimit === undefined ? [] : (['Link'] as const)
  return {
    operationId: id,
    tags: [tag],
    summary,
    about: { name, description: about },
    ...(description !== undefined && { description }),
    ...(params && { params }),
    querystring: {
      ...schemasOf([...(filters ?? []), ...Object.entries(parameters)]),
      ...(maxLimit !== undefined && common.paging(maxLimit)),
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
  const text = { schema: { type: 'string' } }
  return Object.fromEntries(
    formats.map((format) => [mediaTypes[format], bodies[format] ?? text] as const),
  )
}
