/** Types of OpenAPI 3.1, and functions that build schemas with TypeBox. Pure. */
import type { FastifySchema } from 'fastify'
import Type from 'typebox'
import type { Static, TObject, TProperties, TSchema, TUnsafe } from 'typebox'
import type { Links } from '../http/links.ts'

/**
 * The root of all URLs in examples. When the server listens, its own root (base URL and dataset
 * prefix) is known and replaces this one.
 */
export const exampleRoot = 'https://catalogue.invalid'
export const exampleLinks: Links = { api: `${exampleRoot}/api/`, data: `${exampleRoot}/data/` }

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
  /**
   * The alternative to the 200 for `Accept: text/event-stream`; OpenAPI 3.1 cannot describe an
   * endless stream.
   */
  readonly 'x-event-stream'?: EventStream
  /** Example requests; most tools that display OpenAPI show them. */
  readonly 'x-codeSamples'?: readonly { readonly lang: string; readonly source: string }[]
}

/** The schema of a route, from which its part of the document is built. */
export interface RouteSchema extends Described, Omit<FastifySchema, keyof Described> {
  readonly querystring?: ParameterSchema
  readonly params?: ParameterSchema
  readonly headers?: ParameterSchema
  readonly response: Responses
}

/** Schemas of parameters by name; each has at most one example. */
export type Parameters = Readonly<Record<string, object>>

interface ParameterSchema {
  readonly properties: Parameters
}

export interface OperationObject extends Described {
  readonly parameters?: readonly ParameterObject[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Responses
}

/** Server-sent events (HTML Standard, section 9.2). */
export interface EventStream {
  /** The value of `Accept` that selects it. */
  readonly accept: string
  readonly description: string
  /** The schema of `data` in each event. */
  readonly data: JsonSchema
  readonly example: string
}

export type Method = 'get' | 'head' | 'options' | 'post'
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

/** A schema in `components.schemas`, under the name `$id`. */
export type Component<T extends TSchema> = T & { readonly $id: string }

export function component<P extends TProperties, More extends object = object>(
  name: string,
  description: string,
  properties: P,
  more?: More,
): Component<TObject<P>> & More {
  return Object.assign(object(description, properties), { $id: name }, more as More)
}

/** Refers to a shared schema in the form that Fastify and Ajv read. */
export function ref<T extends TSchema>({ $id }: Component<T>): TUnsafe<Static<T>> {
  return Type.Unsafe({ $ref: `${$id}#` })
}

/**
 * Refers to a shared schema in the form of the OpenAPI document, for the parts of the document that
 * come from no route.
 */
export function schemaRef(name: string): Reference & JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}

export function object<P extends TProperties>(description: string, properties: P): TObject<P> {
  return Type.Object(properties, { description })
}

export function text(description: string, more: JsonSchema = {}) {
  return Type.String({ description, ...more })
}

export function flag(description: string, more: JsonSchema = {}) {
  return Type.Boolean({ description, ...more })
}

export function number(description: string, more: JsonSchema = {}) {
  return Type.Integer({ minimum: 0, description, ...more })
}

export function url(description: string) {
  return text(description, { format: 'uri' })
}

export function moment(description: string) {
  return text(description, { format: 'date-time' })
}

export function oneOf<T extends string>(
  description: string,
  values: readonly T[],
  more: JsonSchema = {},
) {
  return Type.Unsafe<T>({ type: 'string', description, enum: values, ...more })
}

export function list<T extends TSchema>(description: string, items: T, more: JsonSchema = {}) {
  return Type.Unsafe<readonly Static<T>[]>({ type: 'array', description, items, ...more })
}

/** Makes a schema nullable. */
export function orNull<T extends TSchema>(schema: T) {
  const { type, enum: values, ...more } = schema as JsonSchema
  return Type.Unsafe<Static<T> | null>({
    ...more,
    type: [type, 'null'],
    ...(Array.isArray(values) ? { enum: [...(values as unknown[]), null] } : {}),
  })
}

/**
 * The schema of a page of a collection.
 * @param further members of the page besides those of every page
 */
export function pageOf<T extends TSchema, Further extends TProperties>(
  name: string,
  description: string,
  item: T,
  further = {} as Further,
) {
  return component(name, description, {
    count: number('Number of items on all pages.'),
    next: orNull(url('The next page; null on the last page.')),
    previous: orNull(url('The previous page; null on the first page.')),
    ...further,
    results: list('The items on this page.', item),
  })
}

export function json(schema: TSchema, example: unknown, type = 'application/json'): Content {
  return { [type]: { schema: schema as JsonSchema, example } }
}

/** The content of a response that is JSON or an HTML page, by `Accept`. */
export function negotiable(schema: TSchema, example: unknown): Content {
  return { ...json(schema, example), 'text/html': { schema: { type: 'string' } } }
}

/** Writes a request as a shell command, for the examples. */
export function curl(target: string, options = ''): { lang: string; source: string } {
  return { lang: 'Shell', source: `curl ${options}${options === '' ? '' : ' '}'${target}'` }
}
