/** Sums and facets of the list: as JSON, and as links on the page. */
import type { Test } from 'tap'
import { change, newFile } from '../../catalogue/change.ts'
import t from '../../tap.ts'
import { openService } from '../service.ts'

const api = '/rinex/api/rinex-file/'
const names: Readonly<Record<string, readonly string[]>> = {
  'obs/2026/001': [
    'GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz',
    'GRAZ00AUT_R_20260010000_01D_MN.rnx.gz',
    'WTZR00DEU_R_20260010000_01D_30S_MO.crx.gz',
    'BRDC00IGS_R_20260010000_01D_MN.rnx.gz',
    'abcd0010.26d.gz',
    'abcd0020.26d.gz',
  ],
  'obs/2025/365': ['GRAZ00AUT_R_20253650000_01D_30S_MO.crx.gz', 'graz3650.25d.gz'],
  'nrt/2026/001/05': ['GRAZ00AUT_R_20260010500_01H_30S_MO.crx.gz', 'wtzr001f.26n.gz'],
}

async function openFilled(t: Test) {
  const service = await openService(t)
  for (const [directory, files] of Object.entries(names)) await service.addNames(directory, files)
  const get = async (query: string) => {
    const answer = await service.app.inject(`${api}?${query}`)
    return { status: answer.statusCode, body: answer.json<FacetsBody>() }
  }
  const list = async (query: string) => service.page(`rinex-file/?${query}`)
  return { ...service, get, list }
}

interface FacetsBody {
  readonly count: number
  readonly bytes?: number | null
  readonly facets?: Readonly<
    Record<string, readonly { readonly value: string | null; readonly count: number }[] | null>
  >
}

/** The parameter of each facet. */
const parameters: Readonly<Record<string, string>> = {
  type: 'file_type',
  period: 'file_duration',
  year: 'year',
  country: 'country',
  area: 'area',
  form: 'file_version',
  problem: 'problem',
  flag: 'flag',
}

t.test('facets=1 adds sums and facets to the four members of a page', async (t) => {
  const { get } = await openFilled(t)
  const four = ['count', 'next', 'previous', 'results']
  t.strictSame(Object.keys((await get('limit=1')).body), four)
  t.strictSame(Object.keys((await get('limit=1&facets=0')).body), four)
  t.strictSame(Object.keys((await get('expand=file')).body), [...four, 'bytes'])
  const { body } = await get('limit=1&facets=1')
  t.strictSame(Object.keys(body), [...four, 'bytes', 'facets'])
  t.strictSame(body.facets, {
    type: [
      { value: 'n', count: 3 },
      { value: 'o', count: 7 },
    ],
    period: [
      { value: 'd', count: 8 },
      { value: 'h', count: 2 },
    ],
    year: [
      { value: '2026', count: 8 },
      { value: '2025', count: 2 },
    ],
    country: [
      { value: 'AUT', count: 5 },
      { value: 'DEU', count: 2 },
      { value: null, count: 3 },
    ],
    area: [
      { value: 'nrt', count: 2 },
      { value: 'obs', count: 8 },
    ],
    form: [
      { value: 'r2', count: 4 },
      { value: 'r3', count: 6 },
    ],
    problem: [{ value: 'misplaced', count: 1 }],
    flag: [],
  })
})

t.test('each value of a facet has as many files as the list with this filter', async (t) => {
  const { get } = await openFilled(t)
  const filters = ['', 'station=graz', 'file_type=o', 'year=2026', 'country=AUT', 'area=nrt']
  const more = [
    'covers=2026-01-01T05:30',
    'startDate=2026-01',
    'filename__contains=_MO',
    'year=1999',
  ]
  const two = [
    'country=AUT&file_type=n',
    'station=graz&date=2026-001',
    'problem=misplaced&year=2026',
  ]
  for (const filter of [...filters, ...more, ...two]) {
    const { body } = await get(`${filter}&facets=all`)
    for (const [name, parameter] of Object.entries(parameters)) {
      const others = filter.split('&').filter((each) => !each.startsWith(`${parameter}=`))
      for (const { value, count } of body.facets?.[name] ?? []) {
        if (value === null) continue
        const list = await get([...others, `${parameter}=${value}`].join('&'))
        t.equal(count, list.body.count, `${filter}: ${name} ${value}`)
      }
    }
  }
})

t.test('a page has the sum of the bytes of its files', async (t) => {
  const { get, writer, list } = await openFilled(t)
  const added = [newFile('zimm0010.26d.gz', { size: 1234, mtimeUs: 1 })]
  await writer.apply([change('obs/2026/001', { added })])
  t.match((await get('facets=1')).body, { bytes: 1334, count: 11 })
  t.equal((await list('')).one('h1').text, 'All 11 files, 1.3 kB')
  t.equal((await list('station=zimm')).one('h1').text, 'ZIMM: 1 file, 1.2 kB')
  t.equal((await list('station=graz')).one('h1').text, 'GRAZ: 5 files, 50 bytes')
})

t.test('streams have no facets, and other words are refused', async (t) => {
  const { get } = await openFilled(t)
  for (const query of ['facets=1&format=csv', 'facets=2', 'facets=yes']) {
    const { status, body } = await get(query)
    t.equal(status, 400, query)
    t.strictSame(Object.keys(body), ['facets'])
  }
})

t.test('links of the page set and unset a value, whatever its parameter is', async (t) => {
  const { list, page } = await openFilled(t)
  const html = await list('fileType=obs&rinexVersion=3&year=2025,2026')
  const links = html
    .all('li')
    .flatMap((item) => item.all('a', { href: /^\?/, rel: 'nofollow' }))
    .map((link) => ({ link, href: link.attribute('href') ?? '' }))
  t.ok(links.length > 8, `${links.length} links`)
  for (const { href } of links) await page(`rinex-file/${href}`)
  const parametersOf = (text: string) =>
    new URLSearchParams(links.find(({ link }) => link.text === text)?.href)
  const isOn = links.filter(({ link }) => link.has('b'))
  t.strictSame(
    isOn.map(({ link }) => link.text),
    ['observation ×', '2026 ×', '2025 ×', 'long names ×'],
  )
  const observation = parametersOf('observation ×')
  t.same([observation.has('file_type'), observation.has('fileType')], [false, false])
  t.equal(parametersOf('navigation').get('file_type'), 'o,n')
  t.equal(parametersOf('2025 ×').get('year'), '2026')
})

t.test('a filter on countries says how many files have none', async (t) => {
  const { list } = await openFilled(t)
  t.match((await list('country=AUT')).text, '3 files have no country')
  t.match((await list('country=AUT&station=abcd')).text, '2 files have no country')
  t.notMatch((await list('')).text, 'no country')
})

t.test('the form knows the stations and countries of the archive', async (t) => {
  const { list } = await openFilled(t)
  const html = await list('country=aut')
  t.ok(html.has('option', { value: 'GRAZ00AUT' }))
  const countries = html.one('select', { name: 'country' })
  t.strictSame(countries.texts('option', { title: /^/ }), ['Austria', 'Germany'])
  t.equal(countries.one('option', { selected: '' }).attribute('value'), 'AUT')
  t.match(html.text, 'Country Austria')
})

t.test(
  'a form that was sent without a script leads to an address without empty fields',
  async (t) => {
    const { app, list } = await openFilled(t)
    const query = 'format=api&station=graz&country=&startDate=&endDate=&limit=20'
    const answer = await app.inject({ url: `${api}?${query}`, headers: { accept: 'text/html' } })
    t.equal(answer.statusCode, 303)
    t.equal(answer.headers.location, '?format=api&limit=20&station=graz')
    await list('station=&limit=20')
  },
)
