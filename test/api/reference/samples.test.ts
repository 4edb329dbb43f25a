/** The examples of the reference are those of this archive. */
import { findWords } from '../../../src/api/reference/samples.ts'
import { CatalogueUnavailable } from '../../../src/catalogue/errors.ts'
import { defaultLayout } from '../../../src/parse/layout.ts'
import { header3 } from '../../rinex/texts.ts'
import t from '../../tap.ts'
import type { Html } from '../html.ts'
import type { Service } from '../service.ts'
import { openService } from '../service.ts'

const name = (station: string, start: string, rest: string) =>
  `${station}_R_${start}_${rest}.crx.gz`

/** WTZR has more files than ZIMM; BRDC has most, but is no station. */
async function fill(service: Service): Promise<void> {
  const days = ['2026030', '2026031', '2026032']
  for (const day of days) {
    const directory = `obs/${day.slice(0, 4)}/${day.slice(4)}`
    await service.addNames(directory, [
      ...['MN', 'GN', 'RN', 'EN'].map((content) =>
        name('BRDC00IGS', `${day}0000`, `01D_${content}`),
      ),
    ])
    await service.add(`${directory}/${name('WTZR00DEU', `${day}0000`, '01D_30S_MO')}`, header3())
  }
  await service.addNames('nrt/2026/032/07', [name('WTZR00DEU', '20260320700', '01H_30S_MO')])
  await service.addNames('obs/2026/031', ['zimm0310.26d.gz'])
}

/** The pages of all resources. */
async function resourcePages(service: Service, first: Html): Promise<Html[]> {
  const hrefs = first.links({ href: /^[a-z-]+\/\?format=api#/ }).map(({ href }) => href)
  const paths = new Set(hrefs.map((href) => href.replace(/#.*/, '')))
  return Promise.all(Array.from(paths, (path) => service.page(`docs/${path}`)))
}

const runLinks = (page: Html) =>
  page.links().flatMap(({ text, href }) => (text === 'Run' ? [href] : []))

t.test('the examples name a station, the last day and files that are there', async (t) => {
  const service = await openService(t)
  await fill(service)
  const first = await service.page('docs/')
  const pages = [first, ...(await resourcePages(service, first))]
  const all = pages.map(({ text }) => text).join('\n')
  for (const text of [
    "/rinex/api/rinex-file/?station=WTZR00DEU&limit=5'",
    'station=WTZR00DEU&date=2026-02-01&format=urls',
    'data/obs/2026/032/WTZR00DEU_R_20260320000_01D_30S_MO.crx.gz',
    'data/nrt/2026/032/07/WTZR00DEU_R_20260320700_01H_30S_MO.crx.gz',
    'data/nrt/2026/032/07/SHA256SUMS',
    '?country=DEU',
  ])
    t.ok(all.includes(text), text)
  t.notMatch(all, 'station=GRAZ&')
  const links = pages.flatMap(runLinks)
  t.ok(links.length > 25)
  for (const url of links) t.equal((await service.app.inject(url)).statusCode, 200, url)
  t.strictSame(first.texts('h2').slice(0, 2), ['First steps', 'Resources'])
})

t.test('an anchor of the first page leads to the part of a page that it names', async (t) => {
  const service = await openService(t)
  await fill(service)
  const first = await service.page('docs/')
  const anchors = first.all('li').filter((each) => each.attribute('id') !== undefined)
  const ids = anchors.map((each) => each.attribute('id') ?? '')
  for (const id of ['listFiles', 'listChanges', 'downloadDaily', 'object-Record', 'reason-not-gz'])
    t.ok(ids.includes(id), id)
  const pages = new Map<string, Html>()
  for (const [index, id] of ids.entries()) {
    const { href = '' } = anchors[index]?.links()[0] ?? {}
    const [path = '', fragment] = href.split('#')
    t.equal(fragment, id)
    const page = pages.get(path) ?? (await service.page(`docs/${path}`))
    pages.set(path, page)
    t.equal(page.all('*', { id }).length, 1, href)
    t.notOk(page.has('img'))
  }
  for (const page of pages.values())
    for (const { href } of page.links({ href: /^#/ }))
      t.ok(page.has('*', { id: href.slice(1) }), href)
  await service.page('docs/nothing/', 404)
})

t.test('the tag of the page changes with the station and its files', async (t) => {
  const service = await openService(t)
  const tag = async () => (await service.app.inject({ url: '/rinex/api/docs/' })).headers.etag
  const empty = await tag()
  t.equal(await tag(), empty)
  await fill(service)
  t.not(await tag(), empty)
})

t.test(
  'without a station, or a catalogue, the examples are general, and none is run',
  async (t) => {
    const service = await openService(t)
    const page = await service.page('docs/')
    t.match(page.text, "/rinex/api/rinex-file/?station=GRAZ&limit=5'")
    t.strictSame(runLinks(page), [])
    const away = () => Promise.reject(new CatalogueUnavailable('away'))
    t.equal(await findWords({ stations: away, records: away }, defaultLayout), undefined)
    const broken = () => Promise.reject(new Error('a defect'))
    await t.rejects(findWords({ stations: broken, records: broken }, defaultLayout), {
      message: 'a defect',
    })
  },
)
