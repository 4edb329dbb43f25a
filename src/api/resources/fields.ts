/** The fields of items, each declared once: JSON, CSV, page, sort keys and document follow. */
import { BadFields } from '../http/errors.ts'
import type { Links } from '../http/links.ts'
import { csvText } from '../http/send.ts'
import type { Component, Schema } from '../openapi/schema.ts'
import { component } from '../openapi/schema.ts'
import type { SortColumn } from '../pages/filter-form.ts'
import type { Child } from '../pages/html.ts'
import type { SortOrder } from '../parameters/parameter.ts'

/** The column of a field. A column with `first` sorts the table; `first` is its first direction. */
export interface FieldColumn<Item, Value> {
  readonly label: string
  readonly isNumber?: boolean
  /** True for texts of any length, which may break. */
  readonly isProse?: boolean
  /** True if the cells name their rows. */
  readonly isHeader?: boolean
  readonly first?: SortColumn['first']
  /** What the column shows; without it, the value as text. */
  cell?(value: Value, item: Item, links: Links): Child
  /** What the collection is sorted by, if it is not the value. */
  readonly sortedBy?: (item: Item) => string | number | null
}

export interface ItemField<Item, Value> {
  readonly schema: Schema<Value>
  readonly value: (item: Item, links: Links) => Value
  readonly column?: FieldColumn<Item, Value>
}

/** Fields by their names, in the order of JSON and CSV. */
export type Fields<Item> = Readonly<Record<string, ItemField<Item, unknown>>>

/** An item as clients get it. */
export type Wire<F> = {
  readonly [Name in keyof F]: F[Name] extends { readonly value: (...given: never[]) => infer Value }
    ? Value
    : never
}

/** Declares fields of one kind of items. */
export function fieldOf<Item>() {
  return <Value>(
    schema: Schema<Value>,
    value: (item: Item, links: Links) => Value,
    column?: FieldColumn<Item, NoInfer<Value>>,
  ): ItemField<Item, Value> => ({ schema, value, ...(column && { column }) })
}

/** The item as clients get it. */
export function serialise<Item, F extends Fields<Item>>(
  fields: F,
  item: Item,
  links: Links,
): Wire<F> {
  const values = Object.entries(fields).map(([name, { value }]) => [name, value(item, links)])
  return Object.fromEntries(values) as Wire<F>
}

/** Maximum number of rows of a CSV. */
const maxRows = 100_000

/** Writes the whole list as CSV. */
export function csvOf<Item>(fields: Fields<Item>) {
  return ({ items, links }: { readonly items: readonly Item[]; readonly links: Links }): string => {
    if (items.length > maxRows)
      throw new BadFields({
        format: [`A CSV has at most ${maxRows} rows; these are ${items.length}.`],
      })
    const rows = items.map((item) => Object.values<unknown>(serialise(fields, item, links)))
    return csvText(Object.keys(fields), rows as (string | number | null)[][])
  }
}

/** The items of a collection: their name and description in the OpenAPI document. */
export interface ItemKind<Item> {
  readonly name: string
  readonly description: string
  readonly fields: Fields<Item>
}

/** The component of an item. */
export function componentOf<Item>({ name, description, fields }: ItemKind<Item>): Component {
  const schemas = Object.entries(fields).map(([key, { schema }]) => [key, schema] as const)
  return component(name, description, Object.fromEntries(schemas))
}

/** The names of the fields by which a collection can be sorted. */
export function sortKeys<F extends Readonly<Record<string, { readonly column?: object }>>>(
  fields: F,
): readonly (keyof F & string)[] {
  return Object.keys(fields).filter((name) => 'first' in (fields[name]?.column ?? {}))
}

/** Sorts items by a field; missing values come last, equal ones stay in their order. */
export function sortItems<Item>(
  fields: Fields<Item>,
  items: readonly Item[],
  { key, descending }: SortOrder<string>,
  links: Links,
): readonly Item[] {
  const { value, column } = fields[key] ?? {}
  const valueOf =
    column?.sortedBy ?? ((item) => (value?.(item, links) ?? null) as string | number | null)
  return items
    .map((item) => ({ item, by: valueOf(item) }))
    .sort(({ by: a }, { by: b }) => {
      if (a === b) return 0
      if (a === null || b === null) return a === null ? 1 : -1
      return a < b === descending ? 1 : -1
    })
    .map(({ item }) => item)
}
