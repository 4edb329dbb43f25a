/**
 * The HTML pages of the network, of its missing files and of a week, from ten days of deliveries.
 */
import type { Test } from 'tap'
import { change } from '../../catalogue/change.ts'
import t from '../../tap.ts'
import type { Html } from '../html.ts'
import { daySeconds, firstDay, nameOf, openNetwork } from './network.ts'

const hourly = 'GRAZ00AUT'
const daily = 'WTZR'
const firstHour = firstDay * 24
/** Hours of GRAZ00AUT that are not delivered, by the day of December 2025. */
const lost: Readonly<Record<number, readonly number[]>> = {
  8: Array.from({ length: 24 }, (_, hour) => hour),
  9: [1, 2, 3, 20],
  10: Array.from({ length: 14 }, (_, n) => 6 + n),
  11: [4, 5],
}

/**
 * Ten days of hourly files of GRAZ00AUT, of daily files of WTZR without 6 December, and one file of
 * ZIMM. It is 06:05 on 11 December: the file of 05 h is due, that of 04 h is late.
 */
async function openTenDays(t: Test) {
  const service = await openNetwork(t, { startUs: firstDay * daySeconds * 1e6 })
  const { setNow, passTo, arrive, writer, reader } = service
  for (let slot = firstHour; slot < firstHour + 246; slot++) {
    const [day, hour] = [Math.floor(slot / 24) - firstDay + 1, slot % 24]
    // The last file arrives after twenty minutes, all others after five.
    passTo((slot + 1) * 3600 + (slot === firstHour + 242 ? 1200 : 300))
    if (lost[day]?.includes(hour) !== true) await arrive(slot, hourly, '01H')
    if (hour === 23 && day !== 6) await arrive(firstDay + day - 1, daily, '01D')
    if (hour === 23 && day === 10) await arrive(firstDay + day - 1, 'ZIMM', '01D')
  }
  passTo((firstDay + 9.5) * daySeconds)
  const name = nameOf(firstDay, daily, '01D')
  const id = (await reader.file({ directory: 'obs/2026/001', name }))?.id ?? NaN
  const modified = [{ id, name, size: 1, mtimeUs: 1 }]
  await writer.apply([change('obs/2026/001', { modified })])
  await setNow((firstDay + 10) * daySeconds + 6 * 3600 + 300)
  return service
}

/** The rows of a table as texts; none without the table. */
const rowsOf = (page: Html, label: string): string[][] =>
  page.has('*', { 'aria-label': label }) ? page.table(label).rows : []

const letters: Readonly<Record<string, string>> = {
  present: 'g',
  part: 'p',
  late: 'l',
  missing: 'n',
  damaged: 'x',
  due: 'd',
}

/** The cells of a station in the matrix, 28 days and 24 hours; a dot for a white one. */
function cellsOf(page: Html, station: string): string {
  const own = page.all('div', { class: 'cells' }).find((each) => each.text.startsWith(station))
  // The row of a country of one station is that of the station.
  const row =
    own ??
    page.all('div', { class: 'country' }).find((each) => {
      return each.one('span').text.endsWith(station.slice(0, 4))
    })
  const cells = Array<string>(28 + 24).fill('.')
  for (const path of row?.all('path') ?? [])
    for (const [, x, width] of (path.attribute('d') ?? '').matchAll(
      /M([\d.]+) [\d.-]+h([\d.]+)/g,
    )) {
      const [left, end] = [Number(x), Number(x) + Number(width)]
      const columnAt = (at: number) => Math.floor(at < 252 ? at / 9 : 28 + (at - 266) / 9)
      const letter = letters[path.attribute('class') ?? ''] ?? '?'
      cells.fill(letter, columnAt(left), columnAt(end - 1) + 1)
    }
  return `${cells.slice(0, 28).join('')} ${cells.slice(28).join('')}`
}

t.test('the page of the network has its figures, its losses and its matrix', async (t) => {
  const { page, text } = await openTenDays(t)
  const html = await page('network/')
  t.equal(html.one('h1').text, '1 of 3 stations does not deliver: GRAZ00AUT')
  t.equal(
    html.one('p', { class: 'lead' }).text,
    '0 of 1 station that is due has sent the hour 04–05 UTC. The archive was looked at just now; the newest file arrived 2 h ago.',
  )
  t.match(html.region('Totals').text, 'of 3 stations in 1 country, from 2025 to now. 0')
  t.match(html.one('ul', { class: 'losses' }).text, 'GRAZ00AUT no hour since 03–04 no alert yet')
  const [before, noHours] = ['.'.repeat(17), '.'.repeat(24)]
  t.equal(cellsOf(html, hourly), `${before}gggggggnppp ${'l'.repeat(14)}ggggggggld`)
  t.equal(cellsOf(html, daily), `${before}ggggglggggd ${noHours}`)
  t.equal(cellsOf(html, 'ZIMM'), `${before}.........gd ${noHours}`)
  const days = html
    .one('section', { class: 'matrix' })
    .links({ href: new RegExp(`missing/\\?station=${hourly}`) })
    .map(({ href }) => href)
    .filter((href) => !href.includes('period='))
  let found = 0
  for (const day of new Set(days)) {
    const answer = await text(day.replace('../', '').replace('format=api', 'format=json'))
    found += (JSON.parse(answer) as { readonly count: number }).count
  }
  const missed = Object.values(lost).flat().length
  t.equal(found, missed - 1, 'its cells lead to all that is missing, without what is due')
})

/** The names that a page offers to copy. */
const namesOf = (page: Html) => page.one('section', { id: 'names' }).one('code').rawText.split('\n')

t.test('the page of missing files has a row for each outage, and all names', async (t) => {
  const { page, text } = await openTenDays(t)
  const late = await page('missing/?from=2025-12-11')
  t.strictSame(rowsOf(late, 'Missing files'), [
    [
      ...[`late ${hourly}`, 'hour, observation', '11 Dec 04–05 h', '1'],
      ...['late, due since 05:10', 'list'],
    ],
  ])
  t.ok(late.has('time', { datetime: '2025-12-11T04:00:00Z' }))
  t.match(late.title, 'Missing 11 Dec: 1 file of 1 station, 1 of them late – ')
  t.strictSame(namesOf(late), ['GRAZ00AUT_?_202534504??_01H_*O.*'])

  const all = await page('missing/')
  const { results, count } = JSON.parse(await text('missing/?format=json&limit=100')) as {
    readonly count: number
    readonly results: readonly { readonly state: string; readonly station: string }[]
  }
  const lateCount = results.filter(({ state }) => state === 'late').length
  const stations = new Set(results.map(({ station }) => station)).size
  t.match(
    all.one('h1').text,
    `Missing since 14 Nov: ${count} files of ${stations} stations, ${lateCount} of them late`,
  )
  t.strictSame([count, stations, lateCount], [44, 2, 38])
  t.match(all.text, '1 to 6 of 6 outages')
  const rows = rowsOf(all, 'Missing files')
  t.strictSame(
    rows.map((row) => row.slice(0, -1).join(' | ')),
    [
      'late GRAZ00AUT | hour, observation | 11 Dec 04–05 h | 1 | late, due since 05:10',
      'late GRAZ00AUT | hours, observation | 10 Dec 06–20 h | 14 | late, due since 10 Dec 07:10',
      'late GRAZ00AUT | hour, observation | 9 Dec 20–21 h | 1 | late, due since 9 Dec 21:10',
      'late GRAZ00AUT | hours, observation | 9 Dec 01–04 h | 3 | late, due since 9 Dec 02:10',
      'missing GRAZ00AUT | hours, observation | 8 Dec | 24 | 18 late, due since 8 Dec 07:10',
      'late WTZR | day, observation | 6 Dec | 1 | late, due since 7 Dec 02:00',
    ],
  )
  const names = namesOf(all)
  t.equal(names.length, 44 - 23, 'one name for a whole day')
  t.ok(names.includes('GRAZ00AUT_?_2025342????_01H_*O.*'))
  const csv = await text('missing/?format=csv')
  t.equal(csv.trim().split('\r\n').length, 1 + 44, 'a row for each slot')

  const day = all.table('Missing files').lines[4]
  const own = await page(`missing/${day?.hrefOf('list') ?? ''}`)
  t.strictSame(namesOf(own), ['GRAZ00AUT_?_2025342????_01H_*O.*'])
  const none = await page('missing/?station=zimm')
  t.match(none.text, 'No outages match.')
  t.match(none.title, 'Missing since 14 Nov, ZIMM: nothing – ')
  const missing = await page('missing/?to=2025-12-08&state=missing&ordering=start&limit=1')
  t.match(missing.text, '1 to 1 of 1 outage')
})

t.test('a damaged file is missing, beside the sizes of its neighbours', async (t) => {
  const service = await openTenDays(t)
  const name = nameOf(firstDay + 7, daily, '01D')
  await service.put(name, { isEmpty: true })
  const html = await service.page('missing/?station=WTZR')
  t.match(html.one('h1').text, ': 2 files of 1 station, 1 of them late, 1 damaged')
  t.strictSame(rowsOf(html, 'Missing files')[0], [
    ...[`damaged ${daily}`, 'day, observation', '8 Dec', '1'],
    ...['damaged: 0 bytes, neighbours 10 bytes', 'list'],
  ])
})

t.test('the page of a week has its sums, and a row for each station with a fault', async (t) => {
  const { page } = await openTenDays(t)
  const html = await page('report/?week=2396')
  t.equal(html.one('h1').text, 'Report of GPS week 2396')
  t.match(html.text, '7 to 13 Dec 2025, as of ')
  t.match(
    html.text,
    'Observation files of 3 stations: 100.0 % of the daily files (5 of 5) and 57.4 % of the hourly files (58 of 101) were delivered.',
  )
  t.strictSame(rowsOf(html, 'Stations that are incomplete or late'), [
    [`${hourly} Austria`, '', '57.4 % 58 of 101', '98.3 %', '43'],
  ])
  t.ok(html.texts('span', { class: 'bad' }).includes('57.4 %'))
  t.notOk(html.texts('span', { class: 'bad' }).includes('98.3 %'))
  t.match(html.text, '1 station is incomplete or late')
  t.match(html.text, '2 stations are complete WTZR ZIMM')
  t.strictSame(namesOf(html).slice(0, 2), [
    'GRAZ00AUT_?_2025342????_01H_*O.*',
    'GRAZ00AUT_?_202534301??_01H_*O.*',
  ])
  t.equal(namesOf(html).length, 20)
  t.equal(html.hrefOf('Week before'), '?format=api&week=2395')
  t.ok(html.texts('span').includes('Week after'), 'it has not begun')

  const before = await page('report/?week=2395')
  t.strictSame(rowsOf(before, 'Stations that are incomplete or late'), [
    [daily, '83.3 % 5 of 6', '', '', '1'],
  ])
  t.strictSame(namesOf(before), ['wtzr3400.25[oOdD]*'])
  t.match(before.text, '1 station is complete GRAZ00AUT')
  t.ok(before.texts('span').includes('Week before'), 'no file is older')
  t.equal(before.hrefOf('Week after'), '?format=api&week=2396')
})

t.test('a station that always sends its files late is not in the red for ever', async (t) => {
  const service = await openNetwork(t, { startUs: firstDay * daySeconds * 1e6 })
  const { passTo, arrive, setNow } = service
  for (let slot = firstHour; slot < firstHour + 7 * 24; slot++) {
    passTo((slot + 1) * 3600 + 46 * 60)
    await arrive(slot, 'BRST00FRA', '01H')
    // Of the other, one of six is late: that is not usual for it.
    passTo((slot + 1) * 3600 + (slot % 6 === 0 ? 3000 : 300))
    await arrive(slot, hourly, '01H')
  }
  await setNow((firstDay + 7) * daySeconds + 7200)
  const html = await service.page('report/?week=2395')
  const rows = rowsOf(html, 'Stations that are incomplete or late')
  t.strictSame(rows, [[`${hourly} Austria`, '', '100.0 % 144 of 144', '83.3 %', '']])
  t.match(html.text, '1 station is complete BRST00FRA')
})

t.test('the list of series: since when, and links to stations', async (t) => {
  const service = await openNetwork(t, { startUs: (firstDay + 0.5) * daySeconds * 1e6 })
  const days = (count: number) => Array.from({ length: count }, (_, n) => firstDay - count + n)
  await service.scan([
    ...days(40).map((day) => [day, 'GRAZ00AUT', '01D'] as const),
    ...days(20).map((day) => [day, 'WTZR', '01D'] as const),
  ])
  const body = await service.page('series/')
  t.strictSame(
    rowsOf(body, 'Series').map(([station, , period, state, since]) => [
      station,
      period,
      state,
      since,
    ]),
    [
      ['GRAZ00AUT', 'day', 'present', '3 Nov 2025 00:00'],
      ['WTZR', 'day', 'present', '11 Nov 2025 00:00'],
    ],
  )
  t.match(body.text, 'A series is the files of one station with the same type and period')
  t.equal(body.hrefOf('GRAZ00AUT'), '../station/GRAZ00AUT/?format=api')
})

t.test('lists say their filter and count, and how to get them', async (t) => {
  const { page, app } = await openTenDays(t)
  // From now on the states are in memory.
  await app.inject('/rinex/api/network/')
  for (const [path, title] of [
    ['station/', '3 stations'],
    ['station/?country=aut', 'Austria: 1 station'],
    ['series/?period=01H', 'hour: 1 series'],
    ['alerts/?station=GRAZ', 'GRAZ: 1 loss'],
    ['status/problems/', '212 problems'],
  ] as const) {
    const html = await page(path)
    t.match(html.title, `${title} – `, path)
    const get = html.one('div', { class: 'get' })
    const command = /^curl -s '(.+)'$/.exec(get.one('code').text)?.[1]
    const shown = new URL(command ?? '')
    const answer = await app.inject(shown.pathname + shown.search)
    t.equal(answer.statusCode, 200, path)
    const base = `http://a/rinex/api/${path}`
    const json = new URL(get.hrefOf('JSON'), base)
    const { count } = (await app.inject(json.pathname + json.search)).json<{ count: number }>()
    t.match(title, new RegExp(`\\b${count}\\b`), path)
  }
})
