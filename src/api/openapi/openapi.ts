/** Types of OpenAPI 3.1, and of what the document is made from. */
import type { Schema } from './schema.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

export interface ParameterObject {
  readonly name: string
  readonly in: 'query' | 'path' | 'header'
  readonly description: string
  readonly required?: boolean
  readonly schema: JsonSchema
  readonly example?: unknown
  readonly style?: string
  readonly explode?: boolean
}

export interface Reference {
  readonly $ref: string
}

export interface HeaderObject {
  readonly description: string
  /** True if every response of this kind has the header. */
  readonly required?: boolean
  readonly schema: JsonSchema
}

export interface MediaTypeObject {
  readonly schema: JsonSchema
  readonly example?: unknown
}

export type Content = Readonly<Record<string, MediaTypeObject>>

export interface ResponseObject {
  readonly description: string
  readonly headers?: Readonly<Record<string, HeaderObject | Reference>>
  readonly content?: Content
}

/** Responses by status; `default` for all other statuses. */
export type Responses = Readonly<Record<string, ResponseObject | Reference>>

interface Described {
  readonly operationId: string
  readonly tags: readonly [string]
  readonly summary: string
  /** A description in Markdown that has only paragraphs, and code in backticks. */
  readonly description?: string
  readonly security?: readonly Record<string, readonly string[]>[]
  /** Example requests; most tools that display OpenAPI show them. */
  readonly 'x-codeSamples'?: readonly { readonly lang: string; readonly source: string }[]
}

/** Schemas of parameters by name; each has at most one example. */
export type Parameters = Readonly<Record<string, Schema>>

/** Describes a method of a resource. */
export interface RouteSchema extends Described {
  /** The name of the resource, and a sentence with which its description begins. */
  readonly about?: { readonly name: string; readonly description: string }
  readonly querystring?: Parameters
  readonly params?: Parameters
  readonly headers?: Parameters
  readonly body?: Schema
  /** The media type of the body; by default JSON. */
  readonly bodyType?: string
  readonly response: Responses
}

/** The parts of a resource that its description is made from. */
export interface DescribedResource {
  readonly path: string
  /** Describes GET. A resource without a schema is not in the document. */
  readonly schema?: RouteSchema
  /** Describes GET of the paths that a route with a wildcard serves. */
  readonly paths?: Readonly<Record<string, RouteSchema>>
  readonly post?: { readonly schema: RouteSchema }
}

export interface OperationObject extends Described {
  readonly parameters?: readonly ParameterObject[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Responses
}

export type Method = 'get' | 'post'
export type PathItem = Readonly<Partial<Record<Method, OperationObject>>>
export type Paths = Readonly<Record<string, PathItem>>

export interface OpenApiDocument {
  readonly openapi: string
  readonly info: {
    readonly title: string
    readonly version: string
    readonly description: string
    readonly license: object
  }
  readonly servers: readonly { readonly url: string; readonly description: string }[]
  readonly security: readonly object[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Paths
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly responses: Readonly<Record<string, ResponseObject>>
    readonly headers: Readonly<Record<string, HeaderObject>>
    readonly securitySchemes: object
  }
}

/** The root of all URLs in examples, for which the document that is served has its own. */
export const exampleRoot = 'https://catalogue.invalid'
export const exampleLinks = { api: `${exampleRoot}/api/`, data: `${exampleRoot}/data/` }

/** Writes a request as a shell command. */
export function curl(target: string, options = ''): { lang: string; source: string } {
  return { lang: 'Shell', source: `curl ${options}${options === '' ? '' : ' '}'${target}'` }
}
