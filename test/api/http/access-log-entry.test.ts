/** Metrics of responses whose clients leave early. */
import { connect } from 'node:net'
import t from '../../tap.ts'
import { until } from '../../until.ts'
import type { Service } from '../service.ts'
import { day, dayFile, openService } from '../service.ts'
import { startSlowly } from '../wire.ts'

/** Number of responses of a route, by status. */
async function responsesOf({ app }: Service, route: string): Promise<Record<string, number>> {
  const { body } = await app.inject('/metrics')
  const lines = body.matchAll(
    /^rinex_http_requests_total\{.*route="(.*)",status="(\d+)"\} (\d+)$/gm,
  )
  const counts = [...lines].filter(([, name]) => name === route)
  return Object.fromEntries(counts.map(([, , status = '', count]) => [status, Number(count)]))
}

t.test('a download whose client leaves is counted with its status', async (t) => {
  const service = await openService(t)
  await service.add(`${day}/${dayFile}`, Buffer.alloc(32 * 1024 * 1024))
  const port = await service.listen()
  const route = '/rinex/data/*'
  const socket = await startSlowly(port, `/rinex/data/${day}/${dayFile}`)
  t.same(await responsesOf(service, route), {}, 'not before it ends')
  socket.destroy()
  await until('it is counted', async () => '200' in (await responsesOf(service, route)))
  t.same(await responsesOf(service, route), { 200: 1 })
})

t.test('a request whose client leaves before the response is counted as 499', async (t) => {
  let polls = 0
  const service = await openService(t, {
    reader: (reader) => ({ head: () => (polls++, reader.head()) }),
  })
  await service.addNames(day, [dayFile])
  const port = await service.listen()
  const route = '/rinex/api/changes/'
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET ${route}?since=1&wait=60 HTTP/1.1\r\nHost: x\r\n\r\n`)
  await until('it waits', () => polls > 3)
  // A reset, because a half-closed client may still wait for the response.
  socket.resetAndDestroy()
  await until('it is counted', async () => '499' in (await responsesOf(service, route)))
  t.same(await responsesOf(service, route), { 499: 1 })
})
