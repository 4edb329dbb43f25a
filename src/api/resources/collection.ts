/**
 * Collections by declaration: route, pages, whole lists and operation follow from their fields.
 *
 *     const field = fieldOf<River>()
 *     const fields = {
 *       name: field(schema.text('Its name.', 'Elbe'), ({ name }) => name, { label: 'River' }),
 *       km: field(schema.integer('Its length in km.', 1094), ({ km }) => km, {
 *         label: 'Length',
 *         first: 'descending',
 *         isNumber: true,
 *       }),
 *     }
 *     addCollection(app, context, {
 *       name: 'rivers',
 *       item: { name: 'River', description: 'A river.', fields },
 *       parameters: { sea: choices(seas, { meaning: 'The sea that it reaches.', label: 'Sea' }) },
 *       whole: { csv: csvOf(fields) },
 *       state: async () => ({ version: await context.reader.head() }),
 *       find: ({ values }) => ({ items: rivers.filter(({ sea }) => isChosen(values.sea, sea)) }),
 *       page: { section: 'rivers', noun: ['river', 'rivers'], caption: 'Lengths in kilometres' },
 *       operation: { id: 'listRivers', tag: 'Rivers', name: 'Rivers', summary: 'List rivers', … },
 *     })
 */
import type { FastifyInstance } from 'fastify'
import type { ApiContext } from '../http/context.ts'
import type { Format } from '../http/formats.ts'
import type { Requester } from '../http/limits.ts'
import type { CollectionName, Links, QueryPair } from '../http/links.ts'
import { linkHeader, pageLinks } from '../http/links.ts'
import type { HeaderName } from '../openapi/responses.ts'
import type { SchemaFields } from '../openapi/schema.ts'
import { exampleOf, pageOf, text } from '../openapi/schema.ts'
import type { Worded } from '../pages/active-filters.ts'
import type { CollectionView, ViewColumn } from '../pages/collection.ts'
import { renderCollection } from '../pages/collection.ts'
import type { Child } from '../pages/html.ts'
import { layOut } from '../pages/layout.ts'
import { paging } from '../parameters/paging.ts'
import type { SortOrder } from '../parameters/parameter.ts'
import { formFieldsOf } from '../parameters/parameter.ts'
import type { Accepts, Parameters } from '../parameters/request.ts'
import type { Answer, AnswerState, Bodies, Operation, RequestOf } from './answer.ts'
import { addAnswer } from './answer.ts'
import type { FieldColumn, ItemField, ItemKind } from './fields.ts'
import { componentOf, serialise, sortItems } from './fields.ts'

/** The state of a collection, and what its answers say of it. */
export interface CollectionState extends AnswerState {
  /** Members of the JSON before the results. */
  readonly further?: object
  readonly banner?: readonly string[]
}

/** The items that a request asks for. */
export interface Found<Item> {
  /** All items; or, with `count`, only those of the page. */
  readonly items: readonly Item[]
  readonly count?: number
  /** The state that was read with the items, if it can be newer than that before. */
  readonly version?: AnswerState['version'] | undefined
  /** What stands below the table of the page. */
  readonly below?: Child
  /** The heading and the title of the page, if they are not those of its filters. */
  readonly headline?: string | undefined
  /** What the page says of its items beside its heading. */
  readonly extra?: string | undefined
  /** The columns of the page, if they are not those of the fields. */
  readonly columns?: readonly ViewColumn<Item>[]
  /** The page has a row for several items; other formats have the items. */
  readonly groups?: Groups<Item>
}

/** A list of all items, for the formats that have no pages. */
interface WholeList<Item, S> {
  readonly items: readonly Item[]
  readonly kept: readonly QueryPair[]
  readonly links: Links
  readonly state: S
}

interface CollectionTable<Item> extends Pick<
  CollectionView<Item>,
  'noun' | 'all' | 'sizes' | 'caption' | 'className' | 'rowsOf'
> {
  /** The pages above this one, below the start page; without it, the section names the page. */
  readonly crumbs?: CollectionView<Item>['frame']['crumbs']
  /** The resource in the navigation to which the page belongs. */
  readonly section: string
  /** Columns that are no fields, by the name of the field before whose column they stand. */
  readonly columnsBefore?: Readonly<Record<string, readonly ViewColumn<Item>[]>>
  /** The fields of the form in their order, by the names of parameters. */
  readonly form?: readonly string[]
  /** Number of rows without `limit`; by default as in JSON. */
  readonly rows?: number
  /** Its order without `ordering`, if it is not that of JSON: the request that it shows has it. */
  readonly ordering?: string
}

/** Rows of a page that are made of several items each. */
export interface Groups<Item> {
  readonly noun: CollectionView<Item>['noun']
  /** @param items all of them, in their order */
  readonly of: (items: readonly Item[]) => readonly (readonly Item[])[]
  readonly columns: readonly ViewColumn<readonly Item[]>[]
}

export interface Collection<Item, P extends Parameters, S extends CollectionState | undefined> {
  readonly name: CollectionName
  readonly item: ItemKind<Item>
  readonly operation: Omit<Operation, 'returns' | 'headers'> & {
    /** A further sentence about the response. */
    readonly returns?: string
    /** Members of a page before its results, and headers that say the same. */
    readonly further?: {
      readonly fields: SchemaFields
      readonly headers: readonly HeaderName[]
    }
  }
  readonly parameters: P
  readonly filters?: Accepts<P>['filters']
  readonly check?: Accepts<P>['check']
  /** The schemas of these formats, for those that are no CSV. */
  readonly wholeBodies?: Bodies
  /** The formats of the whole list. */
  readonly whole?: Readonly<Partial<Record<Format, (list: WholeList<Item, S>) => string>>>
  readonly state: (asked: RequestOf<P, Format>) => S | Promise<S>
  readonly find: (
    asked: RequestOf<P, Format>,
    state: S,
    requester: Requester,
  ) => Found<Item> | Promise<Found<Item>>
  readonly page: CollectionTable<Item>
}

export function addCollection<Item, P extends Parameters, S extends CollectionState | undefined>(
  app: FastifyInstance,
  context: ApiContext,
  collection: Collection<Item, P, S>,
): void {
  const { name, operation, parameters, filters, check, whole = {} } = collection
  const { maxLimit } = context.settings
  const page = `A page of the ${collection.page.noun[1]}.`
  const view = viewOf(collection)
  addAnswer<P, Format, S>(app, context, {
    path: `${name}/`,
    formats: ['json', 'html', ...keysOf(whole)],
    accepts: {
      parameters: {
        ...parameters,
        ...orderedPage(parameters, collection.page.ordering),
        ...paging(maxLimit, collection.page.rows),
      },
      filters,
      check,
    },
    hasForm: true,
    operation: {
      ...operation,
      returns: [page, operation.returns ?? ''].join(' ').trim(),
      headers: operation.further?.headers ?? [],
    },
    bodies: bodiesOf(collection, page),
    state: collection.state,
    read: readingOf(context, collection, view),
  })
}

function readingOf<Item, P extends Parameters, S extends CollectionState | undefined>(
  context: ApiContext,
  { name, item: { fields }, find, whole = {}, page: { ordering: usual } }: Collection<Item, P, S>,
  ownView: CollectionView<Item>,
) {
  return async (asked: RequestOf<P, Format>, state: S, requester: Requester) => {
    const view = { ...ownView, countries: context.site().countries }
    const found = await find(asked, state, requester)
    const { ignored, range, format, refused } = asked
    const kept = keptOf(asked, usual)
    const { ordering } = asked.values as { readonly ordering?: SortOrder<string> }
    const links = context.links()
    const isWhole = found.count === undefined
    const isSorted = ordering === undefined || !isWhole
    const items = isSorted ? found.items : sortItems(fields, found.items, ordering, links)
    const { groups, headline, below, extra } = found
    const rows = groups?.of(items)
    const count = rows?.length ?? found.count ?? items.length
    const pageOf = <T>(all: readonly T[]): readonly T[] =>
      isWhole ? all.slice(range.offset, range.offset + range.limit) : all
    const pages = pageLinks(links, range, { name, kept, count })
    const { next, previous } = pages
    const headers = linkHeader(pages)
    const list = { count, range, kept, ignored, pages, ordering, refused }
    const parts = {
      links,
      banner: state?.banner,
      below,
      extra,
      ...(headline !== undefined && { headline: () => headline }),
    }
    const bodies: Partial<Answer<Format>['bodies']> = {
      [format]: () => {
        if (!isWhole) throw new Error(`${name} is found in pages: it has no format ${format}`)
        return whole[format]?.({ items, kept, links, state })
      },
      json: () => ({
        count,
        next,
        previous,
        ...state?.further,
        results: pageOf(items).map((each) => serialise(fields, each, links)),
      }),
      html: () => {
        const own = { ...view, ...columnsOf(found) }
        const page =
          groups && rows
            ? renderCollection(grouped(view, groups), { ...list, results: pageOf(rows) }, parts)
            : renderCollection(own, { ...list, results: pageOf(items) }, parts)
        return layOut(page, context.site())
      },
    }
    return {
      version: found.version,
      headers: format in whole ? {} : headers,
      bodies: bodies as Answer<Format>['bodies'],
    }
  }
}

function grouped<Item>(
  view: CollectionView<Item>,
  groups: Groups<Item>,
): CollectionView<readonly Item[]> {
  return { ...view, ...groups, rowsOf: undefined }
}

function columnsOf<Item>({ columns }: Found<Item>): Pick<Partial<CollectionView<Item>>, 'columns'> {
  return columns === undefined ? {} : { columns }
}

/** The order of a page, if it is another one than that of JSON. */
function orderedPage(parameters: Parameters, usual: string | undefined): Parameters {
  const { ordering } = parameters
  if (ordering === undefined || usual === undefined) return {}
  const read: typeof ordering.read = (words, format) =>
    ordering.read(words.length === 0 && format === 'html' ? [usual] : words, format)
  return { ordering: { ...ordering, read } }
}

function keptOf(
  { kept, format }: Pick<RequestOf<Parameters, Format>, 'kept' | 'format'>,
  usual: string | undefined,
): readonly QueryPair[] {
  const isUsual = usual === undefined || kept.some(([name]) => name === 'ordering')
  if (isUsual || format !== 'html') return kept
  return [...kept, ['ordering', usual]]
}

/** The bodies of the answers, in the document. @param page the description of a page */
function bodiesOf<Item, P extends Parameters, S extends CollectionState | undefined>(
  { item, operation, wholeBodies }: Collection<Item, P, S>,
  page: string,
): Bodies {
  const schema = componentOf(item)
  const example = exampleOf(schema) as Readonly<Record<string, unknown>>
  return {
    json: pageOf(`${item.name}Page`, page, schema, operation.further?.fields ?? {}),
    csv: text(
      undefined,
      [Object.keys(example).join(), Object.values(example).map(cellOf).join()].join('\n'),
    ),
    ...wholeBodies,
  }
}

/**
 * An example as it is in a cell of a CSV: the words of a list, the number of its objects, or
 * numbers by their values.
 */
function cellOf(example: unknown): unknown {
  if (typeof example !== 'object' || example === null) return example
  if (!Array.isArray(example)) return Object.entries(example).flat().join(' ')
  return typeof example[0] === 'object' ? example.length : example.join(' ')
}

function keysOf<Key extends string>(record: Readonly<Partial<Record<Key, unknown>>>): Key[] {
  return Object.keys(record) as Key[]
}

function viewOf<Item, P extends Parameters, S extends CollectionState | undefined>(
  collection: Collection<Item, P, S>,
): CollectionView<Item> {
  const { name, parameters, filters = new Map<string, never>(), page, whole = {} } = collection
  const { fields } = collection.item
  const { section, noun } = page
  const accepted = new Map<string, Worded>([...filters, ...Object.entries(parameters)])
  const { columnsBefore = {} } = page
  const columns = Object.entries(fields).flatMap(([field, { column, value }]) => [
    ...(columnsBefore[field] ?? []),
    ...(column === undefined ? [] : [columnOf(field, column, value)]),
  ])
  for (const { key } of columns)
    if (key !== undefined && !('value' in (parameters['ordering']?.read([key]) ?? {})))
      throw new Error(`${name}: a column sorts by ${key}, which \`ordering\` refuses`)
  return {
    all: `All ${noun[1]}`,
    ...page,
    frame: {
      title: noun[1].charAt(0).toUpperCase() + noun[1].slice(1),
      section,
      ...(page.crumbs && { crumbs: page.crumbs }),
      up: '../'.repeat(name.split('/').length),
    },
    whole: keysOf(whole),
    filters: accepted,
    fields: formFieldsOf(accepted, page.form),
    columns,
  }
}

function columnOf<Item>(
  name: string,
  column: FieldColumn<Item, unknown>,
  valueOf: ItemField<Item, unknown>['value'],
): ViewColumn<Item> {
  const { label, isNumber = false, isHeader = false, isProse = false, first } = column
  return {
    label,
    isNumber,
    isHeader,
    isProse,
    ...(first && { key: name, first }),
    cell: (item, links) => {
      const value = valueOf(item, links)
      return column.cell?.(value, item, links) ?? textOf(value)
    },
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
