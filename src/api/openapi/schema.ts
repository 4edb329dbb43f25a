/** Builders of JSON schemas. The type of the values that a schema describes is `Static`. Pure. */
import { allAreas, firstArea } from './area-words.ts'

/** A JSON schema of values of the type `T`. */
export interface Schema<T = unknown> {
  readonly [keyword: string]: unknown
  /** Only for the compiler: no schema has this key. */
  readonly '~static'?: T
}

/** The type of the values that a schema describes. */
export type Static<S extends Schema> = S extends { readonly '~static'?: infer T } ? T : never

/** A schema that the document has once, in `components.schemas` under the name `$id`. */
export type Component<T = unknown> = Schema<T> & { readonly $id: string }

/** The schemas of the fields of an object. */
export type SchemaFields = Readonly<Record<string, Schema>>

type ValuesOf<F extends SchemaFields, Optional extends SchemaFields> = {
  readonly [Name in keyof F]: Static<F[Name]>
} & { readonly [Name in keyof Optional]?: Static<Optional[Name]> }

type Keywords = Readonly<Record<string, unknown>>

/** Without optional fields, `Optional` repeats `F`, whose fields are not optional. */
export function object<F extends SchemaFields, Optional extends SchemaFields = F>(
  description: string,
  fields: F,
  optional?: Optional,
): Schema<ValuesOf<F, Optional>> {
  const required = Object.keys(fields)
  const properties = { ...fields, ...optional }
  return { type: 'object', ...(required.length > 0 && { required }), properties, description }
}

/** An object with a name of its own. */
export function component<F extends SchemaFields, Optional extends SchemaFields = F>(
  $id: string,
  description: string,
  fields: F,
  optional?: Optional,
  more: Keywords = {},
): Component<ValuesOf<F, Optional>> {
  return { ...object(description, fields, optional), ...more, $id }
}

/** A schema gets its example where it is built. */
function withOwn(example: unknown): Keywords {
  return example === undefined ? {} : { examples: [example] }
}

export function text(description?: string, example?: string, more: Keywords = {}): Schema<string> {
  return { type: 'string', description, ...more, ...withOwn(example) }
}

export function url(description: string, example?: string): Schema<string> {
  return text(description, example, { format: 'uri' })
}

export function moment(description: string, example?: string): Schema<string> {
  return text(description, example, { format: 'date-time' })
}

export function day(description: string, example?: string): Schema<string> {
  return text(description, example, { format: 'date' })
}

export function boolean(
  description: string,
  example?: boolean,
  more: Keywords = {},
): Schema<boolean> {
  return { type: 'boolean', description, ...more, ...withOwn(example) }
}

/** A whole number from 0 up. */
export function integer(
  description: string,
  example?: number,
  more: Keywords = {},
): Schema<number> {
  return { type: 'integer', minimum: 0, description, ...more, ...withOwn(example) }
}

/** A number from 0 up. */
export function number(description: string, example?: number, more: Keywords = {}): Schema<number> {
  return { type: 'number', minimum: 0, description, ...more, ...withOwn(example) }
}

/** A number of any sign. */
export function signed(description: string, example?: number, more: Keywords = {}): Schema<number> {
  return { type: 'number', description, ...more, ...withOwn(example) }
}

/** A number from 0 to 1. */
export function share(description: string, example?: number): Schema<number> {
  return number(description, example, { maximum: 1 })
}

export function oneOf<const T extends string>(
  description: string | undefined,
  values: readonly T[],
  example?: NoInfer<T>,
): Schema<T> {
  return { type: 'string', description, enum: values, ...withOwn(example) }
}

/** The name of an area of the archive. */
export function area(description: string): Schema<string> {
  return oneOf(description, allAreas, firstArea)
}

/** @param example by default a list with the example of `items` */
export function list<S extends Schema>(
  description: string,
  items: S,
  example?: readonly Static<S>[],
): Schema<readonly Static<S>[]> {
  return { type: 'array', description, items, ...withOwn(example) }
}

/** An array with one schema for each place. */
export function tuple<T extends readonly unknown[]>(
  description: string,
  ...prefixItems: { readonly [Place in keyof T]: Schema<T[Place]> }
): Schema<T> {
  const { length } = prefixItems
  return { type: 'array', description, prefixItems, minItems: length, maxItems: length }
}

/** Makes a schema nullable. @param example instead of that of the schema */
export function orNull<S extends Schema>(
  schema: S,
  example?: Static<S> | null,
): Schema<Static<S> | null> {
  const { type, enum: values, ...more } = schema as Keywords
  const nullable = Array.isArray(values) ? { enum: [...(values as unknown[]), null] } : {}
  return { type: [type, 'null'], ...more, ...nullable, ...withOwn(example) }
}

export const textOrNull = (description: string, example?: string | null, more?: Keywords) =>
  orNull(text(description, undefined, more), example)
export const momentOrNull = (description: string, example?: string | null) =>
  orNull(moment(description), example)
export const integerOrNull = (description: string, example?: number | null) =>
  orNull(integer(description), example)
export const shareOrNull = (description: string, example?: number | null) =>
  orNull(share(description), example)

/** The schema with an example of its own, instead of that of its parts. */
export function withExample<S extends Schema>(schema: S, example: Static<S>): S {
  return { ...schema, ...withOwn(example) }
}

/** The example of a schema: its own, or else made of those of its parts that are not optional. */
export function exampleOf<S extends Schema>(schema: S): Static<S> {
  return ownOrComposed(schema) as Static<S>
}

function ownOrComposed(schema: Schema): unknown {
  const { examples, properties, required = [], items, prefixItems } = schema as Partial<SchemaParts>
  if (examples !== undefined) return examples[0]
  if (prefixItems !== undefined) return prefixItems.map(exampleOf)
  if (items !== undefined) return [exampleOf(items)]
  if (properties === undefined)
    throw new Error(`a schema without an example: ${JSON.stringify(schema)}`)
  return Object.fromEntries(required.map((name) => [name, exampleOf(properties[name] ?? {})]))
}

interface SchemaParts {
  readonly examples: readonly unknown[]
  readonly properties: SchemaFields
  readonly required: readonly string[]
  readonly items: Schema
  readonly prefixItems: readonly Schema[]
}

/** A page of a collection. @param further fields besides those of every page */
export function pageOf<
  S extends Schema,
  Further extends SchemaFields,
  Optional extends SchemaFields = Further,
>(name: string, description: string, item: S, further: Further, optional?: Optional) {
  const fields = {
    count: integer('Number of items on all pages.', 1),
    next: orNull(url('The next page; null on the last page.'), null),
    previous: orNull(url('The previous page; null on the first page.'), null),
    ...further,
    results: list('The items on this page.', item),
  }
  return component(name, description, fields, optional)
}
