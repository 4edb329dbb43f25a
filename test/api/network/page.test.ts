/** The page of the network: the extremes. */
import { gzipSync } from 'node:zlib'
import t from '../../tap.ts'
import type { Period } from '../series/network.ts'
import { daySeconds, firstDay, openNetwork } from '../series/network.ts'

t.test('an empty archive, and one that was never scanned', async (t) => {
  const service = await openNetwork(t, { startUs: firstDay * daySeconds * 1e6 })
  const page = await service.page('network/')
  t.match(page.text, 'No station is expected to deliver now. 0 stations at')
  t.notOk(page.has('svg'))
  t.notOk(page.has('p', { class: 'banner' }))
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

t.test('one station, on the first day: no file was seen arriving', async (t) => {
  const service = await openStations(t, ['GRAZ00AUT'], () => false)
  const page = await service.page('network/')
  const words = page.text
  t.match(
    words,
    'All well: newest data of 11:00, 1 of 1 station that is due has sent the hour 10–11.',
  )
  t.match(words, '1 present')
  t.match(words, '1 station has delivered all of these hours Austria: GRAZ00AUT')
})

t.test('losses are the newest first, and single files are together', async (t) => {
  const stations = ['OSLO', 'TRDS', 'BODO', 'VARD'].map((site) => `${site}00NOR`)
  const others = ['GRAZ00AUT', 'LINZ00AUT', 'MATE00ITA', 'PADO00ITA', 'ROMA00ITA', 'BARI00ITA']
  const end = firstDay * 24 + 5 * 24 + 12
  /** Hours without files up to now: five in Norway, two in Austria, of which one is due. */
  const lost = [5, 5, 5, 5, 2, 2, 48, 0, 0, 0]
  const isLost = (slot: number, station: number) => slot >= end - (lost[station] ?? 0)
  const service = await openStations(t, [...stations, ...others], isLost)
  const page = await service.page('network/')
  t.ok(page.has('svg'))
  const list = page.one('ul', { class: 'losses' })
  t.strictSame(
    list
      .all('summary')
      .flatMap((each) => each.all('span', { class: 'state' }))
      .map((each) => [each.attribute('class')?.split(' ')[1], each.text]),
    [
      ['late', 'Norway: 4 of 4 stations, nothing since 07:00, late for 3 h'],
      ['down', 'MATE00ITA: nothing since 4 Dec 2025 12:00, down for 46 h'],
      ['late', '2 single files'],
    ],
  )
  t.ok(list.has('a', { href: '../missing/?country=NOR&format=api' }))
  t.ok(list.has('a', { href: '../missing/?format=api&station=MATE00ITA' }))
  t.match(list.text, 'OSLO00NOR observation files (hour): nothing since 6 Dec 2025 07:00 UTC, late')
  t.match(list.text, 'GRAZ00AUT_?_202534010??_01H_*O.* expected by 6 Dec 2025 12:00')
  const json = await service.text('network/')
  const { results } = JSON.parse(await service.text('alerts/')) as { results: [] }
  t.strictSame((JSON.parse(json) as { losses: [] }).losses, results)
  const order = page.texts('h3').map((text) => text.split(' ')[0])
  t.strictSame(order.slice(0, 3), ['Italy', 'Norway', 'Austria'], 'the worst country first')
})

t.test('the indexer is stopped: the banner and the verdict say since when', async (t) => {
  const service = await openStations(t, ['GRAZ00AUT'], () => false)
  service.setIndexer(undefined)
  service.passTo((firstDay + 6) * daySeconds)
  const page = await service.page('network/')
  const sentence =
    'The indexer is stopped since 6 Dec 2025 12:00 UTC. States are those of that time.'
  t.match(page.text, `${sentence} At that time: newest data of 11:00`)
  const paths = ['missing/', 'report/', 'series/', 'alerts/', 'station/', 'station/GRAZ/']
  for (const path of ['network/', ...paths])
    t.strictSame((await service.page(path)).texts('p', { class: 'banner' }), [sentence], path)
})

t.test('the page of 400 stations is light, also if none is complete', async (t) => {
  const countries =
    'AUT BEL CHE CZE DEU DNK ESP EST FIN FRA GBR GRC HRV HUN ITA NLD NOR POL PRT SWE'
  const stations = Array.from({ length: 400 }, (_, index) => {
    const site = `${'ABCDEFGHIJ'[index % 10] ?? ''}${String(Math.floor(index / 10)).padStart(3, '0')}`
    return `${site}00${countries.split(' ')[index % 20] ?? ''}`
  })
  // Each station has lost two hours of the last day, at another time.
  const isLost = (slot: number, station: number) => (slot - station) % 11 === 0
  const service = await openStations(t, stations, isLost)
  const page = await service.page('network/')
  const titles = page.texts('title').filter((text) => /^2\d delivered, \d late/.test(text))
  t.equal(titles.length, 100)
  const { body } = await service.app.inject({
    url: '/rinex/api/network/',
    headers: { accept: 'text/html' },
  })
  t.match(page.text, '300 more are not complete')
  t.ok(body.length <= 300_000, `${body.length} bytes`)
  t.ok(gzipSync(body).length <= 60_000, `${gzipSync(body).length} bytes compressed`)
})
