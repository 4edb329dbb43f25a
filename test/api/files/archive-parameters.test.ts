/** The parameters that the list shares with two national archives. */
import { directoryOf, nameOf, startOf } from '../../rinex-names.ts'
import t from '../../tap.ts'
import { openService } from '../service.ts'

t.test(
  'parameters known from two national archives have the same meaning as in those archives',
  async (t) => {
    const service = await openService(t)
    const { app } = service
    for (let hour = 0; hour < 24; hour++) {
      const start = startOf(2026, 22, hour)
      await service.addNames(directoryOf('nrt', start), [
        nameOf('GRAZ00AUT', start, { period: '01H', source: 'S' }),
      ])
    }
    await service.addNames('nrt/2026/022/05', ['GRAZ00AUT_S_20260220515_15M_01S_MO.crx.gz'])
    await service.addNames('obs/2026/021', ['graz0210.26d.gz', 'graz0210.26n.gz'])
    const cases: [query: string, count: number][] = [
      // The hourly file of 05:00 and one of 15 minutes in it; bounds are times, not days.
      ['startDate=2026-01-22T05:10:00Z&endDate=2026-01-22T05:20:00Z', 2],
      ['startDate=2026-01-22T05:40:00Z&endDate=2026-01-22T05:50:00Z', 1],
      ['startDate=2026-01-22T05:00:00Z&endDate=2026-01-22T05:59:59Z&filePeriod=01h', 1],
      ['startDate=2026-01-22 05:10&endDate=2026-01-22 05:10', 1],
      ['startDate=2026-01-22T07:10:00+02:00&endDate=2026-01-22T07:20:00+02:00', 2],
      ['startDate=2026-01-22T23:00:00Z', 1],
      ['endDate=2026-01-22T00:00:00Z', 3],
      ['startDate=2026-01-22&endDate=2026-01-22', 25],
      ['startDate=2026-01-21&endDate=2026-01-21', 2],
      ['startDate=2026-01-22T12:00:00Z&endDate=2026-01-22', 12],
      ['filePeriod=15M', 1],
      ['filePeriod=01d', 2],
      ['filePeriod=01D,15m', 3],
      ['rinexVersion=2', 2],
      ['rinexVersion=4', 25],
      ['rinexVersion=latest', 25],
      ['rinexVersion=all', 27],
      ['rinexVersion=all&strict=1&fileType=NAV', 1],
      ['fileType=Obs', 26],
    ]
    for (const [query, count] of cases) {
      const encoded = query.replaceAll('+', '%2b').replaceAll(' ', '%20')
      const answer = await app.inject(`/rinex/api/rinex-file/?${encoded}`)
      t.equal(answer.statusCode, 200, query)
      t.equal(answer.json<{ count: number }>().count, count, query)
      t.equal(answer.headers['ignored-parameters'], undefined)
    }
  },
)
