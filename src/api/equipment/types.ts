/** The lists of the types of receivers and antennas that the headers of the files name. */
import type { FastifyInstance } from 'fastify'
import type { EquipmentType } from '../../catalogue/questions/equipment.ts'
import { readableNumber } from '../../runtime/readable.ts'
import type { ApiContext } from '../http/context.ts'
import type { QueryPair } from '../http/links.ts'
import { pageUrl, recordUrl, resourceUrl } from '../http/links.ts'
import { exampleLinks } from '../openapi/openapi.ts'
import * as schema from '../openapi/schema.ts'
import type { Child } from '../pages/html.ts'
import { fromHeader, link } from '../pages/parts.ts'
import { anyText, ordering } from '../parameters/parameter.ts'
import { addCollection } from '../resources/collection.ts'
import type { Fields } from '../resources/fields.ts'
import { csvOf, fieldOf, sortKeys } from '../resources/fields.ts'

type Kind = 'receiver' | 'antenna'

const field = fieldOf<EquipmentType>()

/** The parameters of lists that mean the files of a type; `undefined` if they mean more. */
function filterOf(kind: Kind, { type, radome, isFilter }: EquipmentType) {
  if (!isFilter) return undefined
  const more: readonly QueryPair[] = radome === undefined ? [] : [['radome', radome]]
  return [[kind, type], ...more] as const
}

/** The type, which leads to its files. */
function typeField(kind: Kind, example: string) {
  const of = kind === 'receiver' ? 'of the receiver' : 'of the antenna, without its radome'
  const cell = (type: string, item: EquipmentType): Child => {
    const filter = filterOf(kind, item)
    return link(fromHeader(type), filter && pageUrl({ api: '../' }, 'rinex-file', filter))
  }
  return field(
    schema.text(`The type ${of}, as its newest file writes it.`, example),
    ({ type }) => type,
    {
      label: kind === 'receiver' ? 'Receiver' : 'Antenna',
      isHeader: true,
      isProse: true,
      first: 'ascending',
      cell,
    },
  )
}

const radomeField = field(
  schema.textOrNull('The radome; null if the headers of these files say none.', 'LEIT'),
  ({ radome }) => radome ?? null,
  { label: 'Radome', cell: (radome) => (radome === null ? 'not said' : fromHeader(radome)) },
)

/** @param filter that of the example */
const commonFields = (kind: Kind, filter: readonly QueryPair[]) => ({
  count: field(schema.integer('Number of files.', 8766), ({ files }) => files, {
    label: 'Files',
    isNumber: true,
    first: 'descending',
    cell: (count) => readableNumber(count),
  }),
  newest: field(
    schema.text(
      'The name of its newest file, the one with the highest `id`; of a type that none of the last 10,000 files has, that of a late one.',
      'GRAZ00AUT_R_20260220000_01D_30S_MO.crx.gz',
    ),
    ({ newest }) => newest.name,
    {
      label: 'Newest file',
      cell: (name, { newest }) => link(name, recordUrl({ api: '../' }, newest.id)),
    },
  ),
  newest_url: field(
    schema.url('The URL of this file.', recordUrl(exampleLinks, 8766)),
    ({ newest }, links) => recordUrl(links, newest.id),
  ),
  files: field(
    schema.orNull(
      schema.url('The URL of the list of its files.', pageUrl(exampleLinks, 'rinex-file', filter)),
    ),
    (item, links) => {
      const own = filterOf(kind, item)
      return own === undefined ? null : pageUrl(links, 'rinex-file', own)
    },
  ),
})

export function addReceivers(app: FastifyInstance, context: ApiContext): void {
  addTypes(app, context, 'receiver', {
    receiver: typeField('receiver', 'SEPT POLARX5'),
    ...commonFields('receiver', [['receiver', 'SEPT POLARX5']]),
  })
}

export function addAntennas(app: FastifyInstance, context: ApiContext): void {
  addTypes(app, context, 'antenna', {
    antenna: typeField('antenna', 'LEIAR25.R4'),
    radome: radomeField,
    ...commonFields('antenna', [
      ['antenna', 'LEIAR25.R4'],
      ['radome', 'LEIT'],
    ]),
  })
}

const nouns = {
  receiver: ['receiver', 'receivers'],
  antenna: ['antenna', 'antennas'],
} as const

/** More types than any archive has: a CSV has all of them. */
const maxTypes = 100_000

function addTypes(
  app: FastifyInstance,
  context: ApiContext,
  of: Kind,
  fields: Fields<EquipmentType>,
): void {
  const { reader } = context
  const [one, many] = nouns[of]
  addCollection(app, context, {
    name: of,
    item: {
      name: one.charAt(0).toUpperCase() + one.slice(1),
      description: `A type of ${one} that headers of files name${of === 'antenna' ? ', with its radome' : ''}.`,
      fields,
    },
    parameters: {
      search: anyText({
        meaning: `Part of the type${of === 'antenna' ? ' and its radome, with a blank between them' : ''}, in upper or lower case.`,
        example: of === 'receiver' ? 'polarx' : 'ar25',
        field: { label: 'Part of the type' },
      }),
      ordering: ordering(sortKeys(fields), {
        default: '-count',
        missing: 'Equal numbers of files are in the order of the types.',
        example: of,
      }),
    },
    whole: { csv: csvOf(fields) },
    state: async () => ({ version: await reader.head(), details: true }),
    find: async ({ values, range, format }, _state, requester) => {
      const { search, ordering } = values
      const { key, descending } = ordering
      const order = { key: key === 'count' ? 'files' : 'type', descending } as const
      const isWhole = format === 'csv'
      const part = isWhole ? { limit: maxTypes, offset: 0 } : range
      const found = await reader.equipmentTypes({ of, search, ordering: order, ...part }, requester)
      const { head, types, count } = found
      return { items: types, version: head, ...(!isWhole && { count }) }
    },
    page: {
      noun: nouns[of],
      section: 'station',
      crumbs: [{ text: 'Stations', href: resourceUrl({ api: '../' }, 'station') }],
      form: ['search'],
      rows: 100,
      className: 'cards',
      caption: 'By the headers of the files that have been read; upper and lower case are one type',
    },
    operation: {
      id: `list${one.charAt(0).toUpperCase()}${many.slice(1)}`,
      tag: 'Stations',
      name: `${one.charAt(0).toUpperCase()}${one.slice(1)} List`,
      summary: `List types of ${many}`,
      about: `The types of ${many} that the headers of the files name, and the number of files of each.`,
      description: `Names that differ in upper and lower case only are one type. A file whose header has not been read, or says none, does not count.${of === 'antenna' ? ' Antennas of a type without a radome have no list of files if others of the type have one, because a filter does not tell them apart.' : ''}`,
      samples: [`${of}/?ordering=${of}`, `${of}/?format=csv`],
    },
  })
}
