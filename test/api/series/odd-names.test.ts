/** Names that write the period, or the start of a file, otherwise than most names do. */
import { nameOf, startOf } from '../../rinex-names.ts'
import t from '../../tap.ts'
import { dayOf, daySeconds, openNetwork } from './network.ts'

const firstDay = dayOf(2026, 1, 1)
const names = (station: string, period: string, start: (n: number) => number): string[] =>
  Array.from({ length: 10 }, (_, index) => nameOf(station, start(index), { period }))

/** Ten names of each series: of the first ten days, or of the first ten hours of the tenth day. */
const days = {
  URUM00CHN: names('URUM00CHN', '24H', (n) => startOf(2026, n + 1)),
  WTZR00DEU: names('WTZR00DEU', '01D', (n) => startOf(2026, n + 1, 10, 3)),
}
const hours = {
  GRAZ00AUT: names('GRAZ00AUT', '60M', (n) => startOf(2026, 10, n)),
  BRUX00BEL: names('BRUX00BEL', '01H', (n) => startOf(2026, 10, n, 59)),
}
const stations = { ...days, ...hours }

t.test('24H is a day, 60M an hour, and a file fills the slot in which it begins', async (t) => {
  const asOf = (firstDay + 10) * daySeconds + 7200
  const service = await openNetwork(t, { startUs: asOf * 1e6 })
  const json = async <Body>(target: string) => JSON.parse(await service.text(target)) as Body
  await service.addNames('obs/2026/010', Object.values(stations).flat())

  const checkStates = async (letter: string) => {
    for (const [station, all] of Object.entries(stations)) {
      const path = `station/${station}/availability/`
      const isDaily = station in days
      const range = isDaily ? 'from=2026-01-01&period=24h' : 'from=2026-01-10&period=60M'
      const { states } = await json<{ states: string }>(`${path}?${range}&to=2026-01-10`)
      t.equal(states, `${letter}${all.length}${isDaily ? '' : 'S14'}`, station)
    }
  }
  await checkStates('P')
  const { results } = await json<{ results: { station: string; period: string }[] }>('series/')
  t.strictSame(
    results.map(({ station, period }) => `${station} ${period}`),
    ['BRUX00BEL 01H', 'GRAZ00AUT 01H', 'URUM00CHN 01D', 'WTZR00DEU 01D'],
  )
  for (const [parameter, count] of [
    ['filePeriod=01D', 20],
    ['filePeriod=24h', 20],
    ['file_duration=d', 20],
    ['filePeriod=60M', 20],
    ['file_duration=01H&station=GRAZ', 10],
  ] as const)
    t.equal((await json<{ count: number }>(`rinex-file/?${parameter}`)).count, count, parameter)

  const asked = await service.app.inject({
    method: 'POST',
    url: '/rinex/api/availability/?format=urls',
    headers: { 'content-type': 'text/plain' },
    payload: '* o 01D 2026-01-02 2026-01-03\n* o 01H 2026-01-10 2026-01-10',
  })
  const wanted = [
    ...Object.values(days).flatMap((all) => all.slice(1, 3)),
    ...Object.values(hours).flat(),
  ]
  const listed = asked.body
    .trim()
    .split('\n')
    .map((url) => url.replace(/.*\//, ''))
  t.strictSame(listed.sort(), wanted.sort())

  const { results: files } = await json<{ results: { id: number }[] }>('rinex-file/?limit=100')
  await service.removeIds(
    'obs/2026/010',
    files.map(({ id }) => id),
  )
  await checkStates('R')
})

t.test('the name of a missing file is written as the station writes its names', async (t) => {
  const asOf = (firstDay + 12) * daySeconds
  const service = await openNetwork(t, { startUs: asOf * 1e6 })
  await service.addNames('obs/2026/010', [...days.URUM00CHN, ...days.WTZR00DEU])
  const { results } = JSON.parse(await service.text('missing/')) as { results: { name: string }[] }
  t.strictSame(results.map(({ name }) => name).sort(), [
    'URUM00CHN_?_2026011????_24H_*O.*',
    'WTZR00DEU_?_2026011????_01D_*O.*',
  ])
})
