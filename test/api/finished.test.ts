/** Answers that are sent again: over real connections, since they are given before the framework sees the request. */
import { get } from 'node:http'
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import t from 'tap'
import type { Test } from 'tap'
import type { CatalogueReader } from '../../src/catalogue/catalogue.ts'
import { CatalogueUnavailable } from '../../src/catalogue/catalogue.ts'
import { readToEnd } from './wire.ts'
import { day, dayFile, openService, shortFile } from './service.ts'

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A service that listens, and how often its reader was asked for a page. */
async function openOn(t: Test) {
  const asked = { pages: 0, isAway: false }
  const service = await openService(t, {
    deps: ({ reader }) => ({
      reader: {
        ...reader,
        head: () =>
          asked.isAway ? Promise.reject(new CatalogueUnavailable('away')) : reader.head(),
        page: (query) => {
          asked.pages++
          return asked.isAway
            ? Promise.reject(new CatalogueUnavailable('away'))
            : reader.page(query)
        },
      } satisfies CatalogueReader,
    }),
  })
  await service.addNames(day, [dayFile])
  const port = await service.listen()
  const ask = (path: string, headers: OutgoingHttpHeaders = {}, method = 'GET') =>
    new Promise<Answer>((resolve, reject) => {
      get({ port, path, method, headers, agent: false }, (response) => {
        let body = ''
        response.setEncoding('utf8').on('data', (text: string) => (body += text))
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body })
        })
      }).on('error', reject)
    })
  return { service, asked, ask, port }
}

const list = '/rinex/api/rinex-file/?limit=5'

/** Headers but for those that belong to one answer alone. */
function lasting({ headers }: Answer): IncomingHttpHeaders {
  return { ...headers, 'x-request-id': '', date: '' }
}

for (const accept of ['*/*', 'text/html'])
  t.test(`an answer is the same when it is sent again: ${accept}`, async (t) => {
    const { ask, asked } = await openOn(t)
    await ask(list, { accept })
    const first = await ask(list, { accept })
    const again = await ask(list, { accept })
    t.equal(asked.pages, 2, 'it was made once since somebody asked for it again')
    t.equal(again.status, 200)
    t.equal(again.body, first.body)
    t.strictSame(lasting(again), lasting(first))
    t.match(again.headers['x-request-id'], /^[0-9a-f-]{36}$/)
    t.not(again.headers['x-request-id'], first.headers['x-request-id'])
    const head = await ask(list, { accept }, 'HEAD')
    t.strictSame(lasting(head), lasting(first), 'HEAD tells the same')
    t.equal(head.body, '')
  })

t.test('another representation, or another query, is another answer', async (t) => {
  const { ask } = await openOn(t)
  for (let n = 0; n < 3; n++) await ask(list)
  t.match((await ask(list, { accept: 'text/html' })).headers['content-type'], 'text/html')
  t.equal((await ask(list, { accept: 'image/png' })).status, 406)
  t.match((await ask('/rinex/api/rinex-file/?limit=5&offset=1')).body, '"results":[]')
  t.equal((await ask(list, {}, 'POST')).status, 403, 'another method is none of its business')
})

t.test('who has the answer is told that it still holds, and for how long it does', async (t) => {
  const { ask, asked, service } = await openOn(t)
  await ask(list)
  const first = await ask(list)
  for (const known of [first.headers.etag, `"x", ${String(first.headers.etag)}`, '*']) {
    const again = await ask(list, { 'if-none-match': known })
    t.equal(again.status, 304)
    t.equal(again.body, '')
    t.equal(again.headers.etag, first.headers.etag)
    t.notOk(again.headers['content-type'])
    t.notOk(again.headers['content-length'])
    t.equal(again.headers.vary, 'Accept')
  }
  t.equal(asked.pages, 2)
  t.equal((await ask(list, { 'if-none-match': '"x"' })).status, 200)
  await service.addNames(day, [shortFile])
  const changed = await ask(list, { 'if-none-match': first.headers.etag })
  t.equal(changed.status, 200)
  t.match(changed.body, shortFile)
  t.match((await ask(list)).body, shortFile, 'the next one is that of the new state')
  t.equal(asked.pages, 3)
})

t.test(
  'while the catalogue cannot be read, what was answered before is not answered again',
  async (t) => {
    const { ask, asked } = await openOn(t)
    for (let n = 0; n < 3; n++) await ask(list)
    asked.isAway = true
    t.equal((await ask(list)).status, 503)
    asked.isAway = false
    t.equal((await ask(list)).status, 200)
  },
)

t.test('answers that are sent again are counted and logged like others', async (t) => {
  const { ask, service } = await openOn(t)
  await ask(list)
  const first = await ask(list)
  const again = await ask(list)
  await ask(list, { 'if-none-match': first.headers.etag })
  const { body } = await ask('/metrics')
  const route = 'route="/rinex/api/rinex-file/"'
  t.match(body, `rinex_http_requests_total{method="GET",${route},status="200"} 3`)
  t.match(body, `rinex_http_requests_total{method="GET",${route},status="304"} 1`)
  t.match(body, `rinex_http_request_duration_seconds_count{${route}} 4`)
  const id = again.headers['x-request-id']
  const line = service.log.find(({ reqId, msg }) => reqId === id && msg === 'answered')
  t.match(line, { method: 'GET', target: list, status: 200 })
})

t.test(
  'many connections at once get whole answers of one state each, while it changes',
  async (t) => {
    const { ask, service } = await openOn(t)
    const names = Array.from(
      { length: 40 },
      (_, n) => `abc${String(n % 10)}${String(100 + n)}0.26d.gz`,
    )
    const answers: Promise<Answer>[] = []
    for (const name of names) {
      for (let n = 0; n < 5; n++) answers.push(ask('/rinex/api/rinex-file/?limit=100'))
      await service.addNames(day, [name])
      const { body } = await ask('/rinex/api/rinex-file/?limit=100')
      t.match(body, name, 'what is in the catalogue is in the next answer')
    }
    for (const { body } of await Promise.all(answers)) {
      const { count, results } = JSON.parse(body) as { count: number; results: unknown[] }
      if (count !== results.length) t.fail(`${count} counted, ${results.length} listed`)
    }
  },
)

t.test(
  'requests that come together are all answered, though their client says no more',
  async (t) => {
    const { ask, port } = await openOn(t)
    await ask(list)
    const request = `GET ${list} HTTP/1.1\r\nHost: a\r\n\r\n`
    for (const count of [1, 8, 9, 30]) {
      const socket = connect(port, '127.0.0.1')
      socket.end(request.repeat(count))
      const received = await readToEnd(socket)
      t.equal(received.toString().split('HTTP/1.1 200 OK').length - 1, count)
    }
  },
)

t.test('who asks for a page and says no more gets it', async (t) => {
  const { port } = await openOn(t)
  for (let offset = 0; offset < 20; offset++)
    for (const query of [`limit=5&offset=${offset}`, `limit=${offset + 1}`]) {
      const socket = connect(port, '127.0.0.1')
      socket.end(`GET /rinex/api/rinex-file/?${query} HTTP/1.1\r\nHost: a\r\n\r\n`)
      t.match((await readToEnd(socket)).toString(), /^HTTP\/1\.1 200 OK\r\n/, query)
    }
})

t.test('what is asked for without a connection teaches nothing about connections', async (t) => {
  const { service, ask, port } = await openOn(t)
  for (let times = 0; times < 2; times++) await service.app.inject(list)
  for (let times = 0; times < 3; times++)
    t.match((await ask(list)).headers, { connection: 'close' })
  for (let times = 0; times < 3; times++) {
    const socket = connect(port, '127.0.0.1')
    socket.end(`GET ${list} HTTP/1.1\r\nHost: a\r\n\r\n`)
    t.match((await readToEnd(socket)).toString(), /^Keep-Alive: timeout=5, max=1000\r$/m)
  }
})
