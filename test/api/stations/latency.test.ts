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
    /3 files came, usually after 66 min, 95 of 100 within 2 h 6 min; late after 60 min\./,
  )
  t.equal(latency.one('g', { class: 'dots' }).all('circle').length, 3, 'nothing is left out')
  const csv = await app.inject('/rinex/api/station/GRAZ/latency/?format=csv')
  t.match(csv.body, /^date,n,within_600,median_s\r\n2026-01-22,\d+,\d+,\d+\r\n$/)
})

t.test('every arrival is drawn, at an axis that reaches the largest one', async (t) => {
  const { app, writer, page } = await open(t)
  const startSeconds = startUs / 1e6
  const hour = Math.floor(startSeconds / 3600)
  // Files of hours that come in batches of six, the last one at the next full hour or later.
  const added = Array.from({ length: 240 }, (_, index) => hour - 240 + index).flatMap((slot) => {
    const batch = (Math.floor(slot / 6) + 1) * 6 * 3600 + 300
    const file = newFile(nameOf('HOFN00ISL', slot * 3600, { period: '01H' }))
    return batch > startSeconds ? [] : arriving([file], batch * 1e6)
  })
  // And one that took three days.
  const late = newFile(nameOf('HOFN00ISL', (hour - 300) * 3600, { period: '01H' }))
  added.push(...arriving([late], (hour - 299 + 72) * 3600 * 1e6))
  await writer.apply([change('nrt/2026/022/04', { added })])
  const body = await page('station/HOFN/latency/')
  const { arrivals, days } = (await app.inject('/rinex/api/station/HOFN/latency/')).json<{
    arrivals: number
    days: readonly unknown[]
  }>()
  const plot = body.one('svg', { 'aria-label': 'Latency of each file of HOFN00ISL by day' })
  t.equal(arrivals, added.length)
  t.equal(plot.all('circle').length, arrivals)
  t.strictSame(plot.texts('text', { class: 'value' }), [
    '5 min',
    '15 min',
    '1 h',
    '6 h',
    '1 day',
    '7 days',
  ])
  t.match(plot.texts('text', { class: 'limit' })[0], /^late after 5 h 5/)
  // Six rows of dots, and the one above them: none lies outside of the axis.
  const rows = new Set(plot.all('circle').map((dot) => dot.attribute('cy')))
  t.equal(rows.size, 7)
  const levels = plot.all('line', { class: 'grid' }).map((line) => Number(line.attribute('y1')))
  t.ok([...rows].every((y) => Number(y) >= Math.min(...levels) && Number(y) <= Math.max(...levels)))
  t.equal(plot.one('g', { class: 'band' }).all('rect').length, days.length, 'a band a day')
  const histogram = body.one('svg', { 'aria-label': 'Number of files of HOFN00ISL by latency' })
  t.ok(histogram.texts('text').includes('1 day'), 'the classes have an axis too')
  t.match((await page('station/HOFN/latency/?period=01D')).text, 'No file was seen arriving')
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
