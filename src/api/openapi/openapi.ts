/** Types of OpenAPI 3.1, and of what the document is made from. */
import type { OpenAPIV3_1 as OpenApi } from 'openapi-types'
import type { Schema } from './schema.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

/** The schemas are those of our builders. */
type WithSchema<T> = Omit<T, 'schema'> & { readonly schema: JsonSchema }

export type ParameterObject = WithSchema<OpenApi.ParameterObject>
export type HeaderObject = WithSchema<OpenApi.HeaderObject>
type MediaTypeObject = WithSchema<OpenApi.MediaTypeObject>
export type Reference = OpenApi.ReferenceObject
export type Content = Readonly<Record<string, MediaTypeObject>>

export interface ResponseObject extends Pick<OpenApi.ResponseObject, 'description'> {
  readonly headers?: Readonly<Record<string, HeaderObject | Reference>>
  readonly content?: Content
}

/** Responses by status; `default` for all other statuses. */
export type Responses = Readonly<Record<string, ResponseObject | Reference>>

interface OperationHead
  extends
    Required<Pick<OpenApi.OperationObject, 'operationId' | 'tags' | 'summary'>>,
    Pick<OpenApi.OperationObject, 'security'> {
  /** A description in Markdown that has only paragraphs, and code in backticks. */
  readonly description?: string
  /** Example requests; most tools that display OpenAPI show them. */
  readonly 'x-codeSamples'?: readonly { readonly lang: string; readonly source: string }[]
}

/** Schemas of parameters by name; each has at most one example. */
export type ParameterSchemas = Readonly<Record<string, Schema>>

/** Describes a method of a resource. */
export interface RouteSchema extends OperationHead {
  /** The name of the resource, and a sentence with which its description begins. */
  readonly about?: { readonly name: string; readonly description: string }
  readonly querystring?: ParameterSchemas
  readonly params?: ParameterSchemas
  readonly headers?: ParameterSchemas
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

export interface OperationObject extends OperationHead {
  readonly parameters?: readonly ParameterObject[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Responses
}

export type Method = 'get' | 'post'
export type PathItem = Readonly<Partial<Record<Method, OperationObject>>>
export type Paths = Readonly<Record<string, PathItem>>

export interface OpenApiDocument extends Omit<OpenApi.Document, 'paths' | 'components'> {
  readonly servers: OpenApi.ServerObject[]
  readonly tags: OpenApi.TagObject[]
  readonly paths: Paths
  readonly components: Pick<OpenApi.ComponentsObject, 'securitySchemes'> & {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly responses: Readonly<Record<string, ResponseObject>>
    readonly headers: Readonly<Record<string, HeaderObject>>
  }
}

/** The root of all URLs in examples, for which the document that is served has its own. */
export const exampleRoot = 'https://catalogue.invalid'
export const exampleLinks = { api: `${exampleRoot}/api/`, data: `${exampleRoot}/data/` }

/** Writes a request as a shell command. */
export function curl(target: string, options = ''): { lang: string; source: string } {
  return { lang: 'Shell', source: `curl ${options}${options === '' ? '' : ' '}'${target}'` }
}
