/** Stands between our connections and a server, and loses them in the ways that networks do. */
import { mkdtempSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'

/** What happens to the connections. */
interface Behaviour {
  /** Nothing gets through, and nobody is told. */
  readonly silent?: boolean
  /** Nobody may connect. */
  readonly closed?: boolean
  /** Ends the connection on which this is sent, before or after the server has it. */
  readonly cutAt?: { readonly text: string; readonly when: 'before' | 'after' }
  /** The share of packets at which the connection is cut. */
  readonly cutShare?: number
}

export class Proxy {
  /** The URL of the server through the proxy. */
  readonly url: string
  behaviour: Behaviour = {}
  /** How many connections were cut. */
  cuts = 0
  readonly #sockets = new Set<Socket>()
  readonly #target: string

  private constructor(url: string, folder: string, target: string) {
    this.url = url.replace(target, folder)
    this.#target = join(target, '.s.PGSQL.5432')
  }

  /** @param url with the folder of the socket of the server */
  static async start(t: Test, url: string): Promise<Proxy> {
    const target = new URL(url).searchParams.get('host') ?? ''
    // The path of a socket has at most 107 bytes.
    const folder = mkdtempSync(join('/tmp', 'postgres-proxy-'))
    const proxy = new Proxy(url, folder, target)
    const server = createServer((socket) => {
      proxy.#serve(socket)
    })
    await new Promise<void>((resolve) => server.listen(join(folder, '.s.PGSQL.5432'), resolve))
    t.teardown(() => {
      server.close()
      proxy.cut()
      rmSync(folder, { recursive: true })
    })
    return proxy
  }

  /** Cuts all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #serve(client: Socket): void {
    if (this.behaviour.closed === true) {
      client.destroy()
      return
    }
    const server = connect(this.#target)
    const ends = [client, server] as const
    const end = (): void => {
      for (const each of ends) each.destroy()
    }
    let isMuted = false
    const pass = (data: Buffer, to: Socket): void => {
      const { silent, cutAt, cutShare = 0 } = this.behaviour
      if (silent === true || isMuted) return
      const isAt = cutAt !== undefined && data.includes(cutAt.text)
      if (!isAt && Math.random() >= cutShare) {
        to.write(data)
        return
      }
      this.cuts++
      if (isAt) this.behaviour = {}
      if (cutAt?.when !== 'after') end()
      else {
        // The server executes it, and nobody gets the answer.
        isMuted = true
        to.write(data, () => setTimeout(end, 100))
      }
    }
    for (const [from, to] of [ends, ends.toReversed() as [Socket, Socket]]) {
      this.#sockets.add(from)
      from.on('error', end)
      from.on('close', () => {
        this.#sockets.delete(from)
        end()
      })
      from.on('data', (data) => {
        pass(data, to)
      })
    }
  }
}
