/** Prepares the document for its page: follows references, and writes types as words. Pure. */
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
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { prose } from '../pages/parts.ts'
import type { Column, Table } from '../pages/table.ts'
import { headerColumn } from '../pages/table.ts'
import type { Sample } from './samples.ts'

/** A value with its type and meaning: a parameter, a field or a header. */
interface DescribedValue {
  readonly name: string
  readonly schema: JsonSchema
  readonly description?: unknown
  readonly isRequired?: boolean
}

const code = (text: string): Html => html`<code>${text}</code>`

function rowOf({
  name,
  schema,
  description,
  isRequired = false,
}: DescribedValue): readonly Child[] {
  const type = typeOf(schema) + (isRequired ? ', required' : '')
  return [code(name), prose(type), prose(scalar(description))]
}

const proseColumn = (label: string): Column => ({ label, isProse: true })

const columns = [headerColumn('Name'), proseColumn('Value'), proseColumn('Meaning')]

function exampleTable(
  caption: string,
  values: readonly (DescribedValue & { readonly example: string })[],
): Table {
  const rows = values.map((value) => [...rowOf(value), code(value.example)])
  return { caption, columns: [...columns, 'Example'], rows }
}

/** An operation of the document, and the page that describes it. */
interface PlacedOperation {
  readonly page: string
  readonly path: string
  readonly method: string
  readonly operation: OperationObject
}

/** All operations. Each resource has a page: the first part of a path below the API, or `data`. */
export function operationsOf({ paths }: OpenApiDocument): readonly PlacedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) => {
    const [, area = '', name = ''] = path.split('/')
    const page = area === 'data' ? area : name === '' ? 'root' : name
    return (Object.entries(methods) as [Method, OperationObject][]).map(([method, operation]) => ({
      page,
      path,
      method: method.toUpperCase(),
      operation,
    }))
  })
}

/** The operations of a resource; none if there is no such resource. */
export function describeOperations(document: OpenApiDocument, page: string, writing: Writing) {
  return operationsOf(document)
    .filter((each) => each.page === page)
    .map(({ path, method, operation }) => ({
      path,
      method,
      ...describeOperation(document, operation, writing),
    }))
}

/** The names of the objects that a part of the document refers to, and those within them. */
function objectsIn({ components }: OpenApiDocument, part: unknown): ReadonlySet<string> {
  const names = new Set<string>()
  const add = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      const name = key === '$ref' ? nameOf(String(inner)) : ''
      const schema = names.has(name) ? undefined : components.schemas[name]
      if (schema !== undefined) names.add(name)
      add(schema ?? inner)
    }
  }
  add(part)
  return names
}

/** What the page has written so far, and how it shows examples. */
export interface Writing {
  /** Names of the objects whose fields stand with an operation. */
  readonly shown: Set<string>
  /** Makes an example one that can be run. */
  readonly sampleOf: (source: string) => Sample
}

function describeOperation(
  document: OpenApiDocument,
  operation: OperationObject,
  { shown, sampleOf }: Writing,
) {
  const { operationId: id, summary, description = '', parameters = [] } = operation
  const where = (place: ParameterObject['in'], caption: string) =>
    exampleTable(caption, parameters.filter((each) => each.in === place).map(describeParameter))
  const all = Object.entries(operation.responses)
  // Errors that many resources have in common are described once.
  const isShared = ([, response]: (typeof all)[number]) => '$ref' in response
  const responses = all
    .filter((each) => !isShared(each))
    .map(([status, response]) => ({ status: statusOf(status), ...follow(document, response) }))
  return {
    id,
    summary,
    paragraphs: paragraphs(description),
    isForAdministrators: operation.security !== undefined,
    parameters: [
      where('path', 'In the path'),
      where('query', 'In the query'),
      where('header', 'Headers of the request'),
    ].filter(({ rows }) => rows.length > 0),
    body: describeContent(document, operation.requestBody?.content, shown),
    answers: responseTable('By status', responses),
    shared: all.filter(isShared).map(([status]) => statusOf(status)),
    successes: responses
      .filter(({ status, content }) => status.startsWith('2') && content !== undefined)
      .map(({ status, content }) => ({
        status,
        contents: describeContent(document, content, shown),
      })),
    samples: operation['x-codeSamples']?.map(({ source }) => sampleOf(source)) ?? [],
  }
}

const statusOf = (status: string) => (status === 'default' ? 'others' : status)

function responseTable(
  caption: string,
  responses: readonly (ResponseObject & { readonly status: string })[],
): Table {
  return {
    caption,
    columns: [headerColumn('Status'), proseColumn('When'), proseColumn('Headers')],
    rows: responses.map(({ status, description: when, headers = {} }) => [
      status,
      prose(when),
      prose(Object.keys(headers).join(', ')),
    ]),
  }
}

/** The responses that operations refer to, by status; the order is that of their first use. */
export function describeResponses(document: OpenApiDocument): Table {
  const statuses = new Map<string, string>()
  for (const methods of Object.values(document.paths))
    for (const { responses } of Object.values<OperationObject>(methods))
      for (const [status, response] of Object.entries(responses))
        if ('$ref' in response) statuses.set(response.$ref, statusOf(status))
  const shared = Array.from(statuses, ([$ref, status]) => ({
    status,
    ...follow<ResponseObject>(document, { $ref }),
  }))
  shared.sort((a, b) => (a.status < b.status ? -1 : 1))
  return responseTable('By status', shared)
}

function describeParameter({ required = false, example, ...parameter }: ParameterObject) {
  const text = Array.isArray(example) ? example.join() : scalar(example)
  return { ...parameter, isRequired: required, example: text }
}

/** The fields of an object stand where it comes first. */
function describeContent(document: OpenApiDocument, content: Content = {}, shown: Set<string>) {
  return Object.entries(content).map(([type, { schema, example }]) => {
    const { $ref } = schema
    const name = typeof $ref === 'string' ? nameOf($ref) : ''
    const isKnown = shown.has(name)
    if (name !== '') shown.add(name)
    const caption = name === '' ? type : `${type}, ${name}`
    return {
      type,
      name,
      isKnown,
      fields: fieldTable(caption, isKnown ? {} : follow(document, schema)),
      example: typeof example === 'string' ? example.trimEnd() : pretty(example),
    }
  })
}

/**
 * The objects of a part of the document that stand with no operation, and the values that need
 * explanations.
 */
export function describeObjects(document: OpenApiDocument, part: unknown, { shown }: Writing) {
  const objects = Array.from(objectsIn(document, part), (name) => ({
    name,
    schema: document.components.schemas[name] ?? {},
  })).map(({ name, schema }) => ({
    name,
    isKnown: shown.has(name),
    description: scalar(schema['description']),
    fields: fieldTable('Fields', shown.has(name) ? {} : schema),
    values: describedValues(schema),
  }))
  return objects.filter(({ isKnown, values }) => !isKnown || values.length > 0)
}

/** The page that has each object, and each value with an explanation, by their anchors. */
export function pagesOfObjects(document: OpenApiDocument): ReadonlyMap<string, string> {
  const { schemas } = document.components
  return new Map(
    operationsOf(document)
      .toReversed()
      .flatMap(({ page, operation }) =>
        Array.from(objectsIn(document, operation)).flatMap((name) => [
          [`object-${name}`, page] as const,
          ...describedValues(schemas[name] ?? {}).map(({ id }) => [id, page] as const),
        ]),
      ),
  )
}

/** The values that have `x-meanings`, with the anchors of their explanations. */
function describedValues(schema: JsonSchema) {
  return propertiesOf(schema).flatMap(([field, each]) =>
    Object.entries((each['x-meanings'] ?? {}) as Readonly<Record<string, string>>).map(
      ([value, meaning]) => ({ id: `${field}-${value}`, value, meaning }),
    ),
  )
}

export function describeHeaders({ components }: OpenApiDocument): Table {
  const headers = Object.entries<HeaderObject>(components.headers)
  return exampleTable(
    'Shared headers',
    headers.map(([name, { description, schema }]) => {
      const example = scalar((schema['examples'] as unknown[])[0])
      return { name, schema, description, example }
    }),
  )
}

function fieldTable(caption: string, schema: JsonSchema): Table {
  return { caption, columns, rows: fieldsOf(schema) }
}

/** The fields of an object. Fields of a nested object have its name and a dot before them. */
function fieldsOf(schema: JsonSchema, prefix = ''): readonly (readonly Child[])[] {
  return propertiesOf(schema).flatMap(([key, field]) => {
    const name = prefix + key
    const row = rowOf({ name, schema: field, description: field['description'] })
    return [row, ...fieldsOf(field, `${name}.`)]
  })
}

function propertiesOf(schema: JsonSchema) {
  return Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>)
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
  if (Array.isArray(schema['enum'])) return schema['enum'].map(scalar).join(', ') + standard
  const format = formatWords[scalar(schema['format'])]
  const words = types.map((type) => (type === 'string' && format) || (typeWords[type] ?? type))
  return words.join(' or ') + standard
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
