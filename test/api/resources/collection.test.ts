/** A field and a parameter are declared once, and then appear everywhere. */
import type { Test } from 'tap'
import { Turns } from '../../../src/api/connections/turns.ts'
import { apiContext } from '../../../src/api/http/context.ts'
import { ClientLimits } from '../../../src/api/http/limits.ts'
import type { CollectionName } from '../../../src/api/http/links.ts'
import type { ApiDeps } from '../../../src/api/http/settings.ts'
import * as schema from '../../../src/api/openapi/schema.ts'
import { choices, isChosen, ordering } from '../../../src/api/parameters/parameter.ts'
import { addCollection } from '../../../src/api/resources/collection.ts'
import { csvOf, fieldOf, sortKeys } from '../../../src/api/resources/fields.ts'
import t, { exact } from '../../tap.ts'
import { Table } from '../html.ts'
import { openService } from '../service.ts'

interface River {
  readonly name: string
  readonly sea: 'north' | 'black'
  readonly km: number
}

const rivers: readonly River[] = [
  { name: 'Danube', sea: 'black', km: 2850 },
  { name: 'Elbe', sea: 'north', km: 1094 },
  { name: 'Rhine', sea: 'north', km: 1233 },
]
const seas = ['north', 'black'] as const
const field = fieldOf<River>()
const plain = {
  name: field(schema.text('Its name.', 'Elbe'), ({ name }) => name, {
    label: 'River',
    first: 'ascending',
  }),
}
const length = {
  km: field(schema.integer('Its length in kilometres.', 1094), ({ km }) => km, {
    label: 'Length',
    first: 'descending',
    isNumber: true,
  }),
}
const sea = choices(seas, {
  meaning: 'The seas that it reaches.',
  example: 'north',
  label: 'Sea',
})

/** A service with the rivers: all that it says of them, by GET. */
async function openRivers(t: Test, isMore: boolean, sortsMore = isMore) {
  let deps: ApiDeps | undefined
  const service = await openService(t, {
    deps: (made) => {
      deps = made
      return {}
    },
  })
  if (deps === undefined) throw new Error('no dependencies')
  const fields = isMore ? { ...plain, ...length } : plain
  const context = apiContext(deps, new ClientLimits(() => 'client', new Turns()), {
    version: () => '',
    facts: () => ({
      title: 'Rivers',
      facts: [],
      countries: [],
      openAlerts: 0,
      missingOf: () => 0,
    }),
  })
  addCollection(service.app, context, {
    name: 'rivers' as CollectionName,
    item: { name: 'River', description: 'A river.', fields },
    parameters: {
      ...(isMore && { sea }),
      ordering: ordering(sortKeys(sortsMore ? { ...plain, ...length } : plain), {
        default: 'name',
        missing: '',
        example: 'name',
      }),
    },
    whole: { csv: csvOf(fields) },
    state: () => ({ version: 'rivers' }),
    find: ({ values }) => {
      const { sea: chosen = [] } = values as { readonly sea?: readonly River['sea'][] }
      return { items: rivers.filter((river) => isChosen(chosen, river.sea)) }
    },
    page: {
      section: 'network',
      noun: ['river', 'rivers'],
      caption: 'Lengths in kilometres',
    },
    operation: {
      id: 'listRivers',
      tag: 'Service',
      name: 'River List',
      summary: 'List rivers',
      about: 'Some rivers.',
      samples: ['rivers/'],
    },
  })
  const get = async (url: string, headers = {}) =>
    (await service.app.inject({ url: `/rinex/api/${url}`, headers })).body
  return {
    json: await get('rivers/?ordering=-name&limit=2'),
    csv: await get('rivers/?format=csv'),
    page: await service.page('rivers/'),
    document: await get('schema/'),
    reference: (await service.page('docs/rivers/')).text,
    wrong: await get('rivers/?sea=red&strict=1&ordering=age'),
    wrongPage: await service.page('rivers/?sea=red&ordering=age', 400),
    get,
  }
}

t.test('a new field of a collection is one row', async (t) => {
  const before = await openRivers(t, false)
  const after = await openRivers(t, true)
  const resultsOf = (json: string) => (JSON.parse(json) as { results: object[] }).results
  t.strictSame(resultsOf(before.json), [{ name: 'Rhine' }, { name: 'Elbe' }])
  t.strictSame(resultsOf(after.json), [
    { name: 'Rhine', km: 1233 },
    { name: 'Elbe', km: 1094 },
  ])
  t.equal(before.csv, 'name\r\nDanube\r\nElbe\r\nRhine\r\n')
  t.equal(after.csv, 'name,km\r\nDanube,2850\r\nElbe,1094\r\nRhine,1233\r\n')
  t.strictSame(resultsOf(await after.get('rivers/?ordering=-km&limit=1')), [
    { name: 'Danube', km: 2850 },
  ])
  const [short, long] = [before, after].map(({ page }) => new Table(page.one('table')))
  t.strictSame(short?.columns, ['River'])
  t.strictSame(long?.columns, ['River', 'Length'])
  t.strictSame(long?.rows[0], ['Danube', '2850'])
  t.equal(after.page.hrefOf('Length'), '?format=api&limit=20&ordering=-km')
  const componentOf = (document: string) =>
    (JSON.parse(document) as { components: { schemas: { River: object } } }).components.schemas
      .River
  t.notMatch(componentOf(before.document), { properties: { km: {} } })
  t.match(componentOf(after.document), {
    required: exact(['name', 'km']),
    properties: { km: { type: 'integer', description: 'Its length in kilometres.' } },
  })
  t.notMatch(before.reference, 'Its length in kilometres.')
  t.match(after.reference, 'Its length in kilometres.')
})

t.test(
  'a column that sorts by what `ordering` refuses is a fault of the declaration',
  async (t) => {
    await t.rejects(
      openRivers(t, true, false),
      /^rivers: a column sorts by km, which `ordering` refuses$/,
    )
  },
)

t.test('a new parameter of a collection is one row', async (t) => {
  const before = await openRivers(t, false)
  const after = await openRivers(t, true)
  const names = async ({ get }: typeof after) =>
    Array.from((await get('rivers/?sea=north')).matchAll(/"name":"(\w+)"/g), ([, name]) => name)
  t.strictSame(await names(before), ['Danube', 'Elbe', 'Rhine'], 'ignored')
  t.strictSame(await names(after), ['Elbe', 'Rhine'])
  t.match(JSON.parse(before.wrong), { sea: exact(['Unknown parameter.']) })
  t.match(JSON.parse(after.wrong), {
    sea: exact(['Select a valid choice. red is not one of the available choices.']),
    ordering: exact(['Select a valid choice. age is not one of the available choices.']),
  })
  t.notOk(before.page.has('label', { for: 'f-sea' }))
  t.equal(after.page.one('label', { for: 'f-sea' }).text, 'Sea')
  t.ok(
    after.wrongPage.has('option', { value: 'red', selected: '' }),
    'the form as it was filled in',
  )
  const fault = after.wrongPage.one('*', { id: 'e-sea' })
  t.match(fault.text, 'Select a valid choice. red', 'the fault at its field')
  for (const text of ['document', 'reference'] as const) {
    t.notMatch(before[text], 'The seas that it reaches.')
    t.match(after[text], 'The seas that it reaches.')
  }
})
