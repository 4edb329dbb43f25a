/** Archives of other areas and suffixes than those of the seed: all resources speak of them. */
import type { Test } from 'tap'
import type { ApiSettings } from '../../src/api/server.ts'
import type { LayoutLists } from '../../src/parse/layout.ts'
import { createLayout, defaultLists } from '../../src/parse/layout.ts'
import { change } from '../catalogue/change.ts'
import t, { exact } from '../tap.ts'
import { until } from '../until.ts'
import type { Service } from './service.ts'
import { openService, startUs } from './service.ts'

const daily = 'GRAZ00AUT_R_20260210000_01D_30S_MO.crx.gz'
const hourly = 'GRAZ00AUT_S_20260210500_01H_30S_MO.crx.gz'

async function open(
  t: Test,
  lists: Partial<LayoutLists>,
  paths: readonly string[],
  settings: Partial<ApiSettings> = {},
) {
  const layout = createLayout({ ...defaultLists, ...lists })
  const service = await openService(t, { nowUs: startUs, settings: { layout, ...settings } })
  await service.writer.adoptLayout(layout.lists)
  for (const path of paths) await service.add(path)
  while ((await service.writer.buildIndexes()).left > 0);
  await service.setNow(startUs / 1e6)
  return service
}

async function jsonOf<T>({ app }: Service, url: string, status = 200): Promise<T> {
  const answer = await app.inject(`/rinex/${url}`)
  if (answer.statusCode !== status) throw new Error(`${url}: ${answer.statusCode} ${answer.body}`)
  return answer.json<T>()
}

/** The metrics, when they have a line: a scrape does not wait long for the catalogue. */
async function metricsOf({ app }: Service, line: string): Promise<string> {
  let body = ''
  await until(line, async () => {
    body = (await app.inject('/metrics')).body
    return body.includes(line)
  })
  return body
}

const hrefsOf = async ({ app }: Service, url: string) => {
  const { body } = await app.inject(`/rinex/data/${url}`)
  return Array.from(body.matchAll(/<a href="([^"]*)"/g), ([, href]) => href)
}

/** What a resource links to or says of the seed's tree, which this one has not. */
function ofSeed(text: string): readonly string[] {
  const other = /data\/(?:obs|nrt)\b|\b(?:obs|nrt)\/\d{4}|neither in `obs`|area=obs|\{\w*area\w*\}/g
  return Array.from(text.matchAll(other), ([found]) => found)
}

interface Record_ {
  readonly count: number
  readonly results: readonly { readonly download_path: string; readonly file: { area: string } }[]
  readonly facets: { readonly area: readonly unknown[] }
}

interface Found {
  readonly results: readonly {
    readonly kind: string
    readonly title: string
    readonly url: string | null
    readonly why: string | null
  }[]
}

t.test('areas of several segments', async (t) => {
  const areas = ['pub/rinex3', 'hourly']
  const paths = [`pub/rinex3/2026/021/${daily}`, `hourly/GRAZ/${hourly}`]
  const service = await open(t, { areas }, paths)
  const { app, page } = service
  const list = await jsonOf<Record_>(service, 'api/rinex-file/?expand=file&facets=1')
  t.equal(list.count, 2)
  t.same(
    list.results.map(({ download_path: url, file }) => [url, file.area]),
    [
      [`https://archive.example/rinex/data/hourly/GRAZ/${hourly}`, 'hourly'],
      [`https://archive.example/rinex/data/pub/rinex3/2026/021/${daily}`, 'pub/rinex3'],
    ],
  )
  t.same(list.facets.area, [
    { value: 'hourly', count: 1 },
    { value: 'pub/rinex3', count: 1 },
  ])
  for (const area of ['pub/rinex3', 'PUB/Rinex3', 'pub/rinex3,pub/rinex3'])
    t.match(await jsonOf(service, `api/rinex-file/?area=${area}`), { count: 1 }, area)
  t.same(await jsonOf(service, 'api/rinex-file/?area=obs,hourly', 400), {
    area: ['Select a valid choice. obs is not one of the available choices.'],
  })
  const feed = await jsonOf<{ results: object[] }>(service, 'api/changes/?since=0&area=hourly')
  t.equal(feed.results.length, 1)
  t.match(await jsonOf(service, 'api/station/GRAZ/'), {
    area: { hourly: 1, 'pub/rinex3': 1 },
  })
  t.match(await jsonOf(service, 'api/station/?area=hourly'), { count: 1 })
  const { body: csv } = await app.inject('/rinex/api/archive/?format=csv')
  t.same(csv.match(/^2026,[^,]*/gm), ['2026,hourly', '2026,pub/rinex3'])
  t.match(await jsonOf(service, 'api/archive/'), {
    disks: exact([{ holds: exact(['archive', 'pub/rinex3', 'hourly']) }]),
  })
  t.match(await jsonOf(service, 'api/status/'), {
    areas: { 'pub/rinex3': { files: 1 }, hourly: { files: 1 } },
  })
  const metrics = await metricsOf(service, 'rinex_catalogue_files{area="pub/rinex3"} 1')
  t.match(metrics, 'rinex_catalogue_files{area="hourly"} 1')
  t.notMatch(metrics, /area="(?:obs|nrt)"/)
  const form = (
    await app.inject({ url: '/rinex/api/rinex-file/', headers: { accept: 'text/html' } })
  ).body
  t.match(form, '<option value="pub/rinex3"')
  t.notMatch(form, '<option value="obs"')
  const archive = await page('archive/')
  t.match(archive.text, /pub\/rinex3, with hourly on top/)
  t.match(archive.text, /pub\/rinex3: \d+ bytes, only data since/)

  await t.test('directories above an area are listed with the areas alone', async (t) => {
    t.same(await hrefsOf(service, ''), ['hourly/', 'pub/'])
    t.same(await hrefsOf(service, 'pub/'), ['../', 'rinex3/'])
    t.same(await hrefsOf(service, 'pub/rinex3/2026/021/'), ['../', daily])
    t.equal((await app.inject('/rinex/data/pub/other/')).statusCode, 404)
    const download = await app.inject(`/rinex/data/${paths[0] ?? ''}`)
    t.same([download.statusCode, download.body], [200, paths[0]])
    const sums = await app.inject('/rinex/data/hourly/GRAZ/SHA256SUMS')
    t.same([sums.statusCode, sums.body], [200, '# 1 files are not hashed yet\n'])
  })

  await t.test('the search knows paths of these areas', async (t) => {
    const cases = [
      ['pub/rinex3/2026', 'directory', 'pub/rinex3/2026/'],
      ['pub', 'directory', 'pub/'],
      ['https://archive.example/rinex/data/hourly/GRAZ/', 'directory', 'hourly/GRAZ/'],
      [`/srv/archive/hourly/GRAZ/${hourly}`, 'file', `hourly/GRAZ/${hourly}`],
      [daily, 'file', `pub/rinex3/2026/021/${daily}`],
    ] as const
    for (const [q, kind, title] of cases) {
      const { results } = await jsonOf<Found>(service, `api/search/?q=${encodeURIComponent(q)}`)
      t.match(results[0], { kind, title, url: String, why: null }, q)
    }
    const why = 'It is rejected: The directory is in none of the areas, so its files are not read.'
    for (const path of ['obs/2026/021', 'obs/2026/021/zimm0210.26d.gz']) {
      const { results } = await jsonOf<Found>(service, `api/search/?q=${path}`)
      t.match(results, exact([{ kind: 'directory', title: path, url: null, why }]))
    }
    const { results } = await jsonOf<Found>(service, `api/search/?q=/srv/old/${daily}`)
    t.match(
      results,
      exact([{ kind: 'file', why: 'It is in another directory than the one asked for.' }]),
    )
  })

  await t.test('the description has no word of the areas of the seed', async (t) => {
    const { body } = await app.inject('/rinex/api/schema/')
    t.same(ofSeed(body), [])
    const { paths } = JSON.parse(body) as { readonly paths: object }
    t.same(
      Object.keys(paths).filter((path) => path.startsWith('/data/')),
      [
        '/data/',
        '/data/{directory}/',
        '/data/{directory}/{filename}',
        '/data/{directory}/SHA256SUMS',
        '/data/{directory}/MD5SUMS',
      ],
    )
    t.match(body, '"enum":["pub/rinex3","hourly",null]')
    for (const name of ['rinex-file', 'data', 'status', 'archive', 'station', 'rescan']) {
      const { text } = await page(`docs/${name}/`)
      t.same(ofSeed(text), [], name)
    }
  })
})

t.test('all of the archive is one area', async (t) => {
  const paths = [daily, `2026/021/05/${hourly}`]
  const service = await open(t, { areas: ['.'], suffixes: ['.gz', '.Z'] }, paths)
  const { app, page } = service
  const list = await jsonOf<Record_>(service, 'api/rinex-file/?expand=file&facets=1&area=archive')
  t.same(
    list.results.map(({ download_path: url, file }) => [url, file.area]),
    [
      [`https://archive.example/rinex/data/2026/021/05/${hourly}`, 'archive'],
      [`https://archive.example/rinex/data/${daily}`, 'archive'],
    ],
  )
  t.same(list.facets.area, [{ value: 'archive', count: 2 }])
  t.same(await hrefsOf(service, ''), ['2026/', daily])
  t.same(await hrefsOf(service, '2026/021/05/'), ['../', hourly])
  t.equal((await app.inject(`/rinex/data/${daily}`)).body, daily)
  t.equal((await app.inject(`/rinex/data/${daily.toLowerCase()}`)).statusCode, 303)
  t.notMatch(await metricsOf(service, 'rinex_catalogue_files{area="archive"} 2'), 'area="obs"')
  t.match(await jsonOf(service, 'api/archive/'), {
    areas: exact([{ area: 'archive', files: 2 }]),
    disks: exact([{ holds: exact(['archive']) }]),
  })
  t.notMatch((await page('archive/')).text, 'on top')
  const record = await page(`rinex-file/${await service.idOf(daily)}/`)
  t.match(record.text, /Directory \.\//)
  const cases = [
    ['2026/021/05/', 'directory', '2026/021/05/'],
    [`/2026/021/05/${hourly}`, 'file', `2026/021/05/${hourly}`],
    [`https://archive.example/rinex/data/${daily}`, 'file', daily],
    [daily, 'file', daily],
    ['2026/021', 'day', /2026-01-21.*2 files/],
  ] as const
  for (const [q, kind, title] of cases) {
    const { results } = await jsonOf<Found>(service, `api/search/?q=${encodeURIComponent(q)}`)
    t.match(results[0], { kind, title, url: String, why: null }, q)
  }
  const { body } = await app.inject('/rinex/api/schema/')
  t.same(ofSeed(body), [])
  t.match(body, 'https://archive.example/rinex/data/2026/022/GRAZ00AUT')
})

t.test('an empty archive says where its files are expected', async (t) => {
  const many = ['a', 'b', 'c', 'd', 'e', 'f']
  for (const [areas, words] of [
    [['pub/rinex3'], 'in the folder pub/rinex3/ of the archive'],
    [['.'], 'in the folders of the archive'],
    [many, 'in the folders a/, b/, c/ and d/ and 2 more of the archive'],
  ] as const) {
    const { page } = await open(t, { areas }, [])
    t.match((await page('archive/')).text, `expected ${words}.`)
    t.match((await page('network/')).text, `expected ${words.replace(/ of the archive$/, '')}`)
  }
})

t.test('more areas than colours: the smallest are one', async (t) => {
  const areas = ['a', 'b', 'c', 'd', 'e', 'f']
  const service = await open(
    t,
    { areas },
    areas.map((area) => `${area}/2026/${daily}`),
  )
  const { text } = await service.page('archive/')
  t.match(text, 'a, b, c, others, from below')
  t.match(text, /2026: a \d+ bytes, b \d+ bytes, c \d+ bytes, others \d+ bytes/)
})

t.test('the status says how names that are not listed end', async (t) => {
  const service = await open(t, { areas: ['.'] }, [])
  const rejections = [
    { reason: 'suffix', count: 3412, names: ['graz0010.26d.Z'] },
    { reason: 'archive', count: 2, names: ['all.tar.bz2'] },
    { reason: 'not-in-area', count: 1, names: ['x'] },
  ] as const
  await service.writer.apply([change('2026', { rejections })])
  const { text } = await service.page('status/')
  t.match(text, '3,412 files end in .Z: see suffixes')
  t.match(text, '2: an archive of files (such as .tar.bz2)')
  t.match(text, '1: in none of the areas')
})

t.test('a former area is counted, but its facet leads nowhere', async (t) => {
  const service = await open(t, { areas: ['new'] }, [`new/${daily}`])
  await service.writer.adoptLayout({ ...defaultLists, areas: ['new', 'old'] })
  await service.add(`old/${daily}`)
  const page = await service.page('rinex-file/')
  t.match(page.text, /new 1 old 1|old 1 new 1/)
  const areas = page.links().flatMap(({ href }) => /[?&]area=[^&]*/.exec(href) ?? [])
  t.ok(areas.includes('&area=new') || areas.includes('?area=new'))
  t.notOk(areas.some((each) => each.includes('old')))
})
