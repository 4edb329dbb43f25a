/** The operations of the OpenAPI document, and requests built from its examples. */
import type { InjectOptions } from 'fastify'
import { Compile } from 'typebox/schema'
import type {
  HeaderObject,
  JsonSchema,
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  Reference,
  ResponseObject,
} from '../../../src/api/openapi/openapi.ts'
import type { Service } from '../service.ts'

export interface Operation extends OperationObject {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** The path with its examples filled in. */
  readonly url: string
}

/** The response as the document describes it. */
export interface Answer {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

export async function readDocument({ app }: Service): Promise<OpenApiDocument> {
  const answer = await app.inject('/rinex/api/schema/')
  return answer.json<OpenApiDocument>()
}

export function operationsOf(document: OpenApiDocument): readonly Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const url = path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
        const parameter = operation.parameters?.find((each) => each.name === name)
        return String(parameter?.example)
      })
      const upper = method.toUpperCase() as Operation['method']
      return { ...operation, method: upper, path, url: `/rinex${url}` }
    }),
  )
}

export function follow<T extends object>(
  document: OpenApiDocument,
  value: T | Reference | undefined,
): T {
  if (value === undefined) throw new Error('nothing is described')
  if (!('$ref' in value)) return value
  const [, , kind = '', name = ''] = value.$ref.split('/')
  const shared = document.components as unknown as Record<string, Record<string, T>>
  const found = shared[kind]?.[name]
  if (found === undefined) throw new Error(`nothing is at ${value.$ref}`)
  return found
}

/**
 * Returns a function that lists the faults of a value: what its schema forbids, and undocumented
 * fields.
 */
export function openChecker({ components }: OpenApiDocument) {
  const { OpenApi, ...others } = components.schemas
  // The schema of the document itself names only its main parts, so it stays open.
  const schemas = { ...(closed(others) as object), OpenApi }
  return (schema: JsonSchema, value: unknown): readonly string[] => {
    const whole = { ...(closed(schema) as object), components: { schemas } }
    const [isRight, faults] = Compile(whole).Errors(value)
    return isRight ? [] : faults.map((fault) => `${fault.instancePath} ${fault.message}`)
  }
}

/** Forbids undocumented fields in all objects of a schema. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closed(value)]),
  )
  const isObject = [inner['type']].flat().includes('object') && 'properties' in inner
  return isObject ? { ...inner, additionalProperties: false } : inner
}

/** Differences between a response and its description. */
export function faultsOf(
  document: OpenApiDocument,
  described: ResponseObject | Reference | undefined,
  answer: Answer,
): readonly string[] {
  const { headers = {}, content } = follow<ResponseObject>(document, described)
  const missing = Object.entries(headers)
    .filter(([, header]) => follow<HeaderObject>(document, header).required === true)
    .filter(([name]) => answer.headers[name.toLowerCase()] === undefined)
    .map(([name]) => `has no ${name}`)
  if (answer.body === '' && content === undefined) return missing
  const [type = ''] = String(answer.headers['content-type']).split(';')
  const media = content?.[type]
  if (media === undefined) return [...missing, `is ${type}`]
  const isJson = type.endsWith('json') && type !== 'application/x-ndjson'
  const value: unknown = isJson ? JSON.parse(answer.body) : answer.body
  return [...missing, ...openChecker(document)(media.schema, value)]
}

/** A request with the example of a parameter. */
export function tryParameter(
  { url }: Operation,
  { name, in: place, example }: ParameterObject,
): InjectOptions {
  if (place === 'header') return { url, headers: { [name.toLowerCase()]: String(example) } }
  // A list is comma-separated (`style` and `explode`).
  return { url, query: { [name]: String(example) } }
}

/** The request of a curl command line. */
export function parseSample(line: string): InjectOptions & { readonly url: string } {
  const quoted = Array.from(line.matchAll(/(-\w )?'([^']*)'/g), ([, option = '', value = '']) => ({
    option: option.trim(),
    value,
  }))
  const headers = quoted
    .filter(({ option }) => option === '-H')
    .map(({ value }) => /^([^:]+): (.*)$/.exec(value)?.slice(1) ?? [])
  const payload = quoted.find(({ option }) => option === '-d')?.value
  const address = new URL(quoted.find(({ option }) => option === '')?.value ?? '')
  return {
    url: address.pathname + address.search,
    method: payload === undefined ? 'GET' : 'POST',
    headers: Object.fromEntries(headers.map(([name = '', value = '']) => [name, value])),
    ...(payload === undefined ? {} : { payload }),
  }
}
