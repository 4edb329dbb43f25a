/** The filter form, the active filters and the columns of collections. */
import type { QueryPair } from '../../../src/api/http/links.ts'
import { activeFilters } from '../../../src/api/pages/active-filters.ts'
import { formOf, sortLink } from '../../../src/api/pages/filter-form.ts'
import { fileFilters } from '../../../src/api/parameters/file-filters.ts'
import { formFieldsOf } from '../../../src/api/parameters/parameter.ts'
import { defaultLayout } from '../../../src/parse/layout.ts'
import t from '../../tap.ts'

const filterParameters = fileFilters(defaultLayout)

const fileFields = formFieldsOf(filterParameters)
const view = { fields: fileFields, sizes: [20, 50, 100, 500] }

t.test('fields show the filters of the request, and the rest stays as hidden inputs', async (t) => {
  const cases: readonly (readonly [
    kept: readonly QueryPair[],
    values: Readonly<Record<string, string>>,
    hidden: readonly QueryPair[],
  ])[] = [
    [[], {}, []],
    [[['station', 'graz']], { station: 'graz' }, []],
    [
      [
        ['station', 'graz'],
        ['station', 'wtzr'],
      ],
      { station: 'graz,wtzr' },
      [],
    ],
    [[['file_type', 'O']], { file_type: 'O' }, []],
    [[['file_type', 'o,n']], { file_type: 'o,n' }, []],
    [
      [
        ['filename__contains', 'a'],
        ['filename__contains', 'b'],
      ],
      { filename__contains: 'a' },
      [['filename__contains', 'b']],
    ],
    [[['content', 'MO']], {}, [['content', 'MO']]],
    [[['interval', '30S']], { interval: '30S' }, []],
    [[['ordering', '-data_date']], {}, [['ordering', '-data_date']]],
  ]
  for (const [kept, values, hidden] of cases) {
    const form = formOf({ fields: fileFields }, { kept, limit: 20 })
    const filled = form.fields.filter(({ value }) => value !== '')
    t.strictSame(Object.fromEntries(filled.map(({ name, value }) => [name, value])), values)
    t.strictSame(
      form.hidden.map(({ name, value }) => [name, value]),
      hidden,
    )
    for (const { options = [], value } of filled)
      if (options.length > 0)
        t.equal(options.filter(({ isChosen }) => isChosen).length, 1, `${value} is chosen`)
  }
})

t.test('faults are shown at their fields, and faults of other parameters separately', async (t) => {
  const faults = { startDate: ['a', 'b'], content: ['c'] }
  const state = { kept: [['startDate', 'x']] as const, limit: 20, faults }
  const { fields, otherFaults } = formOf(view, state)
  t.strictSame(
    fields.filter(({ faults }) => faults.length > 0).map(({ name, faults }) => [name, faults]),
    [['startDate', ['a', 'b']]],
  )
  t.strictSame(otherFaults, [['content', ['c']]])
})

t.test('the form offers a requested page size that is not in its list of sizes', async (t) => {
  const { fields } = formOf(view, { kept: [], limit: 33 })
  const { options = [] } = fields.find(({ name }) => name === 'limit') ?? {}
  t.strictSame(
    options.map(({ value, isChosen }) => [value, isChosen]),
    [20, 33, 50, 100, 500].map((size) => [String(size), size === 33]),
  )
})

t.test(
  'each active filter has a link without it, but a thousand filters have no links',
  async (t) => {
    const kept: readonly QueryPair[] = [
      ['station', 'graz'],
      ['ordering', 'filename'],
      ['station', 'wtzr'],
    ]
    t.strictSame(activeFilters({ kept, limit: 50 }, filterParameters), [
      {
        label: 'Station',
        value: 'GRAZ',
        without: '?format=api&limit=50&ordering=filename&station=wtzr',
      },
      {
        label: 'Station',
        value: 'WTZR',
        without: '?format=api&limit=50&ordering=filename&station=graz',
      },
    ])
    const many = Array.from({ length: 1000 }, (): QueryPair => ['station', 'graz'])
    t.strictSame(activeFilters({ kept: many, limit: 20 }, filterParameters), [])
  },
)

t.test(
  'a column is sorted first in its own direction, then in the opposite direction',
  async (t) => {
    const state = { kept: [['station', 'graz']] as const, limit: 20 }
    const column = { key: 'data_date', label: 'Start of data', first: 'descending' } as const
    for (const [ordering, sort, expected] of [
      [{ key: 'id', descending: true }, '', '-data_date'],
      [{ key: 'data_date', descending: true }, 'descending', 'data_date'],
      [{ key: 'data_date', descending: false }, 'ascending', '-data_date'],
    ] as const) {
      const link = sortLink(column, ordering, state)
      t.equal(link.sort, sort)
      t.equal(link.href, `?format=api&limit=20&ordering=${expected}&station=graz`)
    }
  },
)
