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
  // From now on the states are in memory.
  await network.app.inject('/rinex/api/network/')
  const codes = async (query: string) => {
    const { app } = network
    const answer = await app.inject(`/rinex/api/station/?format=json&${query}`)
    const { count, results } = answer.json<{ count: number; results: { code: string }[] }>()
    return { count, codes: results.map(({ code }) => code.slice(0, 4)) }
  }
  const page = (query: string, status = 200) => network.page(`station/?${query}`, status)
  return { ...network, codes, page }
}

const orders: Readonly<Record<string, string>> = {
  worst: 'DEAE DEAD LATE HALF FULL HKBL ENDD ZZZZ',
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

t.test('a page begins with the worst, and says how each station is', async (t) => {
  const { page, codes } = await openList(t)
  const body = await page('')
  t.match(body.one('h1').text, /^8 stations 2 down, 1 late, 1 ended; the worst first$/)
  const rows = body
    .table('Stations')
    .rows.map(([station, , how]) => `${station ?? ''}: ${how ?? ''}`)
  t.strictSame(rows, [
    'DEAE00NOR: no day since 18 Feb, 9 days late',
    'DEAD00NOR: no day since 20 Feb, 7 days late',
    'LATE00AUT: no hour since 02–03, 3 h 20 min late',
    'HALF00AUT: delivers about 2 of 3 hours',
    'FULL00AUT: delivers',
    'HKBL: delivers',
    'ENDD00POL: ended; last file 19 Aug 2025',
    'ZZZZ00DEU: single files',
  ])
  const [, , late] = body.table('Stations').lines
  t.strictSame(late?.texts('span', { title: 'AUT' }), ['Austria'])
  t.match(late?.text, '2 Mar 02–03 h')
  t.ok(late?.has('path', { class: 'late' }), 'its mark')
  t.match(body.one('th', { 'aria-sort': 'ascending' }).hrefOf('How it is'), /ordering=-worst/)
  t.match(body.hrefOf('28 days'), /ordering=completeness/)
  // The JSON has another order by default, so the request that is shown names this one.
  const [shown] = body.links({ href: /format=json.*ordering=worst/ })
  t.ok(shown)
  t.strictSame(
    (await codes('ordering=worst')).codes,
    rows.map((row) => row.slice(0, 4)),
  )
  t.equal((await codes('')).codes[0], 'DEAD')
})

/** What the strip of a day says, by the states of its slots: written apart from the code. */
function wordOf(slots: string): string {
  const lost = /[MLX]/.exec(slots) !== null
  if (lost && /[PR]/.test(slots)) return /[ML]/.test(slots) ? 'a part of its files' : 'damaged'
  if (/M/.test(slots)) return 'missing'
  if (/L/.test(slots)) return 'late'
  if (/P/.test(slots)) return 'delivered'
  return ''
}

t.test('a strip has the states of the availability', async (t) => {
  const { page, app } = await openList(t)
  const body = await page('')
  for (const code of ['DEAD00NOR', 'LATE00AUT', 'HALF00AUT', 'FULL00AUT', 'HKBL']) {
    const row = body.table('Stations').lines.find(({ text }) => text.startsWith(code))
    const period = /NOR|HKBL/.test(code) ? '01D' : '01H'
    const query = `period=${period}&from=2026-02-03&to=2026-03-02`
    const answer = await app.inject(`/rinex/api/station/${code}/availability/?${query}`)
    const { states } = answer.json<{ states: string }>()
    const slots = states.replaceAll(/([A-Z])([0-9]+)/g, (_, letter: string, count: string) =>
      letter.repeat(Number(count)),
    )
    const days = slots.match(new RegExp(`.{${period === '01D' ? 1 : 24}}`, 'g')) ?? []
    t.equal(days.length, 28)
    const strip = row?.one('svg', { role: 'img' }).attribute('aria-label') ?? ''
    const said = new Map(
      Array.from(strip.matchAll(/(\d+) ([a-z ]+)(?:,|$)/g), ([, count, word]) => [word, count]),
    )
    for (const word of ['delivered', 'a part of its files', 'missing', 'late'])
      t.equal(
        Number(said.get(word) ?? 0),
        days.filter((day) => wordOf(day) === word).length,
        `${code}, ${word}: ${strip}`,
      )
    const isComplete = !/missing|late|part/.test(strip)
    t.equal(row?.links({ href: /missing/ }).length, isComplete ? 0 : 1, 'what is lost leads there')
  }
})

t.test('several stations are compared under each other', async (t) => {
  const { page, codes } = await openList(t)
  const body = await page('station=full,late00aut')
  t.equal(body.one('h1').text, 'full, late00aut: 2 stations 1 late; the worst first')
  const rows = body.table('Stations').lines
  t.strictSame(
    rows.map((row) => row.texts('th')),
    [['LATE00AUT'], ['FULL00AUT']],
  )
  for (const row of rows) t.equal(row.all('svg', { role: 'img' }).length, 2, 'days and hours')
  t.match(
    rows[0]?.all('svg', { role: 'img' })[1]?.attribute('aria-label'),
    /42 delivered, 1 not due yet, 4 late$/,
  )
  t.equal((await page('station=dea*')).table('Stations').lines.length, 2)
  t.strictSame(await codes('station=HK*,FULL00AUT'), { count: 2, codes: ['FULL', 'HKBL'] })
  t.strictSame((await codes('station=FULL00AUT,ZIMM')).codes, ['FULL'])
  t.match((await page('station=GR-Z', 400)).text, 'Enter station codes, or their beginnings')
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
