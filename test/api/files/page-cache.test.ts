/** The response cache of list pages, over real connections. */
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { get } from 'node:http'
import { connect } from 'node:net'
import type { Test } from 'tap'
import { createPageCache } from '../../../src/api/files/list.ts'
import { CatalogueUnavailable } from '../../../src/catalogue/errors.ts'
import t from '../../tap.ts'
import { day, dayFile, openService } from '../service.ts'
import { readToEnd } from '../wire.ts'

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const path = '/rinex/api/rinex-file/'
const list = `${path}?limit=5`

/**
 * A listening service. `state` counts the heads and pages that are read, and makes the catalogue
 * unavailable.
 */
async function openOn(t: Test) {
  const state = { heads: 0, pages: 0, isUnavailable: false }
  const unavailable = () => Promise.reject(new CatalogueUnavailable('away'))
  const service = await openService(t, {
    reader: (reader) => ({
      head: () => {
        state.heads++
        return state.isUnavailable ? unavailable() : reader.head()
      },
      page: (query) => {
        state.pages++
        return state.isUnavailable ? unavailable() : reader.page(query)
      },
    }),
  })
  await service.addNames(day, [dayFile])
  const port = await service.listen()
  const send = (target: string, headers: OutgoingHttpHeaders = {}, method = 'GET') =>
    new Promise<Answer>((resolve, reject) => {
      get({ port, path: target, method, headers, agent: false }, (response) => {
        let body = ''
        response.setEncoding('utf8').on('data', (text: string) => (body += text))
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body })
        })
      }).on('error', reject)
    })
  return { service, state, send, port }
}

/** Headers without those that differ in each response. */
function comparable({ headers }: Answer): IncomingHttpHeaders {
  return { ...headers, 'x-request-id': '', date: '' }
}

for (const accept of ['*/*', 'text/html'])
  t.test(`a page that is requested again is not read again: ${accept}`, async (t) => {
    const { send, state } = await openOn(t)
    const first = await send(list, { accept })
    const again = await send(list, { accept })
    t.equal(state.pages, 1)
    t.equal(again.status, 200)
    t.equal(again.body, first.body)
    t.strictSame(comparable(again), comparable(first))
    t.match(again.headers['x-request-id'], /^[0-9a-f-]{36}$/)
    t.not(again.headers['x-request-id'], first.headers['x-request-id'])
    const head = await send(list, { accept }, 'HEAD')
    t.strictSame(comparable(head), comparable(first), 'HEAD has the same headers')
    t.equal(head.body, '')
  })

t.test('head and page are not asked separately unless the head may be the answer', async (t) => {
  const { send, service, state } = await openOn(t)
  const { headers } = await send(list)
  t.match(state, { heads: 0, pages: 1 }, 'first page')
  await send(list)
  t.match(state, { heads: 1, pages: 1 }, 'cached')
  t.equal((await send(`${list}&offset=0`, { 'if-none-match': headers.etag })).status, 304)
  t.match(state, { heads: 2, pages: 1 }, 'not modified')
  await service.addNames(day, ['abcd0010.26d.gz'])
  t.match((await send(list)).body, '"count":2', 'an outdated page is not sent')
  t.match((await send(list)).body, '"count":2')
  t.match(state, { heads: 4, pages: 2 })
})

t.test('each representation and each query has its own cache entry', async (t) => {
  const { send } = await openOn(t)
  for (let n = 0; n < 3; n++) await send(list)
  t.match((await send(list, { accept: 'text/html' })).headers['content-type'], 'text/html')
  t.match((await send(list)).headers['content-type'], 'application/json')
  t.equal((await send(list, { accept: 'image/png' })).status, 406)
  t.match((await send(`${list}&offset=1`)).body, '"results":[]')
  for (const unknown of [`${list}&x=1`, `${list}&x=1`])
    t.equal((await send(unknown)).headers['ignored-parameters'], 'x')
  for (const bad of [`${list}&strict=1&x=1`, `${list}&year=x&strict=1`])
    for (let n = 0; n < 2; n++) t.equal((await send(bad)).status, 400)
  t.equal((await send(list, {}, 'POST')).status, 403)
})

t.test('no cached page is sent while the catalogue is unavailable', async (t) => {
  const { send, state } = await openOn(t)
  for (let n = 0; n < 2; n++) await send(list)
  state.isUnavailable = true
  t.equal((await send(list)).status, 503)
  state.isUnavailable = false
  t.equal((await send(list)).status, 200)
})

t.test('cached pages are counted and logged like other responses', async (t) => {
  const { send, service } = await openOn(t)
  const first = await send(list)
  const again = await send(list)
  await send(list, { 'if-none-match': first.headers.etag })
  const { body } = await send('/metrics')
  const route = 'route="/rinex/api/rinex-file/"'
  t.match(body, `rinex_http_requests_total{method="GET",${route},status="200"} 2`)
  t.match(body, `rinex_http_requests_total{method="GET",${route},status="304"} 1`)
  t.match(body, `rinex_http_request_duration_seconds_count{${route}} 3`)
  const id = again.headers['x-request-id']
  const line = service.log.find(({ reqId, msg }) => reqId === id && msg === 'answered')
  t.match(line, { method: 'GET', target: list, status: 200 })
})

t.test('during changes each page shows one state with all earlier changes', async (t) => {
  const { send, service } = await openOn(t)
  const names = Array.from({ length: 40 }, (_, n) => `abc${n % 10}${100 + n}0.26d.gz`)
  const answers: Promise<Answer>[] = []
  for (const name of names) {
    for (let n = 0; n < 5; n++) answers.push(send(`${path}?limit=100`))
    await service.addNames(day, [name])
    const { body } = await send(`${path}?limit=100`)
    t.match(body, name, 'a committed change is in the next page')
  }
  for (const { body } of await Promise.all(answers)) {
    const { count, results } = JSON.parse(body) as { count: number; results: unknown[] }
    if (count !== results.length) t.fail(`${count} counted, ${results.length} listed`)
  }
})

t.test('pipelined requests are answered from the cache', async (t) => {
  const { port } = await openOn(t)
  for (const count of [1, 8, 9, 30]) {
    const socket = connect(port, '127.0.0.1')
    const request = `GET ${list} HTTP/1.1\r\nHost: a\r\n`
    socket.write(`${request}\r\n`.repeat(count - 1) + `${request}Connection: close\r\n\r\n`)
    const received = await readToEnd(socket)
    t.equal(received.toString().split('HTTP/1.1 200 OK').length - 1, count)
  }
})

t.test('the cache is limited in bytes and evicts the least recently used page', async (t) => {
  const cache = createPageCache()
  const page = { headers: { etag: 'W/"1"' }, body: Buffer.alloc(1024 * 1024) }
  for (const key of ['a', 'b', 'c', 'a', 'd', 'e']) if (!cache.has(key)) cache.set(key, page)
  t.strictSame([...cache.keys()], ['e', 'd', 'c'])
  cache.get('c')
  cache.set('f', page)
  t.strictSame([...cache.keys()], ['f', 'c', 'e'])
  cache.set('large', { ...page, body: Buffer.alloc(5 * 1024 * 1024) })
  t.strictSame([...cache.keys()], ['f', 'c', 'e'], 'a page larger than the cache is not stored')
})
