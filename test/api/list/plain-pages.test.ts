/** Pages that are made before the framework is asked: over real connections, since that is where it is passed by. */
import { get } from 'node:http'
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import t from 'tap'
import type { Test } from 'tap'
import { fc } from '../../random.ts'
import { plainPages } from '../../../src/api/list/plain-pages.ts'
import { CatalogueUnavailable } from '../../../src/catalogue/catalogue.ts'
import { day, openService } from '../service.ts'

const list = '/rinex/api/rinex-file/'
const names = Array.from({ length: 23 }, (_, n) => `ab${String(10 + n)}0010.26d.gz`)

/** Makes the framework answer, and changes nothing: no page has this tag. */
const byRoute = { 'if-none-match': '"none"' }

async function openOn(t: Test) {
  /** How many requests the framework saw. */
  const asked = { isAway: false, ofFramework: 0 }
  const service = await openService(t, {
    deps: ({ reader }) => ({
      reader: {
        ...reader,
        page: (query) =>
          asked.isAway ? Promise.reject(new CatalogueUnavailable('away')) : reader.page(query),
      },
    }),
  })
  service.app.addHook('onRequest', (_request, _reply, done) => {
    asked.ofFramework++
    done()
  })
  await service.addNames(day, names)
  const port = await service.listen()
  const ask = (path: string, headers: OutgoingHttpHeaders = {}) =>
    new Promise<{ status: number; headers: IncomingHttpHeaders; body: string }>(
      (resolve, reject) => {
        get({ port, path, headers, agent: false }, (response) => {
          let body = ''
          response.setEncoding('utf8').on('data', (text: string) => (body += text))
          response.on('end', () => {
            const { 'x-request-id': id = '', date, ...lasting } = response.headers
            t.match(id, /^[0-9a-f-]{36}$/)
            t.ok(date)
            resolve({ status: response.statusCode ?? 0, headers: lasting, body })
          })
        }).on('error', reject)
      },
    )
  return { ask, asked, service }
}

t.test('only what needs nothing else is made here', async (t) => {
  const pages = plainPages({
    path: list,
    allow: 'GET, HEAD, OPTIONS',
    finish: async (query) => ({
      head: { epoch: 'a', seq: 1 },
      tag: 'W/"1"',
      headers: { link: 'b' },
      body: JSON.stringify(query),
    }),
  })
  const request = (url: string, headers = {}, method = 'GET') => ({ url, headers, method })
  for (const [query, body] of [
    ['offset=0', '{"offset":"0"}'],
    ['limit=5&offset=7', '{"limit":"5","offset":"7"}'],
    ['format=api&limit=5&offset=7', '{"limit":"5","offset":"7"}'],
  ] as const)
    t.match(await pages.make(request(`${list}?${query}`)), {
      ...{ tag: 'W/"1"', body, headers: { link: 'b' } },
    })
  t.match(pages.headers, { vary: 'Accept', allow: 'GET, HEAD, OPTIONS' })
  t.ok(await pages.make(request(`${list}?offset=0`, { accept: 'application/json' })))
  const others = [
    ...['', '?', '?limit=5', '?offset=', '?offset=-1', '?offset=1&limit=5', '?offset=1&offset=2'],
    ...['?offset=1&station=graz', '?offset=1&strict=1', '?format=csv&offset=1', '?offset=1#a'],
    ...['?offset=%31', '?Offset=1', '?offset=1&', '?offset=1000000000000000', '1/?offset=1'],
  ]
  for (const rest of others) t.equal(pages.make(request(`${list}${rest}`)), undefined, rest)
  t.equal(pages.make(request('/rinex/api/station/?offset=1')), undefined)
  t.equal(pages.make(request(`${list}?offset=0`, {}, 'HEAD')), undefined)
  t.equal(pages.make(request(`${list}?offset=0`, { accept: 'text/html' })), undefined)
  t.equal(pages.make(request(`${list}?offset=0`, byRoute)), undefined)
})

t.test('a page is the one that the route makes, header for header', async (t) => {
  const { ask } = await openOn(t)
  const place = fc.oneof(fc.nat(30), fc.nat(), fc.constantFrom('007', '999999999999999'))
  const query = fc
    .tuple(fc.boolean(), fc.option(fc.oneof(fc.nat(30), fc.constantFrom('0', '1001'))), place)
    .map(([format, limit, offset]) =>
      [
        ...(format ? ['format=api'] : []),
        ...(limit === null ? [] : [`limit=${limit}`]),
        `offset=${offset}`,
      ].join('&'),
    )
  const accept = fc.constantFrom('*/*', 'application/json', 'text/html', 'image/png', '')
  await fc.assert(
    fc.asyncProperty(query, accept, async (query, accept) => {
      const page = await ask(`${list}?${query}`, { accept })
      t.strictSame(
        page,
        await ask(`${list}?${query}`, { accept, ...byRoute }),
        `${query} ${accept}`,
      )
      t.equal(page.status, accept === 'image/png' ? 406 : 200)
    }),
    { numRuns: 60 },
  )
})

t.test('who follows the links gets every record once', async (t) => {
  const { ask } = await openOn(t)
  const found: string[] = []
  for (let next: string | null = `${list}?limit=5&offset=0`; next !== null;) {
    const { body } = await ask(next)
    const page = JSON.parse(body) as { next: string | null; results: { filename: string }[] }
    found.push(...page.results.map(({ filename }) => filename))
    next = page.next && page.next.slice('https://archive.example'.length)
  }
  t.strictSame(found, names.toReversed())
})

t.test('a page that is asked for again is kept while nothing changes', async (t) => {
  const { ask, asked, service } = await openOn(t)
  const path = `${list}?offset=5`
  await ask(path)
  const page = await ask(path)
  asked.isAway = true
  t.strictSame(await ask(path), page, 'it is not made again')
  const stays = await ask(path, { 'if-none-match': page.headers.etag })
  const ofBody = { 'content-type': undefined, 'content-length': undefined }
  t.match(stays, { status: 304, headers: { ...page.headers, ...ofBody } }, 'nor for who has it')
  await service.addNames(day, ['graz0010.26d.gz'])
  t.equal((await ask(path)).status, 503, 'it is not given when it is no longer true')
  asked.isAway = false
  t.match((await ask(path)).body, '"count":24')
})

t.test('requests for pages are counted under the route of the list', async (t) => {
  const { ask, asked } = await openOn(t)
  await ask(`${list}?offset=1`)
  t.equal(asked.ofFramework, 0, 'though the framework did not see them')
  await ask(`${list}?offset=1`, byRoute)
  t.equal(asked.ofFramework, 1)
  const { body } = await ask('/metrics')
  t.match(body, `rinex_http_requests_total{method="GET",route="${list}",status="200"} 2`)
})
