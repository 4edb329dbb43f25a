import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import t from '../../tap.ts'
import { readSendQueues } from '../../../src/api/connections/send-queues.ts'
import { watchSlowClients } from '../../../src/api/connections/slow-clients.ts'
import { until } from '../wire.ts'

const some = Buffer.alloc(256 * 1024)
/** More than all buffers of a connection hold. */
const much = Buffer.alloc(32 * 1024 * 1024)
/** A client that receives nothing between two checks is closed. */
const timeoutMs = 1

t.test('a client that has read everything stays connected, a slow client is closed', async (t) => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const clients: Socket[] = []
  t.teardown(() => {
    for (const client of clients) client.destroy()
    server.close()
  })
  const open = async () => {
    const connection = once(server, 'connection') as Promise<[Socket]>
    const client = connect(port, '127.0.0.1').on('error', () => undefined)
    clients.push(client)
    const [served] = await connection
    return { client, served: served.on('error', () => undefined) }
  }
  let closed = 0
  const slowClients = watchSlowClients(() => closed++)

  const quick = await open()
  quick.served.write(some)
  quick.client.resume()
  await until(() => quick.client.bytesRead === some.length, 'one client reads everything')
  await until(() => !readSendQueues([quick.served]).get(quick.served), 'and has acknowledged it')
  slowClients.watch(quick.served, timeoutMs)
  const still = await open()
  still.served.write(much)
  slowClients.watch(still.served, timeoutMs)
  await until(() => closed === 1, 'the other is closed by the same check')
  t.ok(still.served.destroyed)
  t.notOk(quick.served.destroyed)

  quick.client.pause()
  quick.served.write(much)
  await until(() => closed === 2, 'a client that stops reading later is closed')
  t.ok(quick.served.destroyed)
})
