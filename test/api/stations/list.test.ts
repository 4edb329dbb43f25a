/** The list of stations: its rows, and its order by what the network knows. */
import type { Test } from 'tap'
import { manyNames } from '../../catalogue/catalogue.ts'
import t from '../../tap.ts'
import type { Html } from '../html.ts'
import type { Period } from '../series/network.ts'
import { dayOf, daySeconds, openNetwork } from '../series/network.ts'

/** 2026-03-02T08:20Z */
const today = dayOf(2026, 3, 2)
const now = today * daySeconds + 8 * 3600 + 1200

const daysBack = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, index) => today - from + index)
const hoursBack = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, index) => Math.floor(now / 3600) - from + index)

const series: readonly (readonly [station: string, period: Period, slots: readonly number[]])[] = [
  ['ENDD00POL', '01D', daysBack(200, 195)],
  ['FULL00AUT', '01H', hoursBack(700, 1)],
  ['HALF00AUT', '01H', hoursBack(700, 1).filter((slot) => slot % 3 !== 0 || slot % 24 === 1)],
  ['LATE00AUT', '01H', hoursBack(700, 6)],
  ['DEAD00NOR', '01D', daysBack(60, 10)],
  ['DEAE00NOR', '01D', daysBack(60, 12)],
  ['HKBL', '01D', daysBack(60, 1)],
]

async function openList(t: Test) {
  const network = await openNetwork(t, { startUs: now * 1e6 })
  for (const [station, period, slots] of series)
    await network.scan(slots.map((slot) => [slot, station, period] as const))
  // A station without a series.
  await network.addNames('obs/2026/001', ['ZZZZ00DEU_R_20260010000_05M_01S_MO.crx.gz'])
  await network.setNow(now + 2)
  const codes = async (query: string) => {
    const { app } = network
    const answer = await app.inject(`/rinex/api/station/?format=json&${query}`)
    const { count, results } = answer.json<{ count: number; results: { code: string }[] }>()
    return { count, codes: results.map(({ code }) => code.slice(0, 4)) }
  }
  const page = (query: string) => network.page(`station/?${query}`)
  return { ...network, codes, page }
}

const orders: Readonly<Record<string, string>> = {
  state: 'DEAD DEAE LATE FULL HALF HKBL ENDD ZZZZ',
  '-state': 'ENDD FULL HALF HKBL LATE DEAD DEAE ZZZZ',
  completeness: 'DEAE HALF DEAD LATE FULL HKBL ENDD ZZZZ',
  '-completeness': 'FULL HKBL LATE DEAD HALF DEAE ENDD ZZZZ',
}

t.test(
  'stations are sorted by their state, and the completeness of their main series',
  async (t) => {
    const { codes } = await openList(t)
    for (const [ordering, expected] of Object.entries(orders)) {
      const whole = await codes(`ordering=${ordering}`)
      t.strictSame(whole.codes, expected.split(' '), ordering)
      const pages = [0, 3, 6, 9].map((offset) => `ordering=${ordering}&limit=3&offset=${offset}`)
      const found = await Promise.all(pages.map(codes))
      t.strictSame(
        found.flatMap((each) => each.codes),
        whole.codes,
        `${ordering} by pages`,
      )
      t.ok(found.every(({ count }) => count === 8))
    }
    const filtered = await codes('ordering=state&country=AUT&state=late,present')
    t.strictSame(filtered, { count: 3, codes: ['LATE', 'FULL', 'HALF'] })
    t.strictSame(await codes('ordering=completeness&search=dea'), {
      count: 2,
      codes: ['DEAE', 'DEAD'],
    })
  },
)

t.test('a row has country, state, one bar, and the last data with their hour', async (t) => {
  const { page } = await openList(t)
  const body = await page('ordering=state')
  const rows = body.table('Stations').lines
  t.equal(rows.length, 8)
  const late = rows.find(({ text }) => text.includes('LATE00AUT'))
  t.strictSame(late?.texts('abbr', { title: 'AUT' }), ['Austria'])
  t.strictSame(late?.texts('span', { class: 'late' }), ['late'])
  t.match(late?.text, '2 Mar 2026 (061) 02:00')
  t.equal(late?.all('meter').length, 1)
  t.strictSame(rows.at(-2)?.texts('span', { class: 'state' }), ['ended'])
  t.match(body.one('th', { 'aria-sort': 'ascending' }).hrefOf('Now'), /ordering=-state/)
  t.match(body.hrefOf('Complete in 28 days'), /ordering=completeness/)
})

t.test('a page has 100 rows, JSON has 20', async (t) => {
  const list = await openList(t)
  const { page, codes } = list
  await list.addNames('obs/2026/001', manyNames(150))
  const rowsOf = (body: Html) => body.table('Stations').lines.length
  const whole = await page('')
  t.equal(rowsOf(whole), 100)
  t.match(whole.text, '1 to 100 of 158 stations')
  t.equal(rowsOf(await page('limit=50')), 50)
  t.equal(rowsOf(await page('offset=100')), 58)
  t.equal((await codes('')).codes.length, 20)
})
