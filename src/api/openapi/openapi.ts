/** The few parts of OpenAPI 3.1 that our description is made of. Pure. */
import type { Links } from '../http/links.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

/** What the description depends on: where the service is, and what it is configured to. */
export interface Surroundings {
  readonly links: Links
  /** Most records on a page. */
  readonly maxLimit: number
  /** How long removed files are remembered. */
  readonly keepRemovalsDays: number
}

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

export interface OperationObject {
  readonly operationId: string
  readonly tags: readonly [string]
  readonly summary: string
  /** Markdown of the simplest kind: paragraphs, and code in backticks. */
  readonly description?: string
  readonly parameters?: readonly ParameterObject[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Responses
  readonly security?: readonly object[]
  /** What comes instead of the 200 when events are asked for: a stream without end is no content of an answer. */
  readonly 'x-event-stream'?: EventStream
  /** Requests to try: understood by most tools that show such a description. */
  readonly 'x-codeSamples'?: readonly { readonly lang: string; readonly source: string }[]
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

/** What one resource adds to the description. */
export interface Part {
  readonly schemas: Readonly<Record<string, JsonSchema>>
  readonly paths: Readonly<Record<string, PathItem>>
}

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
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly responses: Readonly<Record<string, ResponseObject>>
    readonly headers: Readonly<Record<string, HeaderObject>>
    readonly securitySchemes: object
  }
}

/** An object with the fields of a type, all of them: one that is forgotten, or does not exist, fails to compile. */
export function object<T>(
  description: string,
  properties: Readonly<Record<keyof T & string, JsonSchema>>,
): JsonSchema {
  return { type: 'object', description, required: Object.keys(properties), properties }
}

/** An object of which any field may be absent. */
export function partial(
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  return { type: 'object', description, properties }
}

export function text(description: string, more: JsonSchema = {}): JsonSchema {
  return { type: 'string', description, ...more }
}

export function flag(description: string): JsonSchema {
  return { type: 'boolean', description }
}

export function number(description: string, more: JsonSchema = {}): JsonSchema {
  return { type: 'integer', minimum: 0, description, ...more }
}

export function url(description: string): JsonSchema {
  return text(description, { format: 'uri' })
}

export function moment(description: string): JsonSchema {
  return text(description, { format: 'date-time' })
}

export function list(description: string, items: JsonSchema): JsonSchema {
  return { type: 'array', description, items }
}

/** The same, or null. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema
  return {
    ...schema,
    type: [type, 'null'],
    ...(Array.isArray(values) ? { enum: [...(values as unknown[]), null] } : {}),
  }
}

export function schemaRef(name: string): Reference & JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}

export function json(schema: JsonSchema, example: unknown): Content {
  return { 'application/json': { schema, example } }
}

/** What is a page for people too, by `Accept`. */
export function negotiable(schema: JsonSchema, example: unknown): Content {
  return { ...json(schema, example), 'text/html': { schema: { type: 'string' } } }
}

/** A request that can be pasted into a shell. */
export function curl(target: string, options = ''): { lang: string; source: string } {
  return { lang: 'Shell', source: `curl ${options}${options === '' ? '' : ' '}'${target}'` }
}
