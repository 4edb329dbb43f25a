/** The few parts of OpenAPI 3.1 that our description is made of, on the types of TypeBox. Pure. */
import type { FastifySchema } from 'fastify'
import Type from 'typebox'
import type { Static, TObject, TProperties, TSchema, TUnsafe } from 'typebox'
import type { Links } from '../http/links.ts'

/** Links of the examples. Their root stands for that of the service, which is known when it listens. */
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
  /** Whether it comes with every such answer. */
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

/** By status, or `default` for all others. */
export type Responses = Readonly<Record<string, ResponseObject | Reference>>

interface Described {
  readonly operationId: string
  readonly tags: readonly [string]
  readonly summary: string
  /** Markdown of the simplest kind: paragraphs, and code in backticks. */
  readonly description?: string
  readonly security?: readonly Record<string, readonly string[]>[]
  /** What comes instead of the 200 when events are asked for: a stream without end is no content of an answer. */
  readonly 'x-event-stream'?: EventStream
  /** Requests to try: understood by most tools that show such a description. */
  readonly 'x-codeSamples'?: readonly { readonly lang: string; readonly source: string }[]
}

/** The schema of a route, which is described by it. */
export interface RouteSchema extends Described, Omit<FastifySchema, keyof Described> {
  readonly querystring?: ParameterSchema
  readonly params?: ParameterSchema
  readonly headers?: ParameterSchema
  readonly response: Responses
}

/** Parameters by name, each with one example. */
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
  /** The value of `Accept` that asks for it. */
  readonly accept: string
  readonly description: string
  /** Of the `data` of each event. */
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

/** A schema that the description shares under its name. */
export type Component<T extends TSchema> = T & { readonly $id: string }

export function component<P extends TProperties, More extends object = object>(
  name: string,
  description: string,
  properties: P,
  more?: More,
): Component<TObject<P>> & More {
  return Object.assign(object(description, properties), { $id: name }, more as More)
}

/** A reference to a shared schema, as Fastify resolves it. */
export function ref<T extends TSchema>({ $id }: Component<T>): TUnsafe<Static<T>> {
  return Type.Unsafe({ $ref: `${$id}#` })
}

/** The same as the description has it, for the parts of it that are no schema of a route. */
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

/** The same, or null. */
export function orNull<T extends TSchema>(schema: T) {
  const { type, enum: values, ...more } = schema as JsonSchema
  return Type.Unsafe<Static<T> | null>({
    ...{ ...more, type: [type, 'null'] },
    ...(Array.isArray(values) ? { enum: [...(values as unknown[]), null] } : {}),
  })
}

/** A page of a collection, whatever it holds. */
export function pageOf<T extends TSchema>(name: string, description: string, item: T) {
  return component(name, description, {
    count: number('How many there are on all pages.'),
    next: orNull(url('The next page; null on the last.')),
    previous: orNull(url('The page before; null on the first.')),
    results: list('What is on this page.', item),
  })
}

export function json(schema: TSchema, example: unknown, type = 'application/json'): Content {
  return { [type]: { schema: schema as JsonSchema, example } }
}

/** What is a page for people too, by `Accept`. */
export function negotiable(schema: TSchema, example: unknown): Content {
  return { ...json(schema, example), 'text/html': { schema: { type: 'string' } } }
}

/** A request that can be pasted into a shell. */
export function curl(target: string, options = ''): { lang: string; source: string } {
  return { lang: 'Shell', source: `curl ${options}${options === '' ? '' : ' '}'${target}'` }
}
