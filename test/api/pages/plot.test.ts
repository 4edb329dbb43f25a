/** The axes of pictures: their ticks, and where values lie. */
import { html } from '../../../src/api/pages/html.ts'
import type { Scale } from '../../../src/api/pages/plot.ts'
import { days, durations, plotSvg, quantities, years } from '../../../src/api/pages/plot.ts'
import { parseDay } from '../../../src/parse/calendar.ts'
import { readableSize } from '../../../src/runtime/readable.ts'
import { fc } from '../../random.ts'
import t from '../../tap.ts'
import { readFragment } from '../html.ts'

const dayOf = (iso: string) => parseDay(iso) ?? NaN
const textsOf = ({ ticks }: Scale) => ticks.map(({ text }) => text)

t.test('quantities begin at a true zero and reach the largest', async (t) => {
  t.strictSame(textsOf(quantities(150, String)), ['0', '50', '100', '150'])
  t.strictSame(textsOf(quantities(0, String)), ['0', '1'])
  t.strictSame(textsOf(quantities(5.7e9, readableSize)), [
    ...['0 bytes', '2.0 GB', '4.0 GB', '6.0 GB'],
  ])
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e15 }), (most) => {
      const { at, ticks } = quantities(most, String)
      return at(0) === 0 && at(most) <= 1 && ticks.length >= 2 && ticks.length <= 6
    }),
  )
})

t.test('durations have named ticks around the shortest and the longest', async (t) => {
  t.strictSame(textsOf(durations(240, 3000)), ['1 min', '5 min', '15 min', '1 h'])
  t.strictSame(textsOf(durations(0, 20)), ['≤ 10 s', '1 min'])
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e7 }), fc.integer({ min: 0, max: 4e7 }), (a, b) => {
      const [shortest, longest] = [Math.min(a, b), Math.max(a, b)]
      const { at } = durations(shortest, longest)
      return at(shortest) >= 0 && at(shortest) <= at(longest) && at(longest) <= 1
    }),
  )
})

t.test('days have ticks of days, weeks, months or years, from left to right', async (t) => {
  const of = (from: string, to: string) => textsOf(days(dayOf(from), dayOf(to)))
  t.strictSame(of('2026-11-25', '2026-11-28'), ['25 Nov', '26 Nov', '27 Nov', '28 Nov'])
  t.strictSame(of('2026-11-01', '2026-11-28'), ['7 Nov', '14 Nov', '21 Nov', '28 Nov'])
  t.strictSame(of('2025-11-29', '2026-11-28'), [
    ...['Jan 2026', 'Apr 2026', 'Jul 2026', 'Oct 2026'],
  ])
  t.strictSame(of('1996-05-03', '2026-11-28'), [...['2000', '2010', '2020']])
  t.strictSame(textsOf(years(1996, 2026)), ['2000', '2005', '2010', '2015', '2020', '2025'])
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 30_000 }), fc.nat(12_000), (first, length) => {
      const { at, ticks } = days(first, first + length)
      const shares = ticks.map(({ value }) => at(value))
      const isSorted = shares.every((share, index) => share > (shares[index - 1] ?? -Infinity))
      return isSorted && shares.every((share) => share >= 0 && share < 1) && shares.length <= 9
    }),
  )
})

t.test('a plot says its axes, and places what is drawn between them', async (t) => {
  const svg = plotSvg({
    title: 'Bytes & years',
    x: years(2020, 2023),
    y: quantities(4, (value) => `${value} GB`),
    height: 100,
    draw: ({ bar, line }) => html`${bar([2021, 2022], [0, 2])}${line(4, 'full')}`,
  })
  const plot = readFragment(String(svg)).one('svg', { 'aria-label': 'Bytes & years' })
  t.strictSame(plot.texts('text'), [
    ...['0 GB', '1 GB', '2 GB', '3 GB', '4 GB', '2020', '2021', '2022', '2023', 'full'],
  ])
  const bar = plot.one('rect')
  const [x, y, width, height] = ['x', 'y', 'width', 'height'].map((name) => bar.attribute(name))
  t.strictSame([x, y, width, height], ['25%', '58', '25%', '50'])
})
