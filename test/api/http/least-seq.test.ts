/** The request header `Catalogue-Seq`. */
import t from '../../tap.ts'
import { until } from '../../until.ts'
import { openService } from '../service.ts'

const list = '/rinex/api/rinex-file/'
const ask = (seq: string | string[]) => ({ url: list, headers: { 'catalogue-seq': seq } })

t.test('a request for a state that is there is answered at once', async (t) => {
  const service = await openService(t)
  await service.addNames('obs/2026/022', ['GRAZ00AUT_R_20260220000_01D_30S_MO.crx.gz'])
  for (const seq of ['0', '1']) {
    const answer = await service.app.inject(ask(seq))
    t.equal(answer.statusCode, 200)
    t.match(answer.json(), { count: 1 })
  }
})

t.test('a request for a later state waits for it', async (t) => {
  let looks = 0
  const service = await openService(t, {
    reader: (reader) => ({ head: () => (looks++, reader.head()) }),
  })
  const later = service.app.inject(ask('1'))
  await until('it looks again', () => looks > 1)
  await service.addNames('obs/2026/022', ['GRAZ00AUT_R_20260220000_01D_30S_MO.crx.gz'])
  const answer = await later
  t.equal(answer.statusCode, 200)
  t.match(answer.json(), { count: 1 })
})

t.test('a state that does not come is 503, also for a client that has the page', async (t) => {
  const { app } = await openService(t)
  const { etag } = (await app.inject(list)).headers
  for (const headers of [{}, { 'if-none-match': String(etag) }]) {
    const answer = await app.inject({ url: list, headers: { ...headers, 'catalogue-seq': '7' } })
    t.equal(answer.statusCode, 503)
    t.equal(answer.headers['retry-after'], '5')
    t.match(answer.json(), { detail: 'This host has not seen the change 7 yet.' })
  }
})

t.test('anything but a whole number is refused', async (t) => {
  const service = await openService(t)
  for (const seq of ['', '-1', '1.5', '1e3', 'x', '9'.repeat(16), ['1', '2']]) {
    const answer = await service.app.inject(ask(seq))
    t.equal(answer.statusCode, 400, JSON.stringify(seq))
    t.match(answer.json(), { detail: 'The header Catalogue-Seq must be a whole number.' })
    t.match(answer.headers.vary, 'Accept')
  }
})

t.test('scripts of other origins may send it', async (t) => {
  const service = await openService(t)
  const { headers } = await service.app.inject({
    method: 'OPTIONS',
    url: list,
    headers: { origin: 'https://a.example', 'access-control-request-method': 'GET' },
  })
  t.match(headers['access-control-allow-headers'], 'Catalogue-Seq')
})
