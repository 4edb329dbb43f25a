/** The equipment of a station as JSON, as CSV and as a page. */
import type { Test } from 'tap'
import type { Equipment, Position } from '../../../src/rinex/facts.ts'
import { checksumOf } from '../../catalogue/catalogue.ts'
import { change, newFile } from '../../catalogue/change.ts'
import { allFacts } from '../../catalogue/some-facts.ts'
import t from '../../tap.ts'
import { openService, startUs } from '../service.ts'

const { marker, receiver, antenna, position } = allFacts
const first: Equipment = { marker, receiver, antenna, position }
const updated: Equipment = { ...first, receiver: { ...receiver, version: '5.5.0' } }
const moved: Equipment = { ...updated, position: { ...position, x: position.x + 3200 } }
const strange: Equipment = {
  receiver: { type: '<b>"\u202e&' + 'W'.repeat(56) },
}

/** Metres: how many digits degrees have is tested where they are stored. */
const placeOf = (place: Position | null | undefined) => place && [place.x, place.y, place.z]

/** A service with a daily file of each of these, of a day after the other. */
async function open(t: Test, days: readonly (Equipment | undefined)[]) {
  const service = await openService(t, { nowUs: startUs })
  for (const [index, equipment] of days.entries()) {
    const day = String(index + 1).padStart(3, '0')
    const added = [newFile(`GRAZ00AUT_R_2026${day}0000_01D_30S_MO.crx.gz`)]
    await service.writer.apply([change(`obs/2026/${day}`, { added })])
    const facts = equipment && { ...equipment, flags: [] }
    if (facts) await service.writer.keepChecksums([checksumOf(index + 1, { facts })], index + 1)
  }
  const get = (query: string) => service.app.inject(`/rinex/api/station/graz/equipment/${query}`)
  return { ...service, get }
}

const days = [first, first, first, updated, undefined, updated, strange, updated, moved, moved]

t.test('stretches with what changed, and those that are odd', async (t) => {
  const { get } = await open(t, days)
  const { station, ambiguous, stretches } = (await get('?format=json')).json<{
    station: string
    ambiguous: readonly string[]
    stretches: readonly (Readonly<Record<string, unknown>> & { position?: Position | null })[]
  }>()
  t.strictSame([station, ambiguous], ['GRAZ', []])
  const placed = stretches.map((each) => ({ ...each, position: placeOf(each.position) }))
  t.strictSame(placed, [
    {
      from: '2026-01-01',
      to: '2026-01-03',
      files: 3,
      receiver,
      antenna,
      position: placeOf(position),
      marker,
      changed: [],
      moved_m: null,
      odd: false,
    },
    {
      from: '2026-01-04',
      to: '2026-01-08',
      files: 3,
      receiver: updated.receiver,
      antenna,
      position: placeOf(position),
      marker,
      changed: ['receiver'],
      moved_m: null,
      odd: false,
    },
    {
      from: '2026-01-07',
      to: '2026-01-07',
      files: 1,
      receiver: strange.receiver,
      antenna: null,
      position: null,
      marker: null,
      changed: ['receiver', 'antenna', 'marker', 'position'],
      moved_m: null,
      odd: true,
    },
    {
      from: '2026-01-09',
      to: '2026-01-10',
      files: 2,
      receiver: updated.receiver,
      antenna,
      position: placeOf(moved.position),
      marker,
      changed: ['position'],
      moved_m: 3200,
      odd: false,
    },
  ])
  const lines = (await get('?format=csv')).body.split('\r\n')
  t.equal(
    lines[0],
    'from,to,files,odd,receiver,receiver_serial,firmware,antenna,radome,antenna_serial,antenna_h,antenna_e,antenna_n,marker,marker_number,latitude,longitude,height,changed,moved_m',
  )
  t.match(
    lines[4],
    /^2026-01-09,2026-01-10,2,false,SEPT POLARX5,3013312,5\.5\.0,LEIAR25\.R4,LEIT,10151004,1\.964,0,0,GRAZ,11001M002,47\.\d+,15\.\d+,[\d.]+,position,3200$/,
  )
  t.equal(lines.length, 6)
})

t.test('the page has the newest first, and says what changed', async (t) => {
  const { page } = await open(t, days)
  const html = await page('station/GRAZ/equipment/')
  t.equal(html.title.startsWith('Equipment of GRAZ00AUT'), true)
  t.match(
    html.text,
    '2 changes in 9 days with files. 1 stretch is odd: the headers before and after say something else.',
  )
  const { records } = html.table('Equipment, the newest first')
  t.strictSame(
    records.map((record) => [record['Days'], record['Files'], record['What changed']]),
    [
      ['9 to 10 Jan 2026', '2', 'moved 3.2 km'],
      [
        '7 Jan 2026 (007)',
        '1',
        `odd: receiver ${strange.receiver?.type} (was SEPT POLARX5); antenna not said (was LEIAR25.R4); marker not said (was GRAZ, 11001M002); no position any more`,
      ],
      ['4 to 8 Jan 2026', '3', 'firmware 5.5.0 (was 5.4.0)'],
      ['1 to 3 Jan 2026', '3', 'the first files'],
    ],
  )
  t.match(records[3], {
    'Receiver and antenna':
      'SEPT POLARX5 5.4.0, serial 3013312 LEIAR25.R4 LEIT, serial 10151004, 1.9640 m up',
    'Marker and position': /^GRAZ, 11001M002 47\.067\d, 15\.493\d, 5\d\d m$/,
  })
  const { pathname, searchParams } = new URL(html.hrefOf('4 to 8 Jan 2026'), 'http://h/a/b/c/')
  t.equal(pathname, '/rinex-file/')
  t.equal(searchParams.get('when'), '2026-01-04/2026-01-08')
  t.equal(html.hrefOf('Equipment'), '../../../station/GRAZ00AUT/equipment/?format=api')
})

t.test('the page of the station has its equipment and the last changes', async (t) => {
  const { page, setNow } = await open(t, days)
  await setNow(startUs / 1e6)
  const html = await page('station/graz/')
  // An odd stretch is no change. Each line is before its day, of 366.
  const lines = html
    .all('svg', { 'aria-label': 'Days by year of GRAZ00AUT' })
    .flatMap((picture) => picture.all('a', { href: 'equipment/?format=api' }))
    .map((line) => [line.text, line.one('rect', { class: 'change' }).attribute('x')])
  t.strictSame(lines, [
    ['4 Jan 2026 (004): firmware 5.5.0 (was 5.4.0)', '0.82%'],
    ['9 Jan 2026 (009): moved 3.2 km', '2.19%'],
  ])
  t.match(html.text, 'equipment changed')
  t.match(html.text, 'SEPT POLARX5 5.5.0, serial 3013312 · LEIAR25.R4 LEIT, serial 10151004')
  t.strictSame(html.region('Changes of equipment').texts('li'), [
    '9 Jan (009): moved 3.2 km',
    '4 Jan (004): firmware 5.5.0 (was 5.4.0)',
  ])
  const { page: other, setNow: setOther } = await open(t, [undefined, undefined])
  await setOther(startUs / 1e6)
  const without = await other('station/graz/')
  t.ok(without.has('svg', { 'aria-label': 'Days by year of GRAZ00AUT' }))
  t.notOk(without.headings.some((each) => each.startsWith('Equipment')))
  t.notMatch(without.text, 'equipment changed')
})

t.test('without a header that was read there is nothing to say', async (t) => {
  const { get, page } = await open(t, [undefined])
  t.strictSame((await get('?format=json')).json(), {
    station: 'GRAZ',
    ambiguous: [],
    stretches: [],
  })
  const html = await page('station/graz/equipment/')
  t.match(html.text, 'No header of its observation files has been read.')
  t.notOk(html.has('table'))
  const csv = await get('?format=csv')
  t.equal(csv.body.split('\r\n').length, 2)
})

t.test('an unknown station gets similar ones, facts another ETag', async (t) => {
  const { app, get, writer, reader } = await open(t, [first, undefined])
  const unknown = await app.inject('/rinex/api/station/GRAX/equipment/')
  t.equal(unknown.statusCode, 404)
  t.strictSame(unknown.json<{ did_you_mean: unknown }>().did_you_mean, ['GRAZ00AUT'])
  for (const format of ['json', 'csv']) {
    const { etag } = (await get(`?format=${format}`)).headers
    const again = () =>
      app.inject({
        url: `/rinex/api/station/graz/equipment/?format=${format}`,
        headers: { 'if-none-match': etag },
      })
    t.equal((await again()).statusCode, 304)
    const { seq } = await reader.head()
    await writer.keepChecksums([checksumOf(2, { facts: { ...first, flags: [] } })], seq)
    t.equal((await again()).statusCode, 200)
  }
})
