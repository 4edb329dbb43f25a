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
  return { ...network, page, get }
}

const gapsOf = (page: Html) => page.all('code')[0]?.rawText.split('\n') ?? []
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
const tilesOf = (page: Html) =>
  page.all('a', { href: /^availability/ }).flatMap((link) =>
    link.texts('b').map((share) => {
      const [files] = link.texts('span', { class: 'note' })
      return { href: link.attribute('href') ?? '', share, files }
    }),
  )

const stations: readonly Slots[] = [
  // Dead for 9 days, and with a hole in January.
  ['DEAD00AUT', '01D', [...daysBack(80, 50), ...daysBack(39, 10)]],
  // Every third day is missing.
  ['FLKY00FRA', '01D', daysBack(90, 1).filter((day) => day % 3 !== 0)],
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

/** The first line of each page: the state of its main series. */
const lines: Readonly<Record<string, string>> = {
  DEAD00AUT: 'down for 7 days, nothing since 21 Feb (052) daily observation files',
  FLKY00FRA: 'present since 28 Feb (059), for 2 days daily observation files',
  NEWS00CHE: 'present since 28 Feb (059), 16:00, for 40 h 20 min hourly observation files',
  ENDD00POL: 'ended: its last data end on 6 May 2025 (126) daily observation files',
  CAMP00ITA: 'ended: its last data end on 3 Jan (003) daily observation files',
  GRAZ00AUT: 'present, without a gap for 28 days daily observation files',
  GRAZ: 'present, without a gap for 28 days daily observation files',
  WTZR00DEU: 'present, without a gap for 28 days daily observation files',
}

t.test('pages say how the station is, and how it was', async (t) => {
  const { page, get } = await openStations(t, stations)
  for (const [code, line] of Object.entries(lines)) {
    const body = await page(`${code}/`)
    t.strictSame(body.texts('p', { class: 'station-state' }), [line], code)
    for (const { href, share, files } of tilesOf(body).slice(1)) {
      const { completeness, delivered, possible } = await get<Figures>(
        `station/${code}/${href}&format=json`.replace('format=api&', ''),
      )
      t.equal(share, completeness === null ? '–' : `${(completeness * 100).toFixed(1)} %`, href)
      t.strictSame([files], [`${delivered} of ${possible}`], href)
    }
    const [recent] = tilesOf(body)
    const { results } = await get<{
      results: { completeness_28d: number | null; period: string }[]
    }>(`series/?station=${code}&period=01D`)
    const of28 = results[0]?.completeness_28d ?? null
    const isEnded = line.startsWith('ended')
    if (results.length === 1)
      t.equal(recent?.share, of28 === null || isEnded ? '–' : `${(of28 * 100).toFixed(1)} %`, code)
  }
})

interface Figures {
  readonly completeness: number | null
  readonly delivered: number
  readonly possible: number
}

t.test('the days of the picture, at most those of a month, lead to their files', async (t) => {
  const { page, get } = await openStations(t, stations)
  const body = await page('DEAD00AUT/')
  t.strictSame(
    daysOf(body).map(({ days, state }) => `${days}: ${state}`),
    [
      '12 to 31 Dec 2025: present',
      '1 to 11 Jan 2026: present',
      '22 to 31 Jan 2026: present',
      '1 to 20 Feb 2026: present',
      '12 to 21 Jan 2026: missing',
      '21 to 22 Feb 2026: missing',
      '23 to 28 Feb 2026: late',
      '1 Mar 2026 (060): due',
    ],
  )
  for (const code of ['DEAD00AUT', 'FLKY00FRA', 'NEWS00CHE', 'ENDD00POL', 'GRAZ00AUT', 'WTZR']) {
    const runs = daysOf(await page(`${code}/`))
    t.ok(runs.length > 0, code)
    for (const { days, state, href } of runs) {
      const path = href.replace('../../', '').replace('format=api', 'format=json&limit=100')
      const { results } = await get<{ results: { filename: string; data_date: string }[] }>(path)
      const own = results.filter(({ filename }) => isDaily(filename))
      t.equal(own.length > 0, state === 'present', `${code} ${href} ${state}`)
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

t.test('gaps are written as ranges, the latest first', async (t) => {
  const { page } = await openStations(t, stations)
  t.strictSame(gapsOf(await page('DEAD00AUT/')), [
    'DEAD00AUT, daily observation files, 12 Dec 2025 to 2 Mar 2026:',
    '61 of 79 delivered (77.2 %)',
    '21 to 28 Feb 2026: 8 days, 2 missing; 6 late',
    '12 to 21 Jan 2026: 10 days missing',
  ])
  const flaky = gapsOf(await page('FLKY00FRA/'))
  t.match(flaky[2], /^(27 Feb|28 Feb|1 Mar) 2026 \(\d{3}\): 1 day (late|missing)$/)
  t.match(flaky.at(-1), /^and 1\d earlier gaps$/)
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
  t.match(body, 'of all since 1 Jan 2026 (001) 60 of 60')
  t.match(body, 'Codes GRAZ, GRAZ00AUT')
  t.match(body, 'Files 60 By area')
  t.notMatch((await page('WTZR00DEU/')).text, 'WTZR, WTZR00DEU')
})

t.test('each page of a station has the same head and tabs', async (t) => {
  const { page } = await openStations(t, stations)
  const tabs = ['', 'availability/', 'latency/']
  for (const [index, path] of tabs.entries()) {
    const body = await page(`DEAD00AUT/${path}`)
    t.equal(body.one('h1').text, 'DEAD00AUT, Austria')
    t.match(body.text, lines['DEAD00AUT'] ?? '')
    const nav = body.one('nav', { class: 'tabs' })
    t.equal(nav.text, 'Overview Availability Latency Missing Files Alerts')
    const current = nav.one('*', { 'aria-current': 'page' }).text
    t.equal(current, ['Overview', 'Availability', 'Latency'][index])
  }
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
  t.match(onlyNavigation, 'ONSA00SWE, Sweden')
  t.match(onlyNavigation, /daily navigation files/)
  t.match((await page('BRDC00IGS/')).text, 'BRDC00IGS, merged navigation')
  t.match((await page('MATE00ITA/')).text, 'MATE00ITA, Italy')
  // All files were found by a scan.
  const dayOne = (await page('KIRU00SWE/')).text
  t.match(dayOne, /not known/)
  t.notOk((await page('KIRU00SWE/')).has('time', { class: 'ago' }), 'nobody knows when it arrived')
  t.notMatch(dayOne, 'Arrival of hourly')
  t.match(dayOne, /Hours of the last four weeks 100\.0 % complete: 29|30 of/)
})

t.test('the last files say how long after their period they came', async (t) => {
  const { page } = await openStations(t, [['GRAZ00AUT', '01H', hoursBack(30, 1)]], {
    arrived: true,
  })
  const body = await page('GRAZ00AUT/')
  const rows = body.table('Last files').lines.map(({ text }) => text)
  t.ok(body.has('time', { class: 'ago' }))
  t.equal(rows.length, 24)
  t.match(
    rows[0],
    /^GRAZ00AUT_R_20260610700_01H_30S_MO\.crx\.gz 2 Mar 2026 \(061\) 07:00 .* 20 min$/,
  )
  t.match(rows[1], /_20260610600_.* 80 min$/)
})

t.test('before the first scan has ended, nothing is said of states', async (t) => {
  const service = await openService(t, { nowUs: startUs })
  await service.addNames('obs/2026/001', ['GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz'])
  const body = await service.page('station/GRAZ/')
  t.match(body.text, 'unknown: the first scan of the archive has not ended')
  t.strictSame(daysOf(body), [])
})

t.test('while the catalogue is not current, the states are those of then', async (t) => {
  const { page, passTo } = await openStations(t, stations)
  passTo(now + 30 * daySeconds)
  const body = (await page('DEAD00AUT/')).text
  t.match(body, /not current|States are those of/)
  t.match(body, 'down for 7 days, nothing since 21 Feb (052)')
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
  ])
  const linkOf = async (code: string) => {
    const page = await service.page(`station/${code}/`)
    return page.one('a', { href: /^https:\/\/logs/ }).attribute('href')
  }
  t.equal(await linkOf('graz'), 'https://logs.example/GRAZ00AUT?a=<b>&c=GRAZ00AUT')
  t.equal(await linkOf('HKBL'), 'https://logs.example/HKBL?a=<b>&c=HKBL')
})
