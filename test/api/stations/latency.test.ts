import type { Test } from 'tap'
import { percentile } from '../../../src/series/ascending.ts'
import { summariseLatencies } from '../../../src/series/latency.ts'
import { arriving, change, newFile } from '../../catalogue/change.ts'
import { fc } from '../../random.ts'
import { nameOf, startOf } from '../../rinex-names.ts'
import t, { exact } from '../../tap.ts'
import { openService, startUs } from '../service.ts'

const name = (hour: number) =>
  nameOf('GRAZ00AUT', startOf(2026, 22, hour), { period: '01H', source: 'S' })

async function open(t: Test) {
  const service = await openService(t, { nowUs: startUs })
  await service.writer.setAsOf({ atUs: startUs, limitSeconds: 180 })
  return service
}

t.test('the answer has the arrivals, the shares within targets and the days', async (t) => {
  // The catalogue's clock says 05:06:07: the file of 04 h arrives 367 s after its end.
  const { app, writer, page } = await open(t)
  const added = [2, 3, 4].map((hour) => newFile(name(hour)))
  await writer.apply([change('nrt/2026/022/02', { added: arriving(added, startUs) })])
  await writer.apply([change('nrt/2026/022/01', { added: [newFile(name(1))] })])
  const answer = await app.inject('/rinex/api/station/GRAZ/latency/')
  t.match(answer.json(), {
    station: 'GRAZ',
    period: '01H',
    from: '2025-12-26',
    to: '2026-01-22',
    arrivals: 3,
    within: { '300': 0, '600': 1, '3600': 1, '7200': 2 },
    median_s: 3967,
    p95_s: 7567,
    as_of: '2026-01-22T05:06:07Z',
    usual_s: 3967,
    late_after_s: 3600,
    days: exact([{ date: '2026-01-22', n: 3, within_600: 1, median_s: 3967 }]),
    ambiguous: exact([]),
  })
  const latency = await page('station/graz/latency/')
  t.match(
    latency.text,
    '3 arrivals, 33.3 % of them within 10 min after the period; median 66 min, 95 % within 2 h 06. A file is late after 60 min.',
  )
  t.ok(latency.texts('title').includes('up to 10 min: 1'))
  t.match(latency.text, '2 files later than 60 min: not drawn')
  const csv = await app.inject('/rinex/api/station/GRAZ/latency/?format=csv')
  t.match(csv.body, /^date,n,within_600,median_s\r\n2026-01-22,\d+,\d+,\d+\r\n$/)
})

t.test('files are judged by the target of their period', async (t) => {
  const { writer, page } = await open(t)
  const quarters = [0, 15, 30, 45].map((minute) =>
    newFile(nameOf('GRAZ00AUT', startOf(2026, 22, 4, minute), { period: '15M' })),
  )
  const days = [20, 21].map((day) => newFile(nameOf('GRAZ00AUT', startOf(2026, day))))
  const added = [...quarters, ...days]
  await writer.apply([change('nrt/2026/022/04', { added: arriving(added, startUs) })])
  const pageOf = async (period: string) =>
    (await page(`station/GRAZ/latency/?period=${period}`)).text
  const quarter = await pageOf('15M')
  // The last quarter of the hour arrives 367 s after its end.
  t.match(quarter, '4 arrivals, 0.0 % of them within 5 min after the period')
  t.match(quarter, 'target: 5 min')
  t.match(quarter, ' Within 5 min ')
  const daily = await pageOf('01D')
  t.match(daily, '2 arrivals, 0.0 % of them within 2 h after the period')
  t.match(daily, '1 file later than 24 h: not drawn')
})

t.test(
  'a file found by a scan has no latency, and a slot has the latency of its first file',
  async (t) => {
    const { app, writer } = await open(t)
    await writer.apply([change('nrt/2026/022/04', { added: [newFile(name(4))] })])
    const again = name(4).replace('_S_', '_R_')
    await writer.apply([change('nrt/2026/022/04', { added: arriving([newFile(again)], startUs) })])
    const { arrivals, usual_s, late_after_s } = (
      await app.inject('/rinex/api/station/GRAZ/latency/')
    ).json<{
      arrivals: number
      usual_s: number | null
      late_after_s: number
    }>()
    t.same([arrivals, usual_s, late_after_s], [0, null, 3600])
    t.equal((await app.inject('/rinex/api/station/ZIMM/latency/')).statusCode, 404)
    const bad = await app.inject('/rinex/api/station/GRAZ/latency/?period=1H&from=x')
    t.match(bad, { statusCode: 400 })
    t.same(Object.keys(bad.json<object>()), ['period', 'from'])
  },
)

t.test('a range before the recorded deliveries has no arrivals', async (t) => {
  const { app, writer } = await open(t)
  // 400 days before the clock of the service.
  const oldest = [3, 4, 5, 6].map((hour) =>
    newFile(nameOf('GRAZ', startOf(2024, 353, hour), { period: '01H' })),
  )
  await writer.apply([change('nrt/2024/353/05', { added: arriving(oldest, startUs) })])
  const arrivalsOf = async (range: string) =>
    (await app.inject(`/rinex/api/station/GRAZ/latency/?${range}`)).json<{ arrivals: number }>()
      .arrivals
  t.ok(await arrivalsOf('from=2024-12-18&to=2024-12-18'))
  t.equal(await arrivalsOf('from=2024-01-01&to=2024-01-31'), 0)
})

t.test('the histogram counts every latency once', async () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 200_000 })), (latencies) => {
      const { histogram, count, median } = summariseLatencies(latencies)
      const sum = histogram.reduce((total, [, , n]) => total + n, 0)
      const inClass = histogram.every(
        ([from, to, n], index) =>
          n ===
          latencies.filter(
            (each) => (index === 0 ? each >= from : each > from) && each <= (to ?? Infinity),
          ).length,
      )
      const sorted = latencies.toSorted((a, b) => a - b)
      return sum === count && inClass && median === percentile(sorted, 0.5)
    }),
  )
})
