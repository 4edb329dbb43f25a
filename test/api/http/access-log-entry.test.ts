/** What is told of answers that their clients do not wait for. */
import { connect } from 'node:net'
import t from 'tap'
import { day, dayFile, openService } from '../service.ts'
import type { Service } from '../service.ts'
import { startSlowly, until } from '../wire.ts'

/** How many answers of a route there were, by status. */
async function answersOf({ app }: Service, route: string): Promise<Record<string, number>> {
  const { body } = await app.inject('/metrics')
  const lines = body.matchAll(
    /^rinex_http_requests_total\{.*route="(.*)",status="(\d+)"\} (\d+)$/gm,
  )
  const counts = [...lines].filter(([, of]) => of === route)
  return Object.fromEntries(counts.map(([, , status = '', count]) => [status, Number(count)]))
}

t.test('a download that its client does not read to the end is counted', async (t) => {
  const service = await openService(t)
  await service.add(`${day}/${dayFile}`, Buffer.alloc(32 * 1024 * 1024))
  const port = await service.listen()
  const route = '/rinex/data/*'
  const socket = await startSlowly(port, `/rinex/data/${day}/${dayFile}`)
  t.same(await answersOf(service, route), {}, 'not before it ends')
  socket.destroy()
  await until(async () => '200' in (await answersOf(service, route)), 'it is counted')
  t.same(await answersOf(service, route), { 200: 1 })
})

t.test('so is a request whose client leaves before there is an answer', async (t) => {
  let looks = 0
  const service = await openService(t, {
    deps: ({ reader }) => ({ reader: { ...reader, head: () => (looks++, reader.head()) } }),
  })
  await service.addNames(day, [dayFile])
  const port = await service.listen()
  const route = '/rinex/api/changes/'
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET ${route}?since=1&wait=60 HTTP/1.1\r\nHost: x\r\n\r\n`)
  await until(() => looks > 3, 'it waits')
  // One that only sends nothing more may still wait for the answer.
  socket.resetAndDestroy()
  await until(async () => '499' in (await answersOf(service, route)), 'it is counted')
  t.same(await answersOf(service, route), { 499: 1 })
})
