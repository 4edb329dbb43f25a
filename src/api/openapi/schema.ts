/** Builders of JSON schemas. The type of the values that a schema describes is `Static`. Pure. */

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
export type Fields = Readonly<Record<string, Schema>>

type Values<F extends Fields, Optional extends Fields> = {
  readonly [Name in keyof F]: Static<F[Name]>
} & { readonly [Name in keyof Optional]?: Static<Optional[Name]> }

type Keywords = Readonly<Record<string, unknown>>

/** Without optional fields, `Optional` repeats `F`, whose fields are not optional. */
export function object<F extends Fields, Optional extends Fields = F>(
  description: string,
  fields: F,
  optional?: Optional,
): Schema<Values<F, Optional>> {
  const required = Object.keys(fields)
  const properties = { ...fields, ...optional }
  return { type: 'object', ...(required.length > 0 && { required }), properties, description }
}

/** An object with a name of its own. */
export function component<F extends Fields, Optional extends Fields = F>(
  $id: string,
  description: string,
  fields: F,
  optional?: Optional,
  more: Keywords = {},
): Component<Values<F, Optional>> {
  return { ...object(description, fields, optional), ...more, $id }
}

export function text(description?: string, more: Keywords = {}): Schema<string> {
  return { type: 'string', description, ...more }
}

export function url(description: string): Schema<string> {
  return text(description, { format: 'uri' })
}

export function moment(description: string): Schema<string> {
  return text(description, { format: 'date-time' })
}

export function day(description: string, more: Keywords = {}): Schema<string> {
  return text(description, { format: 'date', ...more })
}

export function boolean(description: string, more: Keywords = {}): Schema<boolean> {
  return { type: 'boolean', description, ...more }
}

/** A whole number from 0 up. */
export function integer(description: string, more: Keywords = {}): Schema<number> {
  return { type: 'integer', minimum: 0, description, ...more }
}

/** A number from 0 up. */
export function number(description: string, more: Keywords = {}): Schema<number> {
  return { type: 'number', minimum: 0, description, ...more }
}

/** A number from 0 to 1. */
export function share(description: string): Schema<number> {
  return number(description, { maximum: 1 })
}

export function oneOf<const T extends string>(
  description: string | undefined,
  values: readonly T[],
  more: Keywords = {},
): Schema<T> {
  return { type: 'string', description, enum: values, ...more }
}

export function list<S extends Schema>(
  description: string,
  items: S,
  more: Keywords = {},
): Schema<readonly Static<S>[]> {
  return { type: 'array', description, items, ...more }
}

/** An array with one schema for each place. */
export function tuple<T extends readonly unknown[]>(
  description: string,
  ...prefixItems: { readonly [Place in keyof T]: Schema<T[Place]> }
): Schema<T> {
  const { length } = prefixItems
  return { type: 'array', description, prefixItems, minItems: length, maxItems: length }
}

/** Makes a schema nullable. */
export function orNull<S extends Schema>(schema: S): Schema<Static<S> | null> {
  const { type, enum: values, ...more } = schema as Keywords
  const nullable = Array.isArray(values) ? { enum: [...(values as unknown[]), null] } : {}
  return { type: [type, 'null'], ...more, ...nullable }
}

export const textOrNull = (description: string, more?: Keywords) => orNull(text(description, more))
export const momentOrNull = (description: string) => orNull(moment(description))
export const integerOrNull = (description: string) => orNull(integer(description))
export const shareOrNull = (description: string) => orNull(share(description))

/** A page of a collection. @param further fields besides those of every page */
export function pageOf<S extends Schema, Further extends Fields, Optional extends Fields = Further>(
  name: string,
  description: string,
  item: S,
  further: Further,
  optional?: Optional,
) {
  const fields = {
    count: integer('Number of items on all pages.'),
    next: orNull(url('The next page; null on the last page.')),
    previous: orNull(url('The previous page; null on the first page.')),
    ...further,
    results: list('The items on this page.', item),
  }
  return component(name, description, fields, optional)
}
