import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import t from 'tap'
import { readSendQueues } from '../../../src/api/connections/send-queues.ts'
import { endSlowReaders } from '../../../src/api/connections/slow-readers.ts'
import { until } from '../wire.ts'

const some = Buffer.alloc(256 * 1024)
/** More than all buffers between two ends hold. */
const much = Buffer.alloc(32 * 1024 * 1024)
/** Who stands still from one look to the next is ended. */
const patienceMs = 1

t.test(
  'who has taken everything stays beside one who has not, until it takes no more',
  async (t) => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const clients: Socket[] = []
    t.teardown(() => {
      for (const client of clients) client.destroy()
      server.close()
    })
    const open = async () => {
      const arriving = once(server, 'connection') as Promise<[Socket]>
      const client = connect(port, '127.0.0.1').on('error', () => undefined)
      clients.push(client)
      const [served] = await arriving
      return { client, served: served.on('error', () => undefined) }
    }
    let ended = 0
    const readers = endSlowReaders(() => ended++)

    const quick = await open()
    quick.served.write(some)
    quick.client.resume()
    await until(() => quick.client.bytesRead === some.length, 'one takes everything')
    await until(() => !readSendQueues([quick.served]).get(quick.served), 'and has said so')
    readers.watch(quick.served, patienceMs)
    const still = await open()
    still.served.write(much)
    readers.watch(still.served, patienceMs)
    await until(() => ended === 1, 'the other is ended, at a look at both')
    t.ok(still.served.destroyed)
    t.notOk(quick.served.destroyed)

    quick.client.pause()
    quick.served.write(much)
    await until(() => ended === 2, 'who takes no more is ended, whatever was before')
    t.ok(quick.served.destroyed)
  },
)
