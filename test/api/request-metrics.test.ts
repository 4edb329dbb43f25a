/** Requests as Prometheus reads them. */
import t from 'tap'
import { openRequestMetrics } from '../../src/api/request-metrics.ts'
import { fc } from '../random.ts'

const one = { id: '', method: 'GET', target: '/x', route: '/x', status: 200, ms: 1 }

t.test('requests are counted by method, route and status', (t) => {
  const { observe, text } = openRequestMetrics()
  const route = '/station/:code(^[A-Z]+$)/'
  for (const status of [200, 200, 404]) observe({ ...one, route, status })
  observe({ ...one, method: 'HEAD', route })
  observe({ ...one, route: '/"\\' })
  const lines = text().split('\n')
  t.same(lines.slice(0, 6), [
    '# HELP rinex_http_requests_total Requests answered.',
    '# TYPE rinex_http_requests_total counter',
    'rinex_http_requests_total{method="GET",route="/station/:code/",status="200"} 2',
    'rinex_http_requests_total{method="GET",route="/station/:code/",status="404"} 1',
    'rinex_http_requests_total{method="HEAD",route="/station/:code/",status="200"} 1',
    'rinex_http_requests_total{method="GET",route="/\\"\\\\",status="200"} 1',
  ])
  t.equal(lines.at(-1), '', 'the last line has an end too')
  t.end()
})

t.test('a histogram tells how many took no longer than each bound', (t) => {
  const name = 'rinex_http_request_duration_seconds'
  const milliseconds = fc.oneof(
    fc.constantFrom(0, 0.5, 1, 2.5, 300_000),
    fc.double({ min: 0, max: 1e6, noNaN: true }),
  )
  fc.assert(
    fc.property(fc.array(milliseconds, { minLength: 1 }), (all) => {
      const { observe, text } = openRequestMetrics()
      for (const ms of all) observe({ ...one, ms })
      const told = text()
      const buckets = [...told.matchAll(/_bucket\{le="(.+)",route="\/x"\} (\d+)\n/g)]
      t.equal(buckets.at(-1)?.[1], '+Inf')
      t.same(
        buckets.map(([, , count]) => Number(count)),
        buckets.map(([, le]) => {
          const bound = le === '+Inf' ? Infinity : Number(le)
          return all.filter((ms) => ms / 1000 <= bound).length
        }),
      )
      t.match(told, `${name}_count{route="/x"} ${all.length}\n`)
      const sum = Number(/_sum\{route="\/x"\} (.+)\n/.exec(told)?.[1])
      t.equal(
        sum,
        all.reduce((seconds, ms) => seconds + ms / 1000, 0),
      )
    }),
  )
  t.match(openRequestMetrics().text(), `# TYPE ${name} histogram\n`)
  t.end()
})
