/**
 * Prepares the OpenAPI document for its page: resolves references, and writes types as words. Pure.
 */
import type {
  Content,
  HeaderObject,
  JsonSchema,
  Method,
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  Reference,
  ResponseObject,
} from '../openapi/openapi.ts'

/** A row of a table of fields or parameters. */
export interface Row {
  readonly name: string
  readonly type: string
  readonly meaning: string
  readonly example: string
}

export function describeOperations(document: OpenApiDocument) {
  return document.tags.map((tag) => ({
    ...tag,
    operations: Object.entries(document.paths).flatMap(([path, methods]) =>
      (Object.entries(methods) as [Method, OperationObject][])
        .filter(([, operation]) => operation.tags[0] === tag.name)
        .map(([method, operation]) => describeOperation(document, { path, method, operation })),
    ),
  }))
}

interface Operation {
  readonly path: string
  readonly method: Method
  readonly operation: OperationObject
}

function describeOperation(document: OpenApiDocument, { path, method, operation }: Operation) {
  const { operationId: id, summary, description = '', parameters = [], responses } = operation
  const where = (place: ParameterObject['in']) =>
    parameters.filter((parameter) => parameter.in === place).map(toRow)
  return {
    id,
    summary,
    method: method.toUpperCase(),
    path,
    paragraphs: paragraphs(description),
    isForAdministrators: operation.security !== undefined,
    parameters: [
      { caption: 'In the path', rows: where('path') },
      { caption: 'In the query', rows: where('query') },
      { caption: 'Headers of the request', rows: where('header') },
    ].filter(({ rows }) => rows.length > 0),
    body: describeContent(document, operation.requestBody?.content),
    answers: Object.entries(responses).map(([status, response]) =>
      describeAnswer(document, status, response),
    ),
    samples: operation['x-codeSamples']?.map(({ source }) => source) ?? [],
  }
}

function toRow({ name, schema, description, example, required }: ParameterObject): Row {
  return {
    name,
    type: typeOf(schema) + (required === true ? ', required' : ''),
    meaning: description,
    example: Array.isArray(example) ? example.join() : scalar(example),
  }
}

function describeAnswer(
  document: OpenApiDocument,
  status: string,
  response: ResponseObject | Reference,
) {
  const { description, headers = {}, content } = follow(document, response)
  return {
    status: status === 'default' ? 'others' : status,
    description,
    headers: Object.entries(headers).map(([name, header]) => ({
      name,
      meaning: follow(document, header).description,
    })),
    contents: describeContent(document, content),
    isError: !status.startsWith('2'),
  }
}

/** Describes each media type: its fields and its example. */
function describeContent(document: OpenApiDocument, content: Content = {}) {
  return Object.entries(content).map(([type, { schema, example }]) => ({
    type,
    schema: typeof schema['$ref'] === 'string' ? nameOf(schema['$ref']) : undefined,
    fields: fieldsOf(follow(document, schema)),
    example: typeof example === 'string' ? example.trimEnd() : pretty(example),
  }))
}

export function describeObjects({ components }: OpenApiDocument) {
  return Object.entries(components.schemas).map(([name, schema]) => ({
    name,
    description: scalar(schema['description']),
    fields: fieldsOf(schema),
    values: describedValues(schema),
  }))
}

/**
 * The values of the fields that have `x-meanings`: each value with its meaning, and the anchor of
 * its explanation.
 */
function describedValues(schema: JsonSchema) {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>
  return Object.entries(properties).flatMap(([field, each]) =>
    Object.entries((each['x-meanings'] ?? {}) as Readonly<Record<string, string>>).map(
      ([value, meaning]) => ({ id: `${field}-${value}`, value, meaning }),
    ),
  )
}

export function describeHeaders({ components }: OpenApiDocument): Row[] {
  return Object.entries<HeaderObject>(components.headers).map(
    ([name, { description, schema }]) => ({
      name,
      type: typeOf(schema),
      meaning: description,
      example: scalar((schema['examples'] as unknown[])[0]),
    }),
  )
}

/** The fields of an object. Fields of a nested object have its name and a dot before them. */
function fieldsOf(schema: JsonSchema, prefix = ''): Row[] {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>
  return Object.entries(properties).flatMap(([name, field]) => [
    {
      name: prefix + name,
      type: typeOf(field),
      meaning: scalar(field['description']),
      example: '',
    },
    ...fieldsOf(field, `${prefix}${name}.`),
  ])
}

const formatWords: Readonly<Record<string, string>> = {
  date: 'date',
  'date-time': 'date and time',
  uri: 'URL',
  binary: 'bytes',
}

const typeWords: Readonly<Record<string, string>> = { string: 'text', integer: 'whole number' }

/** The type of a value as words: `URL or null`, `list of Record`. */
export function typeOf(schema: JsonSchema): string {
  if (typeof schema['$ref'] === 'string') return nameOf(schema['$ref'])
  if (Array.isArray(schema['anyOf']))
    return (schema['anyOf'] as JsonSchema[]).map(typeOf).join(', or ')
  const types = [schema['type']].flat() as string[]
  if (types[0] === 'array') return `list of ${typeOf((schema['items'] ?? {}) as JsonSchema)}`
  const standard = schema['default'] === undefined ? '' : `; default ${scalar(schema['default'])}`
  if (Array.isArray(schema['enum'])) return oneOfWords(schema['enum']) + standard
  const format = formatWords[scalar(schema['format'])]
  const words = types.map((type) => (type === 'string' && format) || (typeWords[type] ?? type))
  return words.join(' or ') + standard
}

function oneOfWords(values: readonly unknown[]): string {
  return values.map(scalar).join(', ')
}

function follow<T extends object>(document: OpenApiDocument, value: T | Reference): T {
  if (!('$ref' in value)) return value
  const [, , kind = '', name = ''] = value.$ref.split('/')
  const shared = document.components as unknown as Record<string, Record<string, T>>
  const found = shared[kind]?.[name]
  if (found === undefined) throw new Error(`unresolved reference: ${value.$ref}`)
  return found
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

export function paragraphs(text: string): readonly string[] {
  return text.split('\n\n').filter((paragraph) => paragraph !== '')
}

function pretty(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value, undefined, 2)
}

function scalar(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
