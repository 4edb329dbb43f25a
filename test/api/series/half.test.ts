/** Slots whose best file holds less than half of its epochs: delivered, and counted beside. */
import type { Test } from 'tap'
import t, { exact } from '../../tap.ts'
import { daySeconds, firstDay, iso, nameOf, openNetwork } from './network.ts'

const station = 'GRAZ00AUT'
const hour = (n: number): number => (firstDay + 1) * 24 + n
const endOf = (n: number): number => (hour(n) + 1) * 3600
const data = 'https://archive.example/rinex/data/obs/2026/001/'

/** A day of hours and two days, of which that of 05 h is still to come. */
async function open(t: Test) {
  const service = await openNetwork(t, { startUs: firstDay * daySeconds * 1e6 })
  for (let n = -24; n < 5; n++) {
    await service.setNow(endOf(n) + 60)
    await service.put(nameOf(hour(n), station, '01H'))
  }
  const json = async <Body>(target: string) => JSON.parse(await service.text(target)) as Body
  const listed = async (query = 'state=half') =>
    (await json<{ results: { period: string; start: string }[] }>(`missing/?${query}`)).results
  const availability = async () => {
    const from = iso(hour(0) * 3600).slice(0, 10)
    return json<object>(`station/${station}/availability/?period=01H&from=${from}`)
  }
  return {
    ...service,
    json,
    availability,
    listed,
    starts: async () => (await listed()).map(({ start }) => start),
  }
}

const name = (n: number, source = 'R'): string => nameOf(hour(n), station, '01H', source)
const startOf = (n: number): string => iso(hour(n) * 3600)

t.test('a half file is delivered and counted beside, until a better copy comes', async (t) => {
  const { put, count, setNow, json, availability, listed, text } = await open(t)
  await count(name(3), 0.45)
  await setNow(endOf(4) + 300)
  const figures = { states: 'P5F19', possible: 5, delivered: 5, completeness: 1, gaps: exact([]) }
  t.match(await availability(), { ...figures, half: 1 })
  const row = {
    station,
    file_type: 'o',
    period: '01H',
    start: startOf(3),
    end: startOf(4),
    state: 'half',
    since: startOf(4),
    name: 'GRAZ00AUT_?_202533603??_01H_*O.*',
    file: `${data}${name(3)}`,
    share: 0.45,
  }
  t.match(await listed(), exact([row]))
  t.match(await listed('state=half&file_type=n'), exact([]))
  t.match(await listed('state=half&when=2025-12-01'), exact([]))
  t.match(await listed(), exact([row]))
  t.match(await listed(''), exact([]), 'nothing is missing')
  t.match(await listed('state=late,missing,damaged'), exact([]))
  t.match(await text('missing/?state=half&format=csv'), /,half,.*,0\.45\r\n$/)
  t.match(await json('series/'), { results: exact([{ state: 'present', half_28d: 1 }]) })
  t.match(await json('network/'), { half_28d: 1, completeness_28d: 1, losses: exact([]) })
  t.match(await json('alerts/'), { count: 0 })
  const week = 'report/?when=2025-12-02'
  t.match(await json(week), {
    stations: exact([{ daily: null, hourly: { half: 1 }, missing: exact([]) }]),
  })
  t.match(await text(`${week}&format=csv`), /hourly_ended,hourly_half,.*\r\n.*,false,1,/)

  await setNow(endOf(4) + 420)
  await put(name(3))
  t.match(await availability(), { ...figures, half: 0 }, 'what the new copy holds is not known')
  await count(name(3), 1)
  await setNow(endOf(4) + 480)
  t.match(await listed(), exact([]))
  t.match(await json('series/'), { results: exact([{ half_28d: 0 }]) })
})

t.test('the best good file of a slot decides, whatever is beside it', async (t) => {
  const { put, count, findBroken, removeName, setNow, starts } = await open(t)
  let minutes = 5
  const later = async () => setNow(endOf(4) + 60 * minutes++)
  await count(name(1), 0.2)
  await put(name(1, 'S'))
  await later()
  t.strictSame(await starts(), [], 'nobody knows what the other file holds')
  await count(name(1, 'S'), 0.3)
  await later()
  t.strictSame(await starts(), [startOf(1)])
  await count(name(1, 'S'), 0.5)
  await later()
  t.strictSame(await starts(), [], 'the other file holds half')
  await findBroken(name(1, 'S'))
  await later()
  t.strictSame(await starts(), [startOf(1)], 'a damaged file is none')
  await removeName(name(1))
  await later()
  t.strictSame(await starts(), [], 'it was delivered, and no good file is there')
})

t.test('the file of another period or type fills another slot', async (t) => {
  const { put, count, setNow, listed } = await open(t)
  const day = nameOf(firstDay, station, '01D')
  await put(day)
  await count(day, 0.4)
  await count(name(-1), 0.4)
  await setNow(endOf(4) + 300)
  t.match(await listed(), exact([{ period: '01H', start: startOf(-1) }, { period: '01D' }]))
  await count(day, 0.9)
  await setNow(endOf(4) + 360)
  t.match(await listed(), exact([{ period: '01H' }]), 'the whole day does not make the hour whole')
})

t.test('half slots of all times are listed, of a station and of the network', async (t) => {
  const { put, count, setNow, listed, availability, json } = await open(t)
  const old = firstDay - 600
  await put(nameOf(old, station, '01D'))
  await count(nameOf(old, station, '01D'), 0.1)
  await count(name(3), 0.45)
  await setNow(endOf(4) + 300)
  const day = iso(old * daySeconds)
  for (const query of ['', `&station=${station}`, '&station=GRAZ,ONSA', '&country=aut'])
    t.match(await listed(`state=half&when=${day.slice(0, 10)}${query}`), exact([{ start: day }]))
  t.match(await listed(`state=half&station=GRAZ&from=2020-01-01`), exact([{}, { start: day }]))
  t.match(await listed(`state=half&when=${day.slice(0, 10)}&station=ONSA`), exact([]))
  t.match(await availability(), { half: 1 })
  const all = await json<object>(`station/${station}/availability/`)
  t.match(all, { half: 1, delivered: 1 })
  t.match(await json('archive/'), { half: 2 })
})

t.test('a short name fills the slot of the long one', async (t) => {
  const { put, count, setNow, starts } = await open(t)
  const short = nameOf(hour(2), 'GRAZ', '01H')
  await count(name(2), 0.4)
  await put(short)
  await setNow(endOf(4) + 300)
  t.strictSame(await starts(), [])
  await count(short, 0.1)
  await setNow(endOf(4) + 360)
  t.strictSame(await starts(), [startOf(2)])
  await count(name(2), 0.9)
  await setNow(endOf(4) + 420)
  t.strictSame(await starts(), [])
})

t.test('a slot that has not ended is not judged', async (t) => {
  const { put, count, setNow, starts, availability } = await open(t)
  await setNow(endOf(5) - 600)
  await put(name(5))
  await count(name(5), 0.4)
  await setNow(endOf(5) - 300)
  t.strictSame(await starts(), [])
  t.match(await availability(), { half: 0, delivered: 5 })
  await setNow(endOf(5))
  t.strictSame(await starts(), [startOf(5)])
  t.match(await availability(), { half: 1, delivered: 6 })
})

t.test('slots are read in parts, each with all files of its slots', async (t) => {
  const { put, count, reader } = await open(t)
  for (const n of [0, 1, 2, 3]) await count(name(n), 0.1 * n)
  await put(name(1, 'S'))
  await count(name(1, 'S'), 0.3)
  await put(name(2, 'S'))
  await count(name(2, 'S'), 0.8)
  const found: number[] = []
  let parts = 0
  for (let after: Awaited<ReturnType<typeof reader.halfSlots>>['next'], isFirst = true; ;) {
    const part = await reader.halfSlots({ ...(isFirst ? {} : { after }), limit: 2 })
    isFirst = false
    parts++
    found.push(...part.series.flatMap(({ slots }) => slots))
    after = part.next
    if (after === undefined) break
  }
  t.equal(parts, 3, 'of five files with few epochs')
  t.strictSame([...new Set(found)].sort(), [hour(0), hour(1), hour(3)])
})
