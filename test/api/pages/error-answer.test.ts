/** HTML pages with unknown or invalid parameters. */
import t from 'tap'
import { openService } from '../service.ts'

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

t.test('a page names ignored parameters, like the header', async (t) => {
  const { app } = await openService(t)
  for (const path of ['rinex-file', 'station']) {
    const url = `/rinex/api/${path}/`
    const page = await app.inject({ url: `${url}?sation=graz&<b>=1`, headers: browser })
    t.equal(page.statusCode, 200)
    t.equal(page.headers['ignored-parameters'], 'sation, %3Cb%3E')
    t.match(page.body, /role="status">Unknown parameters, ignored/)
    t.match(page.body, '<code>sation</code>')
    t.match(page.body, '<code>&lt;b&gt;</code>')
    const without = await app.inject({ url: `${url}?limit=3`, headers: browser })
    t.notMatch(without.body, 'Unknown parameters')
  }
})

t.test('a 400 is an HTML page for browsers, with the faults and a link without them', async (t) => {
  const { app } = await openService(t)
  for (const [path, query, texts, without] of [
    ['rinex-file', 'station=gr&limit=5', ['id="e-station"'], '?limit=5'],
    ['rinex-file', 'sation=graz&strict=1', ['Did you mean station?'], '?strict=1'],
    ['rinex-file', 'ordering=%3Cb%3E', ['&lt;b&gt; is not one of'], '?'],
    ['rinex-file', '__proto__=1&area=x&strict=1', ['<code>__proto__</code>'], '?strict=1'],
    ['station', 'ordering=x&search=gr', ['<code>ordering</code>'], '?search=gr'],
    ['changes', 'sinc=1', ['Did you mean since?'], '?'],
  ] as const) {
    const url = `/rinex/api/${path}/?${query}`
    const [page, json] = [await app.inject({ url, headers: browser }), await app.inject({ url })]
    t.equal(json.headers['content-type'], 'application/json')
    t.match(page, { statusCode: json.statusCode, headers: { vary: 'Accept' } }, url)
    t.equal(page.statusCode, 400)
    t.match(page.headers['content-type'], /^text\/html/)
    t.ok(page.headers['content-security-policy'])
    for (const text of texts) t.ok(page.body.includes(text), text)
    t.ok(page.body.includes(`<a href="${without}">The same request without them</a>`), page.body)
    const again = await app.inject({ url: `/rinex/api/${path}/${without}`, headers: browser })
    t.equal(again.statusCode, 200)
    const head = await app.inject({ url, headers: browser, method: 'HEAD' })
    t.match(head, { statusCode: 400, body: '' })
  }
})

t.test('a 400 is JSON for programs, and for requests with format', async (t) => {
  const { app } = await openService(t)
  for (const [query, headers] of [
    ['limt=5&format=csv', browser],
    ['area=x&format=json', browser],
    ['area=x', { accept: 'application/json' }],
  ] as const) {
    const answer = await app.inject({ url: `/rinex/api/rinex-file/?${query}`, headers })
    t.match(answer, { statusCode: 400, headers: { 'content-type': 'application/json' } })
  }
})
