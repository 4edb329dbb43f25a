/** The page Now: its losses and its matrix, against what was written; the extremes. */
import { gzipSync } from 'node:zlib'
import { matrix } from '../../../src/api/network/matrix.ts'
import { countryRows } from '../../../src/api/network/matrix-cells.ts'
import type { KnownSeries } from '../../../src/api/series/known-series.ts'
import type { SlotState } from '../../../src/series/slot-states.ts'
import t from '../../tap.ts'
import type { Html } from '../html.ts'
import type { Period } from '../series/network.ts'
import { daySeconds, firstDay, openNetwork } from '../series/network.ts'
import { openService } from '../service.ts'

t.test('an empty archive has no matrix and no losses', async (t) => {
  const service = await openNetwork(t, { startUs: firstDay * daySeconds * 1e6 })
  const page = await service.page('network/')
  t.equal(page.one('h1').text, 'The archive has no files yet')
  t.match(page.text, `(hourly files, in nrt/2026/022/05/) of ${service.archive}.`)
  t.notOk(page.has('svg'))
  t.notOk(page.has('ul', { class: 'losses' }))
  t.notOk(page.has('p', { class: 'fault' }))
})

/** Five days of hourly files of some stations, that a scan found at noon. */
async function openStations(
  t: Parameters<typeof openNetwork>[0],
  stations: readonly string[],
  isLost: (slot: number, station: number) => boolean,
) {
  const service = await openNetwork(t, { startUs: (firstDay + 5.5) * daySeconds * 1e6 })
  const slots = Array.from({ length: 5 * 24 + 12 }, (_, hour) => firstDay * 24 + hour)
  const period: Period = '01H'
  for (const [index, station] of stations.entries())
    await service.scan(
      slots.filter((slot) => !isLost(slot, index)).map((slot) => [slot, station, period] as const),
    )
  return service
}

/** The names in the matrix, and what stands beside them. */
const namesOf = (page: Html): readonly string[] =>
  page
    .one('section', { class: 'matrix' })
    .all('*', { class: 'cells' })
    .map((row) => row.texts('span')[0] ?? '')
    .filter((text) => text !== '')

t.test('one station, on the first day: no file was seen arriving', async (t) => {
  const service = await openStations(t, ['GRAZ00AUT'], () => false)
  const page = await service.page('network/')
  t.equal(page.one('h1').text, 'The only station delivers')
  t.equal(
    page.one('p', { class: 'lead' }).text,
    '1 of 1 station that is due has sent the hour 10–11 UTC. The newest data are of 11:00.',
  )
  t.strictSame(namesOf(page), ['Austria GRAZ', 'GRAZ00AUT complete'])
  t.notOk(page.has('ul', { class: 'losses' }))
  t.match(page.text, '132 files, 1.3 kB, of 1 station in 1 country, from 2025 to now.')
  t.match(
    page.text,
    "curl 'https://archive.example/rinex/api/rinex-file/?station=GRAZ&date=2025-12-06'",
  )
})

t.test('losses are the newest first, and countries the worst first', async (t) => {
  const stations = ['OSLO', 'TRDS', 'BODO', 'VARD'].map((site) => `${site}00NOR`)
  const others = ['GRAZ00AUT', 'LINZ00AUT', 'MATE00ITA', 'PADO00ITA', 'ROMA00ITA', 'BARI00ITA']
  const end = firstDay * 24 + 5 * 24 + 12
  /** Hours without files up to now: five in Norway, two in Austria, of which one is due. */
  const lost = [5, 5, 5, 5, 2, 2, 48, 0, 0, 0]
  const isLost = (slot: number, station: number) => slot >= end - (lost[station] ?? 0)
  const service = await openStations(t, [...stations, ...others], isLost)
  const page = await service.page('network/')
  const heading = '7 of 10 stations do not deliver, 4 of them in Norway since 09:00'
  t.equal(page.one('h1').text, heading)
  t.match(page.title, heading)
  const list = page.one('ul', { class: 'losses' })
  t.strictSame(
    list
      .all('summary')
      .map((each) => [
        each.one('path').attribute('class'),
        each.one('b').text,
        ...each.texts('span').slice(0, -1),
      ]),
    [
      ['late', 'GRAZ00AUT', 'no hour since 09–10 no alert yet', 'no alert yet'],
      ['late', 'LINZ00AUT', 'no hour since 09–10 no alert yet', 'no alert yet'],
      ['late', 'Norway, 4 of 4 stations', 'no hour since 06–07'],
      ['missing', 'MATE00ITA', 'no hour since 11–12 on 4 Dec'],
    ],
  )
  t.ok(list.has('a', { href: '../missing/?country=NOR&format=api' }))
  t.ok(list.has('a', { href: '../missing/?format=api&station=MATE00ITA' }))
  t.match(list.text, 'observation, hour: nothing since 10:00 UTC')
  t.match(list.text, 'BODO00NOR OSLO00NOR TRDS00NOR VARD00NOR · Missing files')
  const { losses } = JSON.parse(await service.text('network/')) as { losses: [] }
  const { results } = JSON.parse(await service.text('alerts/')) as { results: [] }
  t.strictSame(losses, results)
  t.strictSame(namesOf(page), [
    ...['Norway 0/4', 'BODO00NOR', 'OSLO00NOR', 'TRDS00NOR', 'VARD00NOR'],
    ...['Austria 0/2', 'GRAZ00AUT', 'LINZ00AUT'],
    ...['Italy 3/4', 'BARI00ITA complete', 'PADO00ITA complete', 'ROMA00ITA complete'],
    'MATE00ITA',
  ])
  const alerts = await service.page('alerts/')
  const lines = list.texts('summary')
  t.strictSame(alerts.one('ul', { class: 'losses' }).texts('summary'), lines, 'the same rows')
})

t.test('a country all of whose stations are down shows none of them', async (t) => {
  const end = firstDay * 24 + 5 * 24 + 12
  const stations = ['OSLO00NOR', 'TRDS00NOR', 'GRAZ00AUT']
  const service = await openStations(t, stations, (slot, at) => at < 2 && slot >= end - 40)
  const matrix = (await service.page('network/')).one('section', { class: 'matrix' })
  t.equal(matrix.one('details', { id: 'country-NOR' }).all('div', { class: 'cells' }).length, 2)
  t.equal(matrix.all('div', { class: 'cells' }).length, 1 + 3, 'the axis, and all are folded')
})

t.test('the indexer is stopped: the banner says since when, once', async (t) => {
  const service = await openStations(t, ['GRAZ00AUT', 'LINZ00AUT'], () => false)
  const cells = async () => {
    const matrix = (await service.page('network/')).one('section', { class: 'matrix' })
    return [matrix.text, ...matrix.all('path').map((path) => path.attribute('d'))]
  }
  service.setIndexer(undefined)
  service.passTo((firstDay + 6) * daySeconds)
  const page = await service.page('network/')
  const sentence =
    'The indexer is stopped since 6 Dec 2025 12:00 UTC. States are those of that time.'
  t.equal(page.text.split('The indexer is stopped').length, 2)
  t.equal(page.one('h1').text, 'All 2 stations delivered')
  t.match(page.text, '2 of 2 stations that were due had sent the hour 10–11 UTC.')
  const before = await cells()
  service.passTo((firstDay + 9) * daySeconds)
  t.strictSame(await cells(), before, 'the matrix stands still')
  const paths = ['missing/', 'report/', 'series/', 'alerts/', 'station/', 'station/GRAZ/']
  for (const path of ['network/', ...paths])
    t.strictSame((await service.page(path)).texts('p', { class: 'fault' }), [sentence], path)
})

/** What the links of a part of the matrix say, and the query of each. */
const linksTo = (part: Html): readonly (readonly [words: string, href: string])[] =>
  part
    .all('a', { href: /^\.\.\/missing\// })
    .map((link) => [link.text, link.attribute('href')?.replaceAll('&amp;', '&') ?? ''] as const)

t.test('cells lead to what their files of these hours are, also in words', async (t) => {
  const end = firstDay * 24 + 5 * 24 + 12
  const stations = Array.from({ length: 6 }, (_, index) => `G${index}AZ00AUT`)
  const isLost = (slot: number, station: number) =>
    slot > end - 23 && ((slot * 7 + station * 5) % 11 < 2 || (slot + station) % 13 === 0)
  const service = await openStations(t, stations, isLost)
  const page = await service.page('network/')
  const rows = page.one('section', { class: 'matrix' }).all('div', { class: 'cells' }).slice(1)
  const words = page.one('details', { id: 'country-AUT' }).all('p')
  t.equal(words.length, 1 + stations.length, 'of the country, and of its stations')
  for (const [index, station] of stations.entries()) {
    const expected: string[] = []
    for (let slot = end - 24; slot < end - 1; slot++) {
      const first = slot
      while (slot < end - 1 && isLost(slot, index)) slot++
      const [from, to] = [first % 24, ((slot - 1) % 24) + 1].map((hour) =>
        String(hour).padStart(2, '0'),
      )
      if (slot > first) expected.push(`${from}–${to} h UTC: late`)
    }
    const [row, said] = [rows, words].map((all) =>
      all.find((each) => each.text.startsWith(station)),
    ) as [Html, Html]
    const links = linksTo(row)
    t.strictSame(linksTo(said), links, 'in words the same as in the picture')
    t.strictSame(
      links.map(([text]) => text).filter((text) => text.includes(' h UTC')),
      expected,
      station,
    )
  }
  const [country] = words
  for (const [text, href] of country ? linksTo(country) : []) {
    const { results } = JSON.parse(
      await service.text(href.replace('../', '').replace('&format=api', '&limit=1000')),
    ) as { readonly results: readonly { readonly start: string; readonly station: string }[] }
    const [, hour = '', count = ''] = /^(?:5 to 6 Dec|(\d\d)–.*): (\d) of 6/.exec(text) ?? []
    const missing = results.filter(({ start }) => start.slice(11, 13).startsWith(hour))
    t.equal(new Set(missing.map(({ station }) => station)).size, Number(count), `${text} ${href}`)
  }
})

t.test('a country of one station has its row: a late file is no dark country', async (t) => {
  const end = firstDay * 24 + 5 * 24 + 12
  const service = await openStations(t, ['GRAZ00AUT', 'OSLO00NOR', 'TRDS00NOR'], (slot, station) =>
    station === 0 ? slot >= end - 3 : station === 1 && slot >= end - 3,
  )
  const matrix = (await service.page('network/')).one('section', { class: 'matrix' })
  const [austria, norway] = matrix.all('div', { class: 'country' }) as [Html, Html]
  t.equal(austria.one('span').text, 'Austria GRAZ')
  const marks = austria.all('path').map((path) => path.attribute('class'))
  t.strictSame(marks, ['present', 'part', 'present', 'late', 'due'])
  t.ok(norway.has('path', { class: 'late' }), 'a share of two stations, as late as these are')
  t.notOk(norway.has('path', { class: 'missing' }))
  t.strictSame(namesOf(await service.page('network/')), [
    ...['Austria GRAZ', 'Norway 1/2', 'TRDS00NOR complete', 'OSLO00NOR'],
  ])
  const words = austria.one('p')
  t.match(words.text, /^GRAZ00AUT · 6 Dec: a part of its files · 09–11 h UTC: late$/)
  t.ok(words.has('a', { href: /^\.\.\/station\/GRAZ/ }))
})

t.test('a station with files of hours and of days is shown by both', async (t) => {
  const service = await openStations(t, ['GRAZ00AUT'], (slot) => slot < (firstDay + 3) * 24)
  const days = [0, 1, 2, 3].map((day) => [firstDay + day, 'GRAZ00AUT', '01D'] as const)
  await service.scan(days)
  await service.setNow((firstDay + 5.5) * daySeconds + 2)
  const bar = (await service.page('network/')).one('section', { class: 'matrix' })
  const present = bar.all('path', { class: 'present' }).map((path) => path.attribute('d'))
  t.ok(present.includes('M198 2h53v8h-53z'), `six days from 1 December on: ${String(present)}`)
})

t.test('what the archive and its operator are called is text, however long', async (t) => {
  const title = `<x-mark>${'Archive of a very long name '.repeat(3)}`
  const service = await openService(t, { settings: { identity: { title, operator: title } } })
  const page = await service.page('network/')
  t.notOk(page.has('x-mark'))
  t.equal(page.one('a', { class: 'service' }).text, title.trim())
})

/** Codes in 20 countries. */
const manyStations = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => {
    const countries =
      'AUT BEL CHE CZE DEU DNK ESP EST FIN FRA GBR GRC HRV HUN ITA NLD NOR POL PRT SWE'
    const site = `${'ABCDEFGHIJ'[index % 10] ?? ''}${String(Math.floor(index / 10)).padStart(3, '0')}`
    return `${site}00${countries.split(' ')[index % 20] ?? ''}`
  })

t.test('the page of 400 stations is light, also if none is complete', async (t) => {
  // Each station has lost two hours of the last day, at another time.
  const isLost = (slot: number, station: number) => (slot - station) % 11 === 0
  const service = await openStations(t, manyStations(400), isLost)
  const page = await service.page('network/')
  t.equal(namesOf(page).filter((name) => /^\w{9}$/.test(name)).length, 400)
  const { body } = await service.app.inject({
    url: '/rinex/api/network/',
    headers: { accept: 'text/html' },
  })
  const { length } = gzipSync(body)
  t.ok(length <= 45_000, `${length} bytes compressed, without a map`)
})

t.test('the matrix of 2,000 stations is light, if one in five is not complete', (t) => {
  const asOf = (firstDay + 5.5) * daySeconds
  const end = Math.floor(asOf / 3600)
  const stations = manyStations(2000)
  const states = stations.map((station, index) => {
    const lost = end - 2 - (index % 21)
    const run = (state: SlotState, firstSlot: number, slots: number) => ({
      state,
      firstSlot,
      slots,
    })
    const runs = [
      run('present', end - 700, lost - end + 700),
      run(index % 5 === 0 ? 'late' : 'present', lost, 1),
      run('present', lost + 1, end - lost - 1),
    ]
    return { station, fileType: 'o', period: '01H', summary: { runs }, past: {} }
  }) as unknown as readonly KnownSeries[]
  const known = new Map(stations.map((station) => [station, 'present'] as const))
  const text = String(matrix(countryRows({ states, stations: known }, asOf), asOf))
  const { length } = gzipSync(text)
  t.ok(length <= 150_000, `${length} bytes compressed`)
  t.equal(text.split('<div class="cells"><span><a href="../station/').length, 2001)
  t.end()
})
