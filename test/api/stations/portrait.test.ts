/** The page of a station: its state, completeness, gaps, days and last files. */
import type { Test } from 'tap'
import { parseFilename } from '../../../src/parse/filename.ts'
import { seriesOf } from '../../../src/series/series.ts'
import t from '../../tap.ts'
import type { Html } from '../html.ts'
import type { Period } from '../series/network.ts'
import { dayOf, daySeconds, openNetwork } from '../series/network.ts'
import { openService, startUs } from '../service.ts'

/** 2026-03-02T08:20Z */
const today = dayOf(2026, 3, 2)
const now = today * daySeconds + 8 * 3600 + 1200

/** The slots of some days from today back, both included. */
const daysBack = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, index) => today - from + index)
const hoursBack = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, index) => Math.floor(now / 3600) - from + index)

type Slots = readonly [station: string, period: Period, slots: readonly number[]]

async function openStations(t: Test, all: readonly Slots[], { arrived = false } = {}) {
  const network = await openNetwork(t, { startUs: now * 1e6 })
  for (const [station, period, slots] of all)
    if (arrived) for (const slot of slots) await network.arrive(slot, station, period)
    else await network.scan(slots.map((slot) => [slot, station, period] as const))
  await network.setNow(now + 2)
  const page = (path: string) => network.page(`station/${path}`)
  const get = async <T>(path: string) => (await network.app.inject(`/rinex/api/${path}`)).json<T>()
  return { ...network, page, get, list: network.page }
}

const gapsOf = (page: Html) =>
  page.all('ul', { 'aria-label': 'Gaps' }).flatMap((list) => list.texts('li'))
/** The links of the picture of all days, with their words. */
const daysOf = (page: Html) =>
  page.all('svg', { 'aria-label': /^Days by year of / }).flatMap((picture) =>
    picture.all('a').flatMap((link) =>
      link.texts('title').map((title) => {
        const [days = '', state] = title.split(': ')
        return { href: link.attribute('href') ?? '', days, state }
      }),
    ),
  )

const stations: readonly Slots[] = [
  // Dead for 9 days, and with a hole in January.
  ['DEAD00AUT', '01D', [...daysBack(80, 50), ...daysBack(39, 10)]],
  // Every third day is missing.
  ['FLKY00FRA', '01D', daysBack(90, 1).filter((day) => day % 3 !== 0)],
  // Its last hour was on the same day of the month before.
  ['SAME00DEU', '01H', hoursBack(28 * 24 + 1500, 28 * 24)],
  ['NEWS00CHE', '01D', daysBack(5, 1)],
  ['NEWS00CHE', '01H', hoursBack(40, 1)],
  ['ENDD00POL', '01D', daysBack(400, 300)],
  ['CAMP00ITA', '01D', daysBack(60, 58)],
  // A site with both forms of names, and a short code that two long ones begin with.
  ['GRAZ', '01D', daysBack(60, 31)],
  ['GRAZ00AUT', '01D', daysBack(30, 1)],
  ['WTZR', '01D', daysBack(30, 20)],
  ['WTZR00DEU', '01D', daysBack(40, 1)],
  ['WTZR01DEU', '01D', daysBack(20, 1)],
]

/** The first line of each page. */
const lines: Readonly<Record<string, string>> = {
  DEAD00AUT: 'No day since 20 Feb, 7 days late. The last file is of 20 Feb.',
  FLKY00FRA: 'Delivers about 2 of 3 days. The last file is of 1 Mar. Last gap: 27 Feb.',
  SAME00DEU: 'Nothing since 2 Feb, 27 days late. The last file is of 2 Feb 08–09 h.',
  NEWS00CHE: 'Delivers since 25 Feb. The last file is of the hour 07–08.',
  ENDD00POL: 'Ended; last file 6 May 2025.',
  CAMP00ITA: 'Ended; last file 3 Jan 2026.',
  GRAZ00AUT: 'Delivers. The last file is of 1 Mar. No gap for 28 days.',
  GRAZ: 'Delivers. The last file is of 1 Mar. No gap for 28 days.',
  WTZR00DEU: 'Delivers. The last file is of 1 Mar. No gap for 28 days.',
}

t.test('pages say how the station is, and how complete it was', async (t) => {
  const { page, get } = await openStations(t, stations)
  for (const [code, line] of Object.entries(lines)) {
    const body = await page(`${code}/`)
    t.strictSame(body.texts('p', { class: 'lead' }), [line], code)
    const [heading] = body.texts('h2').filter((text) => text.startsWith('Days of all years'))
    const { completeness } = await get<Figures>(`station/${code}/availability/?period=01D`)
    const share = completeness === null ? '' : `${(completeness * 100).toFixed(1)} %`
    if (!['NEWS00CHE', 'SAME00DEU'].includes(code))
      t.match(heading, `Days of all years, ${share} daily observation files`)
  }
})

interface Figures {
  readonly completeness: number | null
}

t.test('the days of the picture, at most those of a month, lead to their files', async (t) => {
  const { page, get } = await openStations(t, stations)
  const body = await page('DEAD00AUT/')
  t.strictSame(
    daysOf(body).map(({ days, state }) => `${days}: ${state}`),
    [
      '1 to 11 Jan: delivered',
      '12 to 21 Jan: missing',
      '22 to 31 Jan: delivered',
      '1 to 20 Feb: delivered',
      '21 to 22 Feb: missing',
      '23 to 28 Feb: late',
      '12 to 31 Dec 2025: delivered',
    ],
  )
  for (const code of ['DEAD00AUT', 'FLKY00FRA', 'NEWS00CHE', 'ENDD00POL', 'GRAZ00AUT', 'WTZR']) {
    const runs = daysOf(await page(`${code}/`))
    t.ok(runs.length > 0, code)
    for (const { days, state, href } of runs) {
      const path = href.replace('../../', '').replace('format=api', 'format=json&limit=100')
      if (state === 'missing' || state === 'late') {
        const { results } = await get<{ results: { state: string; start: string }[] }>(path)
        t.ok(results.length > 0 && results.every((each) => each.state === state), `${code} ${href}`)
        continue
      }
      const { results } = await get<{ results: { filename: string; data_date: string }[] }>(path)
      const own = results.filter(({ filename }) => isDaily(filename))
      t.equal(own.length > 0, state === 'delivered', `${code} ${href} ${state}`)
      const [, first, last] = /^(\d+)(?:.* to (\d+))? /.exec(days) ?? []
      for (const each of results) {
        const date = Number(each.data_date.slice(8, 10))
        t.ok(date >= Number(first) && date <= Number(last ?? first), `${days}: ${each.data_date}`)
      }
    }
  }
})

function isDaily(filename: string): boolean {
  const name = parseFilename(filename)
  return name.kind === 'parsed' && seriesOf(name)?.period === '01D'
}

t.test('gaps are ranges, the latest first, with the names to look for', async (t) => {
  const { page } = await openStations(t, stations)
  const dead = await page('DEAD00AUT/')
  t.strictSame(gapsOf(dead), [
    'missing 21 Feb to now 8 files: days, observation',
    '12 to 21 Jan 10 days missing',
  ])
  const names = dead.one('pre').rawText.split('\n')
  t.equal(names.length, 8)
  t.equal(names[0], 'DEAD00AUT_?_2026052????_01D_*O.*')
  const flaky = await page('FLKY00FRA/')
  t.equal(gapsOf(flaky).length, 12)
  t.equal(gapsOf(flaky)[0], 'missing 3 to 27 Feb, 9 stretches 9 files: days, observation')
  t.match(flaky.text, /and \d earlier gaps/)
  t.match((await page('GRAZ00AUT/')).text, 'Gaps No file is missing.')
})

t.test('a short code that several stations share names them', async (t) => {
  const { page } = await openStations(t, stations)
  const body = await page('WTZR/')
  t.match(body.text, 'The short code belongs to several stations: WTZR00DEU WTZR01DEU')
  t.ok(body.has('a', { href: '../../rinex-file/?file_version=r2&format=api&station=WTZR' }))
  for (const tab of ['availability/', 'latency/'])
    t.match((await page(`WTZR/${tab}`)).text, 'belongs to several stations: WTZR00DEU WTZR01DEU')
})

t.test('the page of a long code has the files of the short one that belongs to it', async (t) => {
  const { page } = await openStations(t, stations)
  const body = (await page('GRAZ00AUT/')).text
  t.match(body, 'Days of all years, 100.0 % daily observation files from 1 Jan 2026 (001)')
  t.match(body, 'Codes GRAZ, GRAZ00AUT')
  t.match(body, 'Files 60')
  t.notMatch((await page('WTZR00DEU/')).text, 'WTZR, WTZR00DEU')
})

t.test('each page of a station has the same head and tabs, its lists too', async (t) => {
  const { page, list, get } = await openStations(t, stations)
  const tabs = { Overview: '', Availability: 'availability/', Latency: 'latency/' }
  for (const [label, path] of Object.entries(tabs)) {
    const body = await page(`DEAD00AUT/${path}`)
    t.equal(body.one('h1').text, 'DEAD00AUT Austria')
    t.match(body.text, lines['DEAD00AUT'] ?? '')
    const nav = body.one('nav', { class: 'tabs' })
    t.equal(nav.text, 'Overview Files Missing 8 Availability Latency Equipment')
    t.equal(nav.one('*', { 'aria-current': 'page' }).text, label)
  }
  const { count } = await get<{ count: number }>('missing/?station=DEAD00AUT')
  t.equal(count, 8, 'the list that the tab opens')
  // The lists of the station have the tabs too, so that nobody leaves it.
  const root = `station/GRAZ00AUT/`
  const own = (await list(root)).one('nav', { class: 'tabs' }).links()
  for (const label of ['Files', 'Missing']) {
    const href = own.find(({ text }) => text === label)?.href ?? ''
    const nav = (await list(href.replace('../../', ''))).one('nav', { class: 'tabs' })
    t.equal(nav.one('*', { 'aria-current': 'page' }).text, label)
    t.strictSame(
      nav.links().map(({ href: to }) => new URL(to, 'https://x/api/list/').href),
      own.map(({ href: to }) => new URL(to, `https://x/api/${root}`).href),
    )
  }
  for (const other of ['rinex-file/', 'rinex-file/?station=GRAZ,WTZR', 'missing/?station=GR*'])
    t.notOk((await list(other).catch(() => undefined))?.has('nav', { class: 'tabs' }), other)
})

t.test('stations with no observations, merged navigation, and day one have pages', async (t) => {
  const network = await openStations(t, [['KIRU00SWE', '01H', hoursBack(30, 1)]])
  await network.addNames('obs/2026/060', [
    'ONSA00SWE_R_20260600000_01D_MN.rnx.gz',
    'BRDC00IGS_R_20260600000_01D_MN.rnx.gz',
    'MATE00ITA_R_20260600000_05M_01S_MO.crx.gz',
  ])
  network.passTo(now + 4)
  const { page } = network
  const onlyNavigation = (await page('ONSA00SWE/')).text
  t.match(onlyNavigation, 'ONSA00SWE Sweden')
  t.match(onlyNavigation, 'Delivers since 1 Mar.')
  t.match((await page('BRDC00IGS/')).text, 'BRDC00IGS merged navigation')
  t.match((await page('MATE00ITA/')).text, 'MATE00ITA Italy')
  // All files were found by a scan.
  const dayOne = (await page('KIRU00SWE/')).text
  t.match(dayOne, /07:00 found/)
  t.notOk((await page('KIRU00SWE/')).has('time', { class: 'ago' }), 'nobody knows when it arrived')
  t.notMatch(dayOne, 'Latency of hours')
  t.match(dayOne, 'Hours of four weeks, 100.0 %')
})

t.test('the last files say how long after their period they came', async (t) => {
  const { page } = await openStations(t, [['GRAZ00AUT', '01H', hoursBack(30, 1)]], {
    arrived: true,
  })
  const body = await page('GRAZ00AUT/')
  const rows = body.table('Last files').lines.map(({ text }) => text)
  t.equal(rows.length, 12)
  t.match(
    rows[0],
    /^GRAZ00AUT_R_20260610700_01H_30S_MO\.crx\.gz misplaced 2 Mar 2026 \(061\) 07:00 .* 20 min$/,
  )
  t.match(rows[1], /_20260610600_.* 80 min$/)
})

t.test('before the first scan has ended, nothing is said of states', async (t) => {
  const service = await openService(t, { nowUs: startUs })
  await service.addNames('obs/2026/001', ['GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz'])
  const body = await service.page('station/GRAZ/')
  t.match(body.text, 'Not known before the first scan has ended.')
  t.strictSame(daysOf(body), [])
})

t.test('while the catalogue is not current, the states are those of then', async (t) => {
  const { page, passTo } = await openStations(t, stations)
  passTo(now + 30 * daySeconds)
  const body = (await page('DEAD00AUT/')).text
  t.match(body, /not current|States are those of/)
  t.match(body, 'No day since 20 Feb, 7 days late.')
})

t.test('the link to the site log has the long code, percent-encoded', async (t) => {
  const identity = { title: 'A', stationLink: 'https://logs.example/{code}?a=<b>&c={code}' }
  const service = await openService(t, {
    settings: { identity },
    nowUs: startUs,
  })
  await service.addNames('obs/2026/001', [
    'GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz',
    'hkbl0010.26d.gz',
    'BRDC00IGS_R_20260010000_01D_MN.rnx.gz',
  ])
  const linkOf = async (code: string) => {
    const page = await service.page(`station/${code}/`)
    return page.one('a', { href: /^https:\/\/logs/ }).attribute('href')
  }
  t.equal(await linkOf('graz'), 'https://logs.example/GRAZ00AUT?a=<b>&c=GRAZ00AUT')
  t.equal(await linkOf('HKBL'), 'https://logs.example/HKBL?a=<b>&c=HKBL')
  const merged = await service.page('station/BRDC00IGS/')
  t.notOk(merged.has('a', { href: /logs/ }), 'merged data have no site')
})
