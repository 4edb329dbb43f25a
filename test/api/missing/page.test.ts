/** The page of missing files beside a naive count of what is in the tree. */
import { change, newFile } from '../../catalogue/change.ts'
import { nameOf } from '../../rinex-names.ts'
import t from '../../tap.ts'
import { daySeconds, firstDay, openNetwork } from '../series/network.ts'

const directory = 'obs/2026/001'
const stations = ['BERG00NOR', 'BODO00NOR', 'OSLO00NOR', 'GRAZ00AUT', 'WTZR00DEU']
const types = { o: '30S_MO.crx', n: 'MN.rnx' } as const
const periods = { '01H': 3600, '01D': daySeconds } as const
/** Number of days with files; it is 01:30 on the day after them. */
const days = 30
const [begin, end] = [firstDay * daySeconds, (firstDay + days) * daySeconds]
const at = (day: number, hour = 0): number => begin + day * daySeconds + hour * 3600

interface Slot {
  readonly station: string
  readonly type: keyof typeof types
  readonly period: keyof typeof periods
  readonly start: number
}

function* allSlots(): Generator<Slot> {
  for (const station of stations)
    for (const type of ['o', 'n'] as const)
      for (const period of ['01H', '01D'] as const)
        for (let start = begin; start < end; start += periods[period])
          yield { station, type, period, start }
}

const fileOf = ({ station, type, period, start }: Slot): string =>
  nameOf(station, start, { period, rest: type === 'o' ? `30S_MO.crx` : types.n })

const isIn = ({ start }: Slot, from: number, to: number): boolean => start >= from && start < to

/** What never came: Norway for ten hours, GRAZ for two days with its days, and an hour of WTZR. */
function isLost(slot: Slot): boolean {
  const { station, type, period } = slot
  if (station.endsWith('NOR')) return period === '01H' && isIn(slot, at(27, 8), at(27, 18))
  if (station === 'GRAZ00AUT') return isIn(slot, at(20), at(22))
  return period === '01H' && type === 'o' && isIn(slot, at(25, 3), at(25, 4))
}

/** A file that is there, and damaged. */
const isDamaged = ({ station, type, period, start }: Slot): boolean =>
  station === 'WTZR00DEU' && period === '01D' && type === 'o' && start === at(28)

t.test('missing files are those that a naive count of the tree finds', async (t) => {
  const service = await openNetwork(t, { startUs: begin * 1e6 })
  const { writer, reader, setNow, page, text } = service
  await setNow(end + 5400)
  const there = [...allSlots()].filter((slot) => !isLost(slot))
  const files = there.map((slot) => ({
    ...newFile(fileOf(slot), { size: 290_000, mtimeUs: 1 }),
    ...(isDamaged(slot) && { size: 131_000, incomplete: true }),
  }))
  await writer.apply([change(directory, { added: files })])
  // The hourly files of the first days are purged: they were delivered, and are not missing.
  const purged = there.filter(({ period, start }) => period === '01H' && start < at(10))
  const ids = await Promise.all(
    purged.map(async (slot) => (await reader.file({ directory, name: fileOf(slot) }))?.id ?? NaN),
  )
  await service.removeIds(directory, ids)

  const counted = [...allSlots()].filter((slot) => isLost(slot) || isDamaged(slot))
  const html = await page('missing/')
  const count = `${counted.length} files of ${new Set(counted.map(({ station }) => station)).size} stations`
  t.match(html.one('h1').text, count)
  t.match(html.one('h1').text, /, 1 damaged$/)
  const { rows } = html.table('Missing files')
  t.strictSame(
    rows.map((row) => row.slice(0, 5).join(' | ')),
    [
      'damaged WTZR00DEU | day, observation | 29 Dec | 1 | damaged: 131 kB, neighbours 290 kB',
      'late BERG00NOR, BODO00NOR, OSLO00NOR | hours, observation and navigation | 28 Dec 08–18 h | 60 | late, due since 28 Dec 10:00',
      'missing WTZR00DEU | hour, observation | 26 Dec 03–04 h | 1 | ',
      'missing GRAZ00AUT | days and hours, observation and navigation | 21 to 22 Dec | 100 | ',
    ],
  )
  t.equal(
    rows.reduce((sum, row) => sum + Number(row[3]), 0),
    counted.length,
    'no file is in two outages',
  )
  const stationsBy = async (ordering: string) => {
    const table = (await page(`missing/?ordering=${ordering}`)).table('Missing files')
    return table.rows.map(([station = '']) => station.split(' ')[1]?.slice(0, 4))
  }
  t.strictSame(await stationsBy('station'), ['BERG', 'GRAZ', 'WTZR', 'WTZR'])
  t.strictSame(await stationsBy('-station'), ['WTZR', 'WTZR', 'GRAZ', 'BERG'])
  t.strictSame(await stationsBy('start'), ['GRAZ', 'WTZR', 'BERG', 'WTZR'])
  t.equal(html.hrefOf('Station'), '?format=api&limit=100&ordering=station')
  const csv = (await text('missing/?format=csv')).trim().split('\r\n').slice(1)
  t.strictSame(
    csv.map((line) => line.split(',').slice(0, 4).join(' ')).toSorted(),
    counted
      .map(({ station, type, period, start }) =>
        [station, type, period, new Date(start * 1000).toISOString().replace('.000', '')].join(' '),
      )
      .toSorted(),
  )
})
