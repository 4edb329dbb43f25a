/**
 * Rules, names and limits of latencies: tables of cases. Histories are in oracle.test.ts and
 * series-states.test.ts.
 */
import { parseFilename } from '../../src/parse/filename.ts'
import { createExpectation } from '../../src/series/expectation.ts'
import { lateAfter } from '../../src/series/latency.ts'
import { seriesOf } from '../../src/series/series.ts'
import { SlotSet } from '../../src/series/slot-set.ts'
import t from '../tap.ts'

const daySeconds = 86_400

const slotsFrom = (from: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => from + index)

t.test('a campaign of three days is missed for three days', async (t) => {
  const days = { firstDay: 0, lastDay: 20 }
  const { isExpected, hasEnded } = createExpectation(SlotSet.of('01H', slotsFrom(0, 72), days))
  const text = (holds: (day: number) => boolean) =>
    slotsFrom(0, 12)
      .map((day) => Number(holds(day)))
      .join('')
  t.equal(
    text((day) => isExpected(day * 24)),
    '011111000000',
  )
  t.equal(text(hasEnded), '000000111111')
})

t.test('rules replace the learned expectation', async (t) => {
  const rule = { fromDay: 10, toDay: 20, hours: new Set([0, 12]) }
  const { isExpected, hasEnded } = createExpectation(new SlotSet('01H', 0, 1), [rule])
  for (const [day, hour, expected] of [
    [9, 0, false],
    [10, 0, true],
    [10, 1, false],
    [20, 12, true],
    [21, 12, false],
  ] as const)
    t.equal(isExpected(day * 24 + hour), expected, `day ${day}, hour ${hour}`)
  t.notOk(hasEnded(1000), 'a series with rules never ends')
})

t.test('names of both forms, any source, interval and content fill the same slots', async (t) => {
  for (const [name, series] of [
    ['GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz', 'o 01D'],
    ['graz0010.26d.gz', 'o 01D'],
    ['GRAZ00AUT_S_20260010500_01H_01S_MO.rnx.gz', 'o 01H'],
    ['graz001f.26o.gz', 'o 01H'],
    ['GRAZ00AUT_R_20260010515_15M_01S_MO.crx.gz', 'o 15M'],
    ['graz001f15.26d.gz', 'o 15M'],
    ['GRAZ00AUT_R_20260010000_01D_GN.rnx.gz', 'n 01D'],
    ['GRAZ00AUT_R_20260010000_30M_01S_MO.crx.gz', undefined],
    ['GRAZ00AUT_R_20260010000_01Y_GN.rnx.gz', undefined],
  ] as const) {
    const parsed = parseFilename(name)
    if (parsed.kind === 'rejected') throw new Error(`${name}: ${parsed.reason}`)
    const found = seriesOf(parsed)
    t.equal(found && `${found.fileType} ${found.period}`, series, name)
  }
})

t.test('the limit of lateness is a percentile of arrivals, within bounds', async (t) => {
  const [hour, day] = [3600, daySeconds]
  const times = (count: number, latency: number): number[] => Array<number>(count).fill(latency)
  for (const [period, latencies, limit, why] of [
    ['15M', [], hour, 'no arrivals'],
    ['15M', times(23, 10), hour, 'too few arrivals'],
    ['15M', times(24, 10), 300, 'the target'],
    ['01H', [], hour, 'no arrivals'],
    ['01H', times(23, 10), hour, 'too few arrivals'],
    ['01H', times(24, 10), 600, 'the target'],
    ['01H', slotsFrom(1, 100).map((minutes) => minutes * 60), 95 * 60, 'the percentile'],
    ['01H', [...times(95, 700), ...times(5, 9000)], 700, 'exactly the percentile'],
    ['01H', [...times(94, 700), ...times(6, 9000)], 9000, 'more late arrivals'],
    ['01H', [...times(24, 700), ...times(99, day + 1)], 700, 'arrivals after a day do not count'],
    ['01H', [...times(23, 700), ...times(99, day + 1)], hour, 'nor do they help'],
    ['01H', [...times(23, 700), day], 700, 'an arrival after exactly a day counts'],
    ['01H', times(24, day), day, 'a day'],
    ['01D', [], day, 'no arrivals'],
    ['01D', times(2, 10), day, 'too few arrivals'],
    ['01D', times(3, 10), 7200, 'the target'],
    ['01D', times(3, 9000), 9000, 'the percentile'],
    ['01D', times(3, 3 * day), day, 'at most a day'],
    ['01D', [...times(2, 10), 3 * day + 1], day, 'arrivals after three days do not count'],
  ] as const)
    t.equal(lateAfter(period, latencies), limit, `${period}: ${why}`)
})
