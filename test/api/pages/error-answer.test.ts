/** HTML pages of errors. */
import type { Test } from 'tap'
import t, { exact } from '../../tap.ts'
import type { Html } from '../html.ts'
import { readPage } from '../html.ts'
import { openService } from '../service.ts'

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

const pathFrom = (url: string, href = '') => new URL(href, `https://archive.example${url}`).pathname

/** A page with a search form and a style that are found from its address. */
function checkLinks(t: Test, url: string, body: string): Html {
  const html = readPage(body)
  const form = html.one('form', { class: 'search', method: 'get' })
  t.equal(pathFrom(url, form.attribute('action')), '/rinex/api/search/', url)
  const style = html.one('link', { rel: 'stylesheet' })
  t.equal(pathFrom(url, style.attribute('href')), '/rinex/assets/page.css', url)
  return html
}

t.test(
  'browsers get a 400 as the page without what was refused, and its form says why',
  async (t) => {
    const service = await openService(t)
    const { app } = service
    await service.addNames('obs/2026/001', [
      'GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz',
      'WTZR00DEU_R_20260010000_01D_30S_MO.crx.gz',
    ])
    const files = ['GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz']
    for (const [path, query, text, without, shown = []] of [
      ['rinex-file', 'station=gr&limit=5', 'Station Enter', '?limit=5', files],
      ['rinex-file', 'station=graz&when=x', 'When Enter a day', '?station=graz', files],
      ['rinex-file', 'sation=graz&strict=1', 'Did you mean station?', '?strict=1', files],
      ['rinex-file', 'ordering=%3Cb%3E', '<b> is not one of', '?', files],
      ['rinex-file', '__proto__=1&area=x&strict=1', '__proto__', '?strict=1', files],
      ['rinex-file', 'id__gt=5&id__lt=3', 'ends before it begins', '?id__lt=3', files],
      ['station', 'ordering=x&search=gr', 'ordering', '?search=gr', ['GRAZ00AUT']],
      ['missing', 'when=2000/2026', 'When', '?', []],
      ['report', 'week=x', 'week', '?', ['Week before']],
      ['station/GRAZ/availability', 'from=x', 'From', '?', ['GRAZ00AUT']],
      ['station/GRAZ/latency', 'from=x', 'From', '?', ['GRAZ00AUT']],
      ['changes', 'sinc=1', 'Did you mean since?', '?', files],
    ] as const) {
      const url = `/rinex/api/${path}/?${query}`
      const [page, json] = [await app.inject({ url, headers: browser }), await app.inject({ url })]
      t.equal(json.headers['content-type'], 'application/json')
      t.match(page, { statusCode: json.statusCode, headers: { vary: 'Accept' } }, url)
      t.equal(page.statusCode, 400)
      t.match(page.headers['content-type'], /^text\/html/)
      t.ok(page.headers['content-security-policy'])
      const html = readPage(page.body)
      t.match(html.text, text)
      t.match(html.text, 'Some values are not valid. The page is shown without them.')
      t.notOk(page.headers.etag, 'it is not the page of the tag')
      const again = await app.inject({ url: `/rinex/api/${path}/${without}`, headers: browser })
      t.equal(again.statusCode, 200)
      const same = readPage(again.body)
      t.equal(html.title, same.title)
      for (const each of shown) t.ok(html.text.includes(each), `${url} shows ${each}`)
      t.equal(html.has('table'), same.has('table'), url)
      const head = await app.inject({ url, headers: browser, method: 'HEAD' })
      t.match(head, { statusCode: 400, body: '' })
    }
  },
)

t.test('an unknown station gets 404 with the codes that were probably meant', async (t) => {
  const service = await openService(t)
  const { app } = service
  await service.addNames('obs/2026/001', [
    'GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz',
    'GRAS00FRA_R_20260010000_01D_30S_MO.crx.gz',
    'WTZR00DEU_R_20260010000_01D_30S_MO.crx.gz',
  ])
  for (const [path, expected] of [
    ['station/GRAX/', ['GRAS00FRA', 'GRAZ00AUT']],
    ['station/GRAZ00AUS/', ['GRAZ00AUT']],
    ['station/wtzz/availability/', ['WTZR00DEU']],
    ['station/WTZZ/latency/', ['WTZR00DEU']],
    ['station/QQQQ/', []],
  ] as const) {
    const url = `/rinex/api/${path}`
    const json = await app.inject({ url })
    t.match(json, { statusCode: 404 }, path)
    t.strictSame(json.json(), { detail: 'Not found.', did_you_mean: expected }, path)
    const page = await app.inject({ url, headers: browser })
    t.match(page, { statusCode: 404, headers: { 'content-type': /^text\/html/ } }, path)
    const base = `https://archive.example${url}`
    const suggested = readPage(page.body)
      .links({ href: /station\/\w+\/\?format=api$/ })
      .map(({ href }) => new URL(href, base).pathname)
    t.strictSame(
      suggested,
      expected.map((code) => `/rinex/api/station/${code}/`),
      path,
    )
  }
})

t.test('browsers get errors below the API as pages with a search form', async (t) => {
  const { app } = await openService(t)
  for (const path of ['nothing', 'rinex-file/77/', 'station/none/other/'] as const) {
    const url = `/rinex/api/${path}`
    const page = await app.inject({ url, headers: browser })
    t.match(page, { statusCode: 404, headers: { 'content-type': /^text\/html/ } }, path)
    t.notOk(page.headers.etag, path)
    checkLinks(t, url, page.body)
    t.match((await app.inject({ url })).headers['content-type'], 'application/json')
  }
})

t.test('browsers get errors below data/ as pages with a link up', async (t) => {
  const { app } = await openService(t)
  for (const [path, above] of [
    ['obs/2026/001/none.gz', 'obs/2026/001/'],
    ['obs//2026/001/none.gz', 'obs//2026/001/'],
    ['obs/2026/001/SHA256SUMS', 'obs/2026/001/'],
    ['obs/1999/', 'obs/'],
    ['obs/1999', 'obs/'],
    ['obs/%41/?x=1', 'obs/'],
    ['obs/%', 'obs/'],
  ] as const) {
    const url = `/rinex/data/${path}`
    const page = await app.inject({ url, headers: browser })
    t.match(page, { statusCode: 404, headers: { 'content-type': /^text\/html/ } }, path)
    t.equal(page.headers.vary, 'Accept, Accept-Encoding', path)
    const html = checkLinks(t, url, page.body)
    const pathOf = (text: string) => pathFrom(url, html.hrefOf(text))
    t.equal(pathOf('the directory above'), `/rinex/data/${above}`, path)
    t.equal(pathOf('Find out why'), '/rinex/api/search/', path)
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
      const program = await app.inject({ url, headers })
      t.match(program, { statusCode: 404, headers: { 'content-type': 'application/json' } }, path)
      t.equal(program.headers.vary, 'Accept', path)
      t.strictSame(program.json(), { detail: 'Not found.' }, path)
    }
  }
  const absolute = 'http://a.example/rinex/data/obs/none'
  const { body } = await app.inject({ url: absolute, headers: browser })
  checkLinks(t, '/rinex/data/obs/none', body)
  const put = await app.inject({ method: 'PUT', url: '/rinex/data/obs/', headers: browser })
  t.match(put, { statusCode: 405, headers: { allow: 'GET, HEAD, OPTIONS' } })
  const { text } = readPage(put.body)
  t.match(text, 'cannot be used with PUT; it takes GET, HEAD, OPTIONS.')
  t.notMatch(text, 'the directory above')
})

t.test('the form of a rejected request repeats no refused value without a field', async (t) => {
  const { page } = await openService(t)
  for (const [url, name] of [
    ['series/?ordering=bad&period=01H', 'ordering'],
    ['rinex-file/?expand=bad&ordering=filename', 'expand'],
  ] as const)
    t.notOk((await page(url, 400)).has('*', { name }), url)
  const ordering = { type: 'hidden', name: 'ordering', value: 'filename' }
  const html = await page('rinex-file/?expand=bad&ordering=filename', 400)
  t.ok(html.has('input', ordering), 'but all others')
})

t.test('each error is a page with a sentence of what to do, and a search field', async (t) => {
  const service = await openService(t)
  const unwritten = await openService(t)
  unwritten.reader.close()
  const html = { accept: 'text/html' }
  const { app } = service
  for (const [title, url, texts, answering = app, method = 'GET', headers = browser] of [
    ['Not found', '/nothing', ['No page here']],
    ['Not found', '/rinex/api/none/', ['No page here', 'none']],
    ['Not found', '/rinex/api/station/?format=xml', ['no format xml', 'json', 'a page ?']],
    ['Not found', '/rinex/data/?format=xml', ['no format xml', 'json ?format=json']],
    ['Not found', '/?format=%3Cb%3E', ['no format <b>']],
    ['Not found', '/rinex/data/obs/none.gz', ['obs/none.gz', 'obs ../../api/../data/obs/']],
    [
      'Not for browsers',
      '/rinex/api/rescan/',
      ['used with GET; it takes POST', 'docs/?format=api'],
    ],
    ['Not for browsers', '/rinex/api/station/', ['used with PUT'], app, 'PUT'],
    ['No page here', '/rinex/api/schema/', ['Open it as JSON ?format=json'], app, 'GET', html],
    [
      'No files',
      '/rinex/api/rinex-file/?startDate=x',
      ['date/time. For example: 2026-022, 2026-01'],
    ],
    ['Not understood', `/rinex/api/search/?q=${'x'.repeat(1001)}`, ['q: Enter at most 1000']],
    ['Not available at this moment', '/rinex/api/station/', ['Wait 5 seconds'], unwritten.app],
    ['No longer known', '/rinex/api/changes/?since=99', ['the latest changes']],
  ] as const) {
    const page = await answering.inject({ method, url, headers })
    t.ok(page.statusCode >= 400, url)
    t.match(page.headers['content-type'], /^text\/html/, url)
    const shown = readPage(page.body)
    t.match(shown.title, `${title} – `, url)
    const links = shown.links().map(({ text, href }) => `${text} ${href}`)
    const filledIn = shown.all('input').map((input) => input.attribute('value'))
    const said = [shown.text, ...links, ...filledIn].join('\n')
    for (const text of texts) t.ok(said.includes(text), `${url}: ${text}`)
    t.ok(shown.has('form', { class: 'search' }), url)
    t.ok(shown.has('nav', { 'aria-label': 'Path' }), url)
    t.notMatch(shown.text, /bad request/i, url)
  }
})

t.test('a program gets the same errors as JSON, and so does whoever names a format', async (t) => {
  const { app } = await openService(t)
  const notFound = { detail: 'Not found.' }
  for (const [statusCode, url, headers, body] of [
    [404, '/nothing', {}, notFound],
    [
      404,
      '/rinex/api/station/?format=xml',
      { accept: '*/*' },
      { ...notFound, formats: ['json', 'csv', 'geojson'] },
    ],
    [404, '/rinex/api/none/?format=json', browser, notFound],
    [400, '/rinex/api/rinex-file/?limt=5&format=csv', browser, { limt: [/^Unknown parameter/] }],
    [400, '/rinex/api/rinex-file/?area=x&format=json', browser, { area: [/^Select/] }],
    [400, '/rinex/api/rinex-file/?area=x', { accept: 'application/json' }, { area: [/^Select/] }],
  ] as const) {
    const answer = await app.inject({ url, headers })
    t.match(answer, { statusCode, headers: { 'content-type': 'application/json' } }, url)
    t.match(answer.json(), exact(body), url)
  }
})

t.test('an unknown path is not found, whatever a request sends to it', async (t) => {
  const { app } = await openService(t)
  for (const url of ['/nothing', '/rinex/api/availability', '/rinex/api/none/', '/rinex/data/x/'])
    for (const type of ['text/plain', 'application/json', 'application/xml', 'multipart/form-data'])
      for (const payload of ['{}', 'x'.repeat(100_000)]) {
        const headers = { 'content-type': type }
        const answer = await app.inject({ method: 'POST', url, headers, payload })
        const status = url.startsWith('/rinex/data') ? 405 : 404
        t.equal(answer.statusCode, status, `${url} ${type}`)
      }
})

t.test('browsers find an icon at its usual place', async (t) => {
  const { app } = await openService(t)
  t.match(await app.inject('/favicon.ico'), { statusCode: 200 })
})
