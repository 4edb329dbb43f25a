/** Arrivals that lie ahead of the clock, because it was two days ahead and was set right. */
import t, { exact } from '../../tap.ts'
import { daySeconds, firstDay, iso, nameOf, openNetwork } from './network.ts'

t.test('a time ahead of the clock is no arrival, until files come again', async (t) => {
  const start = (firstDay + 2) * daySeconds
  const service = await openNetwork(t, { startUs: firstDay * daySeconds * 1e6 })
  const { setNow, put } = service
  const json = async (target: string) => JSON.parse(await service.text(target)) as object
  const nameAt = (seconds: number) => nameOf(Math.floor(seconds / 3600), 'GRAZ00AUT', '01H')
  await setNow(start + 2 * daySeconds)
  await put(nameAt(start - 3600))
  await setNow(start + 120)
  t.match(await json('series/'), { results: exact([{ last_arrival: null, state: 'present' }]) })
  t.match(await json('network/'), { arrivals_1h: 0, verdict: { newest_file: null } })
  await setNow(start + 3600 + 60)
  await put(nameAt(start))
  await setNow(start + 3600 + 90)
  const arrival = iso(start + 3660)
  t.match(await json('series/'), { results: exact([{ last_arrival: arrival }]) })
  t.match(await json('network/'), { arrivals_1h: 1, verdict: { newest_file: arrival } })
})
