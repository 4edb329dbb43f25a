/** Each parameter of the list: valid values with their filters, and invalid values. */
import { readListRequest } from '../../../src/api/files/list-request.ts'
import { BadFields } from '../../../src/api/http/errors.ts'
import { fileFilters } from '../../../src/api/parameters/file-filters.ts'
import type { FileFilter, HeaderKey, TimeRange } from '../../../src/catalogue/filter.ts'
import { headerTexts } from '../../../src/catalogue/filter.ts'
import { defaultLayout } from '../../../src/parse/layout.ts'
import { fc } from '../../random.ts'
import t from '../../tap.ts'

const filterParameters = fileFilters(defaultLayout)

const parse = (query: Parameters<typeof readListRequest>[0]) =>
  readListRequest(query, { maxLimit: 1000, filters: filterParameters }, 'json')

const us = (iso: string): number => Date.parse(iso) * 1000
const newYear = us('2026-01-01T00:00:00Z')
const secondUs = 1_000_000
const dayUs = 86_400 * secondUs

/** @param first its Sunday */
function weekOf(first: string): TimeRange {
  const fromUs = us(`${first}T00:00:00Z`)
  return { fromUs, toUs: fromUs + 7 * dayUs - secondUs }
}

/** Valid values of a parameter with their filters, and invalid values. */
interface ParameterCases {
  readonly valid: Readonly<Record<string, FileFilter>>
  readonly invalid: readonly string[]
}

function timeTable(name: string, stepUs: number, add: (range: TimeRange) => FileFilter) {
  const value = '2026-01-01'
  const invalid = ['2026-02-30', '20261', 'x', '2026-01-01T24:01', '..', '2026-01-01,2026-01-02']
  const rows: Readonly<Record<string, TimeRange>> = {
    '': { fromUs: newYear, toUs: newYear },
    __gt: { fromUs: newYear + stepUs },
    __gte: { fromUs: newYear },
    __lt: { toUs: newYear - stepUs },
    __lte: { toUs: newYear },
  }
  return Object.fromEntries(
    Object.entries(rows).map(([lookup, range]): [string, ParameterCases] => [
      name + lookup,
      {
        valid: Object.fromEntries(
          [
            value,
            `${value}T00:00`,
            '2025-365T24:00:00Z',
            '20260101T000000Z',
            '2026-01',
            '2026',
          ].map((text) => [text, add(range)]),
        ),
        invalid,
      },
    ]),
  )
}

function choiceTable(words: readonly string[], add: (words: string[]) => object): ParameterCases {
  const valid = Object.fromEntries(
    words.flatMap((word) =>
      [word, word.toUpperCase(), word.toLowerCase()].map((text) => [text, add([word])]),
    ),
  )
  const all = { [words.join()]: add([...words]), [` ${words.join(' , ')} ,`]: add([...words]) }
  return {
    valid: { ...valid, ...all },
    invalid: ['?', words.join(' '), `${words[0] ?? ''}x`, 'toString', '__proto__', '0'],
  }
}

/** Adds the values of other archives. */
function withMore(
  { valid, invalid }: ParameterCases,
  more: ParameterCases['valid'],
): ParameterCases {
  return { valid: { ...valid, ...more }, invalid }
}

const years: ParameterCases = {
  valid: {
    '1970': { years: [1970] },
    '1972,1971': { years: [1972, 1971] },
  },
  invalid: ['70', '19700', 'x', '1970-01', '-1970', '2445'],
}

const stations: ParameterCases = {
  valid: {
    graz: { stations: ['GRAZ'] },
    'GRAZ,graz00aut': { stations: ['GRAZ', 'GRAZ00AUT'] },
    'graz,GRAZ,graz': { stations: ['GRAZ'] },
    '0000': { stations: ['0000'] },
    'gr*,GRAZ': { stations: ['GR*', 'GRAZ'] },
  },
  invalid: ['gra', 'graz0', 'graz00au', 'graz00autt', 'gr_z', 'gräz', 'gra%', 'ſſſſ', '*'],
}

/** Texts of headers may have commas. */
const headerText = (key: HeaderKey): ParameterCases => ({
  valid: {
    'SEPT PolaRx5': { [key]: ['sept polarx5'] },
    ' A,b ': { [key]: ['a,b'] },
    İÄK: { [key]: ['İÄk'] },
  },
  invalid: [],
})

const table: Readonly<Record<string, ParameterCases>> = {
  filename: {
    valid: {
      'GRAZ0010.26D.gz': { names: [{ how: 'is', text: 'graz0010.26d.gz' }] },
      ' a ': { names: [{ how: 'is', text: 'a' }] },
      'A,B': { names: [{ how: 'is', text: 'a,b' }] },
      İÄK: { names: [{ how: 'is', text: 'İÄk' }] },
    },
    invalid: [],
  },
  filename__startswith: {
    valid: { '%_': { names: [{ how: 'starts', text: '%_' }] } },
    invalid: [],
  },
  filename__contains: {
    valid: { '\0': { names: [{ how: 'contains', text: '\0' }] } },
    invalid: [],
  },
  ...timeTable('data_date', secondUs, (start) => ({ start })),
  ...timeTable('created', 1, (created) => ({ created })),
  ...timeTable('modified', 1, (modified) => ({ modified })),
  id: {
    valid: { '5': { idAbove: 4, idBelow: 6 } },
    invalid: ['x', '1.0'],
  },
  id__gt: {
    valid: {
      '5': { idAbove: 5 },
      '-5': { idAbove: -5 },
      '+5': { idAbove: 5 },
      ' 5': { idAbove: 5 },
      '005': { idAbove: 5 },
      [`1${'0'.repeat(400)}`]: { idAbove: Number.MAX_SAFE_INTEGER },
    },
    invalid: ['x', '1.0', '1e3', '0x1', '1,2', '1 2', '--1', '+-1', '٣', '１'],
  },
  id__lt: {
    valid: { '5': { idBelow: 5 }, [`-${'9'.repeat(20)}`]: { idBelow: -Number.MAX_SAFE_INTEGER } },
    invalid: ['x', '1.0'],
  },
  id__gte: { valid: { '5': { idAbove: 4 } }, invalid: ['x', '1.0'] },
  id__lte: { valid: { '5': { idBelow: 6 } }, invalid: ['x', '1.0'] },
  file_duration: withMore(
    choiceTable(['m', 'h', 'd', 'y', 'u'], (durations) => ({ durations })),
    {
      '01D,01h': { durations: ['d', 'h'] },
      H: { durations: ['h'] },
      '15m': { durations: ['m'] },
    },
  ),
  file_version: withMore(
    choiceTable(['r2', 'r3'], (versions) => ({ versions })),
    {
      '2,R2': { versions: ['r2'] },
      '3': { versions: ['r3'] },
      '4': { versions: ['r3'] },
      latest: { versions: ['r3'] },
      all: {},
    },
  ),
  file_type: withMore(
    choiceTable(['o', 'n', 'm'], (types) => ({ types })),
    {
      obs: { types: ['o'] },
      'NAV,met': { types: ['n', 'm'] },
      O: { types: ['o'] },
    },
  ),
  year: years,
  data_date__year: years,
  station: stations,
  stationId: stations,
  area: choiceTable(['obs', 'nrt'], (areas) => ({ areas })),
  country: {
    valid: {
      aut: { countries: ['AUT'] },
      'AUT,deu': { countries: ['AUT', 'DEU'] },
      XKX: { countries: ['XKX'] },
      'Norway,nor': { countries: ['NOR'] },
      türkiye: { countries: ['TUR'] },
    },
    invalid: ['at', 'aust', 'a1t', 'aüt', 'QQQ', 'IGS'],
  },
  date: {
    valid: {
      '1970-01-02': { days: [1] },
      '1970-01-02,1969-12-31': { days: [1, -1] },
      '19700102,1970-1-3': { days: [1, 2] },
      '1970-002,1970003': { days: [1, 2] },
      '2.1.1970,03.01.1970': { days: [1, 2] },
      '1970-02': { days: Array.from({ length: 28 }, (_, day) => 31 + day) },
    },
    invalid: [
      '1970-01-01T00:00',
      '1970-13',
      '31.2.1970',
      '1.70',
      '1970.01.01',
      '2026-02-30',
      '2026-367',
      '202601',
      '20260230',
    ],
  },
  doy: {
    valid: {
      '1970-002': { days: [1] },
      '1970-001,1970-001': { days: [0] },
      '1970002,1970-01-03': { days: [1, 2] },
    },
    invalid: ['2026-366', '2026-000', '2026-12', '2026', '2026-22', '2026366'],
  },
  interval: {
    valid: {
      '30s': { intervals: ['30S'] },
      '30S,01H': { intervals: ['30S', '01H'] },
      '1': { intervals: ['01S'] },
      '1s': { intervals: ['01S'] },
      '1 Hz': { intervals: ['01S', '01Z'] },
      '20 Hz': { intervals: ['20Z'] },
      '15 min': { intervals: ['15M'] },
    },
    invalid: ['S', '030S', 'x', '-1'],
  },
  content: {
    valid: { mo: { contents: ['MO'] }, 'MO,GN': { contents: ['MO', 'GN'] } },
    invalid: ['m', 'mno', 'm1'],
  },
  source: choiceTable(['R', 'S', 'U'], (sources) => ({ sources })),
  problem: {
    valid: {
      incomplete: { problems: ['incomplete'] },
      'broken,misplaced': { problems: ['broken', 'misplaced'] },
    },
    invalid: ['none', 'rejected'],
  },
  overlaps: {
    valid: {
      '../..': { overlaps: {} },
      '2026-01-01/..': { overlaps: { fromUs: newYear } },
      '../2026-01-01': { overlaps: { toUs: newYear + dayUs - secondUs } },
      '../2026-01-01T00:00': { overlaps: { toUs: newYear } },
      '2026-01-01/2026-01-01': { overlaps: { fromUs: newYear, toUs: newYear + dayUs - secondUs } },
      '2026-01/2026-001': { overlaps: { fromUs: newYear, toUs: newYear + dayUs - secondUs } },
    },
    invalid: ['2026-01-01', '/', '..', '2026-01-02/2026-01-01', '../../..', '2026-01-01/', 'x/..'],
  },
  when: {
    valid: {
      '2026-01-01': { overlaps: { fromUs: newYear, toUs: newYear + dayUs - secondUs } },
      '2026-001': { overlaps: { fromUs: newYear, toUs: newYear + dayUs - secondUs } },
      '1 Jan 2026 (001)': { overlaps: { fromUs: newYear, toUs: newYear + dayUs - secondUs } },
      '2026-01': { overlaps: { fromUs: newYear, toUs: newYear + 31 * dayUs - secondUs } },
      'January 2026': { overlaps: { fromUs: newYear, toUs: newYear + 31 * dayUs - secondUs } },
      '2026': { overlaps: { fromUs: newYear, toUs: newYear + 365 * dayUs - secondUs } },
      '2026-001/2026-002': { overlaps: { fromUs: newYear, toUs: newYear + 2 * dayUs - secondUs } },
      '2026-01-01 to 2 Jan 2026': {
        overlaps: { fromUs: newYear, toUs: newYear + 2 * dayUs - secondUs },
      },
      '2026/..': { overlaps: { fromUs: newYear } },
      '2445': { overlaps: weekOf('2026-11-15') },
      'week 2445': { overlaps: weekOf('2026-11-15') },
      'GPS week 2000': { overlaps: weekOf('2018-05-06') },
      '2026-01-01 00:00': { overlaps: { fromUs: newYear, toUs: newYear } },
    },
    invalid: ['x', '..', '2026-13', '2026-02-30', '2026-002/2026-001', '244', 'week'],
  },
  startDate: {
    valid: {
      '2026-01-01': { overlaps: { fromUs: newYear } },
      '2026-01-01T00:00': { overlaps: { fromUs: newYear } },
      '2026-01-01T00:00:01.5Z': { overlaps: { fromUs: newYear + 1.5 * secondUs } },
      '2026-01-01T01:00+01:00': { overlaps: { fromUs: newYear } },
      '2026-01': { overlaps: { fromUs: newYear } },
      '2026': { overlaps: { fromUs: newYear } },
      '1.1.2026': { overlaps: { fromUs: newYear } },
    },
    invalid: ['2026-02-30', '2026-01-01T24:01', 'x', '..', '2026-13', '2026-00', '20261'],
  },
  covers: {
    valid: {
      '2026-01-01 00:00': { overlaps: { fromUs: newYear, toUs: newYear } },
      '2026-001': { overlaps: { fromUs: newYear, toUs: newYear } },
      '2026-01': { overlaps: { fromUs: newYear, toUs: newYear } },
    },
    invalid: ['2026-13', 'x', '..'],
  },
  endDate: {
    valid: {
      '2026-01-01': { overlaps: { toUs: newYear + dayUs - secondUs } },
      '2026-01-01T00:00': { overlaps: { toUs: newYear } },
      '2026-01-01T00:01Z': { overlaps: { toUs: newYear + 60 * secondUs } },
      '2025-12': { overlaps: { toUs: newYear - secondUs } },
      '2026-02': { overlaps: { toUs: newYear + 59 * dayUs - secondUs } },
      '2025': { overlaps: { toUs: newYear - secondUs } },
    },
    invalid: ['2026-02-30', '2026-01-01T25:00', 'x', '..', '2445'],
  },
  rinexVersion: {
    valid: {
      '2': { versions: ['r2'] },
      '3,2': { versions: ['r3', 'r2'] },
      '4': { versions: ['r3'] },
      '3,4,latest': { versions: ['r3'] },
      Latest: { versions: ['r3'] },
      all: {},
      'ALL,2': {},
      '2,all': {},
    },
    invalid: ['r2', '5', '1', '2.11', '3.04', 'any', 'toString', 'all,x'],
  },
  filePeriod: {
    valid: {
      '01D': { durations: ['d'] },
      '01H,01D': { durations: ['h', 'd'] },
      '01h,01d': { durations: ['h', 'd'] },
      '15M,15m': { durations: ['m'] },
    },
    invalid: ['1D', '15', 'M', '15MM', '01Ｄ'],
  },
  fileType: {
    valid: {
      obs: { types: ['o'] },
      'nav,met': { types: ['n', 'm'] },
      'OBS,Nav': { types: ['o', 'n'] },
    },
    invalid: ['o', 'observation', 'constructor', 'obſ'],
  },
  flag: choiceTable(['short', 'no-header'], (flags) => ({ flags })),
  share__lt: {
    valid: {
      '0.95': { shareBelow: 950_000 },
      '.5': { shareBelow: 500_000 },
      '1': { shareBelow: 1_000_000 },
      '1.0': { shareBelow: 1_000_000 },
      '0.000001': { shareBelow: 1 },
    },
    invalid: ['0', '0.0', '-0.5', '1.000001', '2', '95%', '1e-1', '0.1234567', '0,5', 'x', 'NaN'],
  },
  ...Object.fromEntries(
    headerTexts.flatMap((name) => [
      [name, headerText(name)],
      [`${name}__startswith`, headerText(`${name}Begins`)],
    ]),
  ),
  system: {
    valid: { g: { systems: ['G'] }, 'G,e': { systems: ['G', 'E'] }, X: { systems: ['X'] } },
    invalid: ['GPS', '1', 'Ä'],
  },
  signal: {
    valid: { c1c: { signals: ['C1C'] }, 'L1,C1C': { signals: ['L1', 'C1C'] } },
    invalid: ['C', '1C', 'C1CC', 'C-1'],
  },
  bbox: {
    valid: {
      '9.5,46.3,17.2,49.1': { box: { west: 9.5, south: 46.3, east: 17.2, north: 49.1 } },
      ' 170 , -10,-170, +10 ': { box: { west: 170, south: -10, east: -170, north: 10 } },
      '-180,-90,180,90': { box: { west: -180, south: -90, east: 180, north: 90 } },
    },
    invalid: ['1,2,3', '1,2,3,4,5', '-181,0,0,1', '0,0,181,1', '0,-91,1,0', '0,2,1,1', '0,0,x,1'],
  },
}

/** The body of the 400; `undefined` when the query is valid. */
function faultsOf(query: Record<string, string | string[]>): BadFields['fields'] | undefined {
  try {
    parse(query)
    return undefined
  } catch (error) {
    if (error instanceof BadFields) return error.fields
    throw error
  }
}

t.test('the table of cases has every parameter of the list', async (t) => {
  t.strictSame(Object.keys(table).sort(), [...filterParameters.keys()].sort())
})

for (const [name, { valid, invalid }] of Object.entries(table))
  t.test(`${name} accepts its valid values and rejects its invalid values`, (t) => {
    for (const [value, filter] of Object.entries(valid)) {
      const request = parse({ [name]: value })
      t.strictSame(request.filter, filter, value.slice(0, 40))
      t.strictSame(request.kept, [[name, value]], 'links repeat the value unchanged')
      t.strictSame(request.ignored, [])
    }
    for (const value of invalid) {
      const faults = faultsOf({ [name]: value })
      t.strictSame(Object.keys(faults ?? {}), [name], value)
      t.match(faults?.[name]?.[0], /^(Enter|Select|The range) .*\.$/, value)
    }
    for (const blank of ['', ' ', '\t', '\u2003', ['', ' ']])
      t.strictSame(parse({ [name]: blank }).filter, {}, 'a blank value is ignored')
    t.end()
  })

t.test('repeated choices match any of their values, repeated conditions match all', async (t) => {
  const cases: [Record<string, string | string[]>, FileFilter][] = [
    [{ station: ['graz', 'wtzr,abpo'] }, { stations: ['GRAZ', 'WTZR', 'ABPO'] }],
    [{ file_type: ['o', 'o,n'] }, { types: ['o', 'n'] }],
    [
      { id__gt: ['1', '5', '3'], id__lt: ['9', '7'] },
      { idAbove: 5, idBelow: 7 },
    ],
    [
      { filename__contains: ['a', 'b'] },
      {
        names: [
          { how: 'contains', text: 'a' },
          { how: 'contains', text: 'b' },
        ],
      },
    ],
    [{ created__gte: ['1970-01-01', '1970-01-02'] }, { created: { fromUs: dayUs } }],
    [
      { created__gte: '1970-01-02', created__lt: '1970-01-02' },
      { created: { fromUs: dayUs, toUs: dayUs - 1 } },
    ],
    [
      { overlaps: ['../1970-01-01T00:00', '1970-01-03/..'] },
      { overlaps: { fromUs: 2 * dayUs, toUs: 0 } },
    ],
    [{ startDate: '1970-01-02', overlaps: '../..' }, { overlaps: { fromUs: dayUs } }],
    [{ file_version: 'r2', rinexVersion: '3' }, { versions: [] }],
    [{ file_version: 'r2,r3', rinexVersion: '3' }, { versions: ['r3'] }],
    [{ file_version: 'r2', rinexVersion: ['3', 'all'] }, { versions: ['r2'] }],
    [
      { startDate: '1970-01-02T05:00', endDate: '1970-01-02' },
      { overlaps: { fromUs: dayUs + 5 * 3600 * secondUs, toUs: 2 * dayUs - secondUs } },
    ],
    [{ station: 'graz', stationId: 'graz00aut,wtzr' }, { stations: ['GRAZ00AUT'] }],
    [
      { station: 'graz00aut,wtzr', stationId: 'graz,wtzr00deu' },
      { stations: ['GRAZ00AUT', 'WTZR00DEU'] },
    ],
    [{ station: 'graz', stationId: 'graz' }, { stations: ['GRAZ'] }],
    [{ date: '1970-01-01,1970-01-02', doy: '1970-002' }, { days: [1] }],
    [{ file_duration: 'd', filePeriod: '01H' }, { durations: [] }],
    [{ flag: ['short', 'cut,short'] }, { flags: ['short', 'cut'] }],
    [{ receiver: ['A,B', 'c'] }, { receiver: ['a,b', 'c'] }],
    [
      { receiver__startswith: ['a', 'b'], receiver: 'ab' },
      { receiver: ['ab'], receiverBegins: ['a', 'b'] },
    ],
    [{ share__lt: ['0.9', '0.5'] }, { shareBelow: 500_000 }],
    [{ bbox: ['0,0,1,1', '2,0,3,1'] }, { box: { west: 2, south: 0, east: 3, north: 1 } }],
  ]
  for (const [query, filter] of cases)
    t.strictSame(parse(query).filter, filter, JSON.stringify(query))
})

t.test('a 400 response names all faults, each once', async (t) => {
  t.strictSame(
    faultsOf({ id__gt: ['x', '1', 'y'], file_type: 'o,q,q,z', area: 'obs', ordering: 'z' }),
    {
      id__gt: ['Enter a whole number.'],
      file_type: ['q', 'z'].map(
        (value) => `Select a valid choice. ${value} is not one of the available choices.`,
      ),
      ordering: ['Select a valid choice. z is not one of the available choices.'],
    },
  )
  t.strictSame(faultsOf({ station: ['a,b', 'c'] }), {
    station: ['Enter station codes of 4 or 9 characters, or their beginning with an asterisk.'],
  })
})

t.test('a range that ends before it begins is a fault of what begins it', async (t) => {
  const fault = ['The range ends before it begins.']
  const days = ['2026-01-02', '2026-01-01'] as const
  const pairs: readonly (readonly [from: string, to: string, ...values: readonly string[]])[] = [
    ['startDate', 'endDate', ...days],
    ['startDate', 'endDate', '2026-01-01T12:00', '2026-01-01T06:00'],
    ...['data_date', 'created', 'modified', 'id'].flatMap((field) =>
      ['gt', 'gte'].flatMap((from) =>
        ['lt', 'lte'].map(
          (to) =>
            [
              `${field}__${from}`,
              `${field}__${to}`,
              ...(field === 'id' ? ['5', '3'] : days),
            ] as const,
        ),
      ),
    ),
  ]
  for (const [from, to, first = '', last = ''] of pairs) {
    t.strictSame(faultsOf({ [to]: last, [from]: first }), { [from]: fault }, from + to)
    t.equal(faultsOf({ [from]: last, [to]: first }), undefined)
    t.equal(faultsOf({ [from]: last, [to]: last }), undefined)
  }
  t.strictSame(faultsOf({ id__gt: ['1', '9'], id__lt: '5', id__gte: '2' }), { id__gt: fault })
  t.equal(faultsOf({ id__gt: '5', created__lt: '1970' }), undefined)
})

t.test('an unknown parameter is ignored, or is a fault with strict=1', async (t) => {
  const odd = JSON.parse('{"__proto__":"1","constructor":"2","":"3","x":["4","5"]}') as Record<
    string,
    string
  >
  t.strictSame(parse(odd).ignored.toSorted(), ['', '__proto__', 'constructor', 'x'])
  for (const strict of ['1', 'true'])
    t.strictSame(Object.keys(faultsOf({ ...odd, ['__proto__']: '1', strict }) ?? {}).length, 4)
  for (const strict of ['0', 'false', '', '2']) t.equal(faultsOf({ ...odd, strict }), undefined)
  t.strictSame(parse({ strict: '1', format: 'json', limit: 'x', offset: 'y' }).kept, [
    ['strict', '1'],
  ])
})

t.test('ordering accepts one key or several keys', async (t) => {
  for (const key of ['id', 'data_date', 'created', 'modified', 'filename'])
    for (const descending of [false, true]) {
      const ordering = (descending ? '-' : '') + key
      const request = parse({ ordering: ['x', ordering] })
      t.strictSame(request.values.ordering, { key, descending }, ordering)
      t.strictSame(request.kept, ordering === '-id' ? [] : [['ordering', ordering]])
    }
  t.strictSame(parse({ ordering: '' }).values.ordering, { key: 'id', descending: true })
  const several: Readonly<Record<string, object>> = {
    'data_date,-filename': {
      key: 'data_date',
      descending: false,
      then: [{ key: 'filename', descending: true }],
    },
    ' -created , created,id,filename': {
      key: 'created',
      descending: true,
      then: [{ key: 'id', descending: false }],
    },
    'id,filename': { key: 'id', descending: false },
  }
  for (const [ordering, expected] of Object.entries(several))
    t.strictSame(parse({ ordering }).values.ordering, expected, ordering)
  for (const ordering of ['--id', '-', 'ID', 'id,size', 'size', '__proto__', '-constructor'])
    t.strictSame(Object.keys(faultsOf({ ordering }) ?? {}), ['ordering'], ordering)
})

t.test('every query is parsed, or has faults that name its parameters', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      ...Object.values(table).flatMap(({ valid, invalid }) => [...Object.keys(valid), ...invalid]),
    ),
  )
  const key = fc.oneof(
    fc.constantFrom(...filterParameters.keys(), 'ordering', 'strict'),
    fc.string(),
  )
  fc.assert(
    fc.property(fc.dictionary(key, fc.oneof(text, fc.array(text)), { maxKeys: 8 }), (query) => {
      const faults = faultsOf(query)
      return faults === undefined || Object.keys(faults).every((name) => Object.hasOwn(query, name))
    }),
    { numRuns: 3000 },
  )
})
