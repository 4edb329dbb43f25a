/** Series that stopped long ago: what is read of them, and when again. */
import type { LiveSlotsQuery } from '../../../src/catalogue/questions/series-slots.ts'
import type { Asker } from '../../../src/catalogue/turns.ts'
import t from '../../tap.ts'
import { daySeconds, firstDay, openNetwork } from './network.ts'

const stations = Array.from({ length: 30 }, (_, index) => `A${String(index).padStart(3, '0')}00AUT`)
const [changed = '', removed = ''] = [stations[7], stations[9]]

t.test('a change of old files reads those of their stations again, not all', async (t) => {
  const service = await openNetwork(t, { startUs: firstDay * daySeconds * 1e6 })
  const { reader } = service
  const old = firstDay - 3000
  for (const station of stations)
    await service.scan([0, 1, 2].map((day) => [old + day, station, '01D'] as const))
  await service.scan([[firstDay - 1, 'GRAZ00AUT', '01D']])
  await service.setNow(firstDay * daySeconds + 60)
  const states = async () => {
    const { results } = JSON.parse(await service.text('series/?limit=100')) as {
      results: { station: string; state: string; last_slot: string }[]
    }
    return new Map(results.map((row) => [row.station, row]))
  }
  t.match((await states()).get(changed), { state: 'ended' })
  const asked: string[] = []
  const read = reader.liveSlots.bind(reader)
  const noted = (query: LiveSlotsQuery, asker?: Asker) => {
    asked.push(...query.series.map(({ station }) => station))
    return read(query, asker)
  }
  Object.assign(reader, { liveSlots: noted })
  await service.scan([[old + 40, changed, '01D']])
  await service.remove(old + 1, removed, '01D')
  await service.setNow(firstDay * daySeconds + 120)
  const found = await states()
  t.strictSame(asked.sort(), [changed, removed])
  const last = new Date((old + 40) * daySeconds * 1000).toISOString().replace('.000', '')
  t.match(found.get(changed), { state: 'ended', last_slot: last })
  t.match(found.get(removed), { state: 'silent' }, 'two files make no day steady')
  asked.length = 0
  await service.scan([[firstDay, 'GRAZ00AUT', '01D']])
  await service.setNow(firstDay * daySeconds + 180)
  await states()
  t.strictSame(asked, [], 'a new file reads none again')
})
