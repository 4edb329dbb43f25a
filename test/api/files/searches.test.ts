/** Long queries: their limits, and their end when the client leaves. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { NotBuilt, QueryTimeout, TooManyQueries } from '../../../src/catalogue/errors.ts'
import t from '../../tap.ts'
import { until } from '../../until.ts'
import { openService } from '../service.ts'

const list = '/rinex/api/rinex-file/'

t.test('a long query that fails gets 503 or 429 with Retry-After', async (t) => {
  const cases = [
    [
      new NotBuilt('file_name is being built'),
      503,
      '30',
      /index for this answer is built at the end/,
    ],
    [new QueryTimeout('2000 ms'), 503, '5', /takes too long/],
    [new TooManyQueries('30 are waiting'), 429, '10', /Too many long queries/],
  ] as const
  for (const [error, statusCode, retryAfter, detail] of cases) {
    const fail = () => Promise.reject(error)
    const { app } = await openService(t, {
      reader: () => ({ page: fail, stations: fail }),
    })
    for (const url of [`${list}?filename__contains=a`, '/rinex/api/station/']) {
      const answer = await app.inject(url)
      t.equal(answer.statusCode, statusCode, `${error.code} ${url}`)
      t.equal(answer.headers['retry-after'], retryAfter)
      t.match(answer.json(), { detail })
      t.notOk(answer.headers.etag)
    }
  }
})

t.test('a query is aborted when its client leaves', async (t) => {
  const signals: AbortSignal[] = []
  const untilAborted = (signal?: AbortSignal) =>
    new Promise<never>((_, reject) => {
      if (signal === undefined) return
      signals.push(signal)
      signal.addEventListener('abort', () => reject(signal.reason as Error))
    })
  const service = await openService(t, {
    reader: () => ({
      page: (_, asker) => untilAborted(asker?.signal),
      records: (_, asker) => untilAborted(asker?.signal),
    }),
  })
  const port = await service.listen()
  for (const query of ['filename__contains=a', 'format=ndjson&station=graz']) {
    const index = signals.length
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET ${list}?${query} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    await until(`${query} has started`, () => signals.length > index)
    t.notOk(signals[index]?.aborted, 'not while the client waits')
    socket.destroy()
    await once(socket, 'close')
    await until(`${query} is aborted`, () => signals[index]?.aborted === true)
  }
  t.notMatch(service.logText(), /"level":(40|50)/, 'nothing is logged')
})

t.test('a query has at most eight conditions on names', async (t) => {
  const { app } = await openService(t)
  const get = (count: number) =>
    app.inject(
      `${list}?${Array.from({ length: count }, (_, n) => `filename__contains=${n}`).join('&')}`,
    )
  t.equal((await get(8)).statusCode, 200)
  const more = await get(9)
  t.match(more, {
    statusCode: 400,
    body: '{"filename__contains":["At most 8 conditions on names are allowed."]}',
  })
})

t.test('_, % and \\ in a part of a name stand for themselves', async (t) => {
  const service = await openService(t)
  await service.addNames('obs/2026/001', [
    'GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz',
    'graz0010.26d.gz',
  ])
  for (const [name, value, count] of [
    ['filename__contains', 't_r_2', 1],
    ['filename__contains', 'Z_0A', 0],
    ['filename__contains', '_', 1],
    ['filename__contains', '____', 0],
    ['filename__contains', 'T%R', 0],
    ['filename__contains', '%', 0],
    ['filename__contains', '\\', 0],
    ['filename__contains', '0_R', 0],
    ['filename__startswith', 'graz', 2],
    ['filename__startswith', 'GRAZ00AUT_', 1],
    ['filename__startswith', 'gra_', 0],
    ['filename__startswith', '%', 0],
    ['filename', 'graz0010_26d.gz', 0],
    ['filename', 'GRAZ0010.26D.GZ', 1],
  ] as const) {
    const page = await service.app.inject({ url: list, query: { [name]: value } })
    t.equal(page.json<{ count: number }>().count, count, `${name}=${value}`)
    const stream = { url: list, query: { [name]: value, format: 'urls' } }
    const { body } = await service.app.inject(stream)
    t.equal(body.split('\n').length - 1, count, `${name}=${value}, as a stream`)
  }
})
