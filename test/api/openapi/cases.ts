/** The description of the API as a list of operations, and requests that are made of its own examples. */
import type { InjectOptions } from 'fastify'
import { Compile } from 'typebox/schema'
import type { Service } from '../service.ts'
import type {
  HeaderObject,
  JsonSchema,
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  Reference,
  ResponseObject,
} from '../../../src/api/openapi/openapi.ts'

export interface Operation extends OperationObject {
  readonly method: 'GET' | 'HEAD' | 'OPTIONS' | 'POST'
  readonly path: string
  /** The path with its examples in it, as the service knows it. */
  readonly url: string
}

/** What tells of an answer whether it is as described. */
export interface Answer {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

export async function readDocument({ app }: Service): Promise<OpenApiDocument> {
  const answer = await app.inject('/rinex/api/schema/')
  return answer.json<OpenApiDocument>()
}

/** Those of GET and POST; the others follow from them. */
export function operationsOf(document: OpenApiDocument): readonly Operation[] {
  return allOperationsOf(document).filter(({ method }) => method === 'GET' || method === 'POST')
}

export function allOperationsOf(document: OpenApiDocument): readonly Operation[] {
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

/** Whether a value is what a schema describes, and holds nothing that it does not describe. */
export function openChecker({ components }: OpenApiDocument) {
  const { OpenApi, ...others } = components.schemas
  // A description is more than its main parts.
  const schemas = { ...(closed(others) as object), OpenApi }
  return (schema: JsonSchema, value: unknown): readonly string[] => {
    const whole = { ...(closed(schema) as object), components: { schemas } }
    const [isRight, faults] = Compile(whole).Errors(value)
    return isRight ? [] : faults.map((fault) => `${fault.instancePath} ${fault.message}`)
  }
}

/** A schema by which objects have no fields but those that it names. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closed(value)]),
  )
  const isObject = [inner['type']].flat().includes('object') && 'properties' in inner
  return isObject ? { ...inner, additionalProperties: false } : inner
}

/** What of an answer is not as described. */
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

/** A request with an example of a parameter. */
export function tryParameter(
  { url }: Operation,
  { name, in: place, example }: ParameterObject,
): InjectOptions {
  if (place === 'header') return { url, headers: { [name.toLowerCase()]: String(example) } }
  // A list has commas between its items, as `style` and `explode` say.
  return { url, query: { [name]: String(example) } }
}

/** The request that a line for the shell makes. */
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
