/**
 * Collections by declaration: from their fields and parameters come the route, the pages as JSON
 * and HTML, the whole list as CSV and in further formats, and the operation of the OpenAPI
 * document.
 */
import type { FastifyInstance } from 'fastify'
import { csvText } from '../http/csv.ts'
import type { ApiContext, Requester } from '../http/context.ts'
import { badFields } from '../http/errors.ts'
import { linkHeader, pageLinks } from '../http/links.ts'
import type { CollectionName, Links, Parameter as Kept } from '../http/links.ts'
import type { Format } from '../http/negotiate.ts'
import { catalogueOffset } from '../http/query.ts'
import type { Resource } from '../http/resource.ts'
import type { HeaderName } from '../openapi/responses.ts'
import { pageOf } from '../openapi/schema.ts'
import type { Fields as SchemaFields } from '../openapi/schema.ts'
import { renderCollection } from '../pages/collection.ts'
import type { CollectionView, ViewColumn } from '../pages/collection.ts'
import type { FilterParameter } from '../parameters/file-filters.ts'
import type { SortOrder } from '../parameters/parameter.ts'
import type { Accepted, Parameters } from '../parameters/request.ts'
import { formFieldsOf } from '../pages/file-fields.ts'
import { addAnswer } from './answer.ts'
import type { Answer, AskedOf, State } from './answer.ts'
import { componentOf, exampleOf, serialise, sortItems } from './fields.ts'
import type { Fields, ItemField, ItemKind } from './fields.ts'
import type { Bodies, Operation } from './operation.ts'

/** The state of a collection, and what its answers say of it. */
export interface CollectionState extends State {
  /** Members of the JSON before the results. */
  readonly further?: object
  /** Sentences above the page. */
  readonly banner?: readonly string[]
}

/** The items that a request asks for. */
export interface Found<Item> {
  /** All items; or, with `count`, only those of the page. */
  readonly items: readonly Item[]
  readonly count?: number
  /** The state that was read with the items, if it can be newer than that before. */
  readonly version?: State['version']
}

/** A list of all items, for the formats that have no pages. */
export interface WholeList<Item, S> {
  readonly items: readonly Item[]
  readonly kept: readonly Kept[]
  readonly links: Links
  readonly state: S
}

export interface Collection<Item, P extends Parameters, S extends CollectionState | undefined> {
  readonly name: CollectionName
  /** The body of OPTIONS, and the list of resources. */
  readonly about: NonNullable<Resource['about']>
  readonly item: ItemKind<Item>
  /** What the OpenAPI document says of the operation. */
  readonly operation: Omit<Operation, 'returns' | 'headers'> & {
    /** The description of a page. */
    readonly page: string
    /** What the response is, if its page does not say it. */
    readonly returns?: string
    /** Members of a page before its results, and headers that say the same. */
    readonly further?: {
      readonly fields: SchemaFields
      readonly example: object
      readonly headers: readonly HeaderName[]
    }
    /** Members of the example of a page, if it is not its only one. */
    readonly example?: object
  }
  readonly parameters: P
  /** Filters of files that the collection shares. */
  readonly filters?: ReadonlyMap<string, FilterParameter>
  readonly check?: Accepted<P>['check']
  /** The formats of the whole list, besides CSV. */
  readonly whole?: Readonly<Partial<Record<Format, (list: WholeList<Item, S>) => string>>>
  /** True if the whole list is there as CSV. */
  readonly hasCsv?: boolean
  readonly state: (asked: AskedOf<P, Format>) => S | Promise<S>
  readonly find: (
    asked: AskedOf<P, Format>,
    state: S,
    requester: Requester,
  ) => Found<Item> | Promise<Found<Item>>
  readonly page: Omit<CollectionView<Item>, 'columns' | 'fields' | 'whole'> & {
    /** Names of fields, and further columns; by default all fields that have a column. */
    readonly columns?: readonly (string | ViewColumn<Item>)[]
    /** The fields of the form in their order, by the names of parameters. */
    readonly form?: readonly string[]
  }
}

/** Maximum number of rows of a CSV. */
const maxRows = 100_000

export function addCollection<Item, P extends Parameters, S extends CollectionState | undefined>(
  app: FastifyInstance,
  context: ApiContext,
  collection: Collection<Item, P, S>,
): void {
  const { name, parameters, filters, check, state, find, about, operation } = collection
  const { maxLimit } = context.settings
  const view = viewOf(collection)
  const formats = formatsOf(collection)
  const accepts: Accepted<P> = {
    parameters,
    maxLimit,
    ...(filters && { filters }),
    ...(check && { check }),
  }
  addAnswer<P, Format, S>(app, context, {
    path: `${name}/`,
    about,
    formats,
    accepts,
    form: view,
    operation: {
      ...operation,
      returns: operation.returns ?? operation.page,
      headers: operation.further?.headers ?? [],
    },
    bodies: bodiesOf(collection),
    state,
    read: async (asked, known, requester) => {
      const found = await find(asked, known, requester)
      return answerOf({ collection, view, links: context.links(), asked, state: known, found })
    },
  })
}

/** The bodies of the answers, in the document. */
function bodiesOf<Item, P extends Parameters, S extends CollectionState | undefined>({
  item,
  operation,
}: Collection<Item, P, S>): Bodies {
  const { further, page } = operation
  const ofPage = pageOf(`${item.name}Page`, page, componentOf(item), further?.fields ?? {})
  const { fields } = item
  const example = exampleOf(fields)
  const paged = { count: 1, next: null, previous: null, ...operation.example }
  return {
    json: {
      schema: ofPage,
      example: { ...paged, ...further?.example, results: [example] },
    },
    csv: {
      schema: { type: 'string' },
      example: [Object.keys(fields).join(), Object.values<unknown>(example).join()].join('\n'),
    },
  }
}

interface Parts<Item, P extends Parameters, S extends CollectionState | undefined> {
  readonly collection: Collection<Item, P, S>
  readonly view: CollectionView<Item>
  readonly links: Links
  readonly asked: AskedOf<P, Format>
  readonly state: S
  readonly found: Found<Item>
}

function answerOf<Item, P extends Parameters, S extends CollectionState | undefined>(
  parts: Parts<Item, P, S>,
): Answer<Format> {
  const { collection, view, links, asked, state, found } = parts
  const { fields } = collection.item
  const { kept, ignored, range, format } = asked
  const ordering = orderingOf(asked.values)
  const field = ordering && fields[ordering.key]
  const isWhole = found.count === undefined
  const items =
    field && isWhole
      ? sortItems(found.items, field, { descending: ordering.descending, links })
      : found.items
  const wholeAs = (write: (list: WholeList<Item, S>) => string) => () =>
    write({ items, kept, links, state })
  const wholes = Object.entries(collection.whole ?? {}).map(
    ([name, write]) => [name, wholeAs(write)] as const,
  )
  const version = found.version === undefined ? {} : { version: found.version }
  const count = found.count ?? items.length
  const offset = catalogueOffset(range.offset)
  const shown = isWhole ? items.slice(offset, offset + range.limit) : items
  const pages = pageLinks(links, range, { name: collection.name, kept, count })
  const list = { count, range, kept, ignored, pages, results: shown, ...(ordering && { ordering }) }
  const { next, previous } = pages
  const bodies: Partial<Record<Format, () => unknown>> = {
    ...Object.fromEntries(wholes),
    csv: () => csvOf(fields, items, links),
    json: () => ({
      count,
      next,
      previous,
      ...state?.further,
      results: shown.map((item) => serialise(fields, item, links)),
    }),
    html: () => renderCollection(view, list, { links, banner: state?.banner ?? [] }),
  }
  const isPage = format === 'json' || format === 'html'
  return {
    ...version,
    headers: isPage ? linkHeader(pages) : {},
    bodies: bodies as Answer<Format>['bodies'],
  }
}

function orderingOf(values: Readonly<Record<string, unknown>>): SortOrder<string> | undefined {
  return values['ordering'] as SortOrder<string> | undefined
}

function csvOf<Item>(fields: Fields<Item>, items: readonly Item[], links: Links): string {
  if (items.length > maxRows)
    throw badFields({ format: [`A CSV has at most ${maxRows} rows; these are ${items.length}.`] })
  const rows = items.map((item) => Object.values<unknown>(serialise(fields, item, links)))
  return csvText(Object.keys(fields), rows as (string | number | null)[][])
}

/** The formats of a collection: pages as JSON and HTML, and those of the whole list. */
function formatsOf<Item, P extends Parameters, S extends CollectionState | undefined>({
  hasCsv,
  whole = {},
}: Collection<Item, P, S>): readonly Format[] {
  return ['json', 'html', ...(hasCsv === true ? ['csv' as const] : []), ...keysOf(whole)]
}

function keysOf<Key extends string>(record: Readonly<Partial<Record<Key, unknown>>>): Key[] {
  return Object.keys(record) as Key[]
}

function viewOf<Item, P extends Parameters, S extends CollectionState | undefined>(
  collection: Collection<Item, P, S>,
): CollectionView<Item> {
  const { item, parameters, filters, page } = collection
  const { columns = keysOf(item.fields).filter((name) => item.fields[name]?.column) } = page
  return {
    ...page,
    whole: formatsOf(collection).slice(2),
    fields: formFieldsOf(parameters, filters, page.form),
    columns: columns.map((column) =>
      typeof column === 'string' ? columnOf(column, item.fields[column]) : column,
    ),
  }
}

/** The column of a field. The links of an item are not shown in columns. */
function columnOf<Item>(
  name: string,
  field: ItemField<Item, unknown> | undefined,
): ViewColumn<Item> {
  const { column } = field ?? {}
  const { label = name, isNumber = false, first } = column ?? {}
  return {
    label,
    isNumber,
    ...(first && { key: name, first }),
    cell: (item, links) => {
      const value = field?.value(item, links)
      return column?.cell?.(value, item, links) ?? textOf(value)
    },
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
