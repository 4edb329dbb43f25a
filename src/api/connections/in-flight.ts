/**
 * Requests in flight. The requests of one connection are answered one after the other, and a server that stops waits
 * for the answers that have begun and for nothing else.
 */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Milliseconds that answers have to end in when the server stops. The process has a little longer. */
const drainMs = 8000

/** Pipelined requests that a connection may have waiting. One that sends more is closed: each of them takes memory. */
const mostWaiting = 64

export interface InFlightRequests {
  /** Follows the connections of a server. */
  watch(server: Server): void
  /**
   * Starts the work on a request when the earlier ones of its connection are answered; never after the connection is
   * closed. So each response that is worked on has its connection, and emits `close` when that is closed.
   */
  begin(response: ServerResponse, start: () => void): void
  /** Whether the head of an answer was sent on this connection and its end was not. */
  isAnswering(socket: Socket): boolean
  /**
   * Closes idle connections at once, the others after their answers, and all that are left after eight seconds.
   * Resolves when none is open. New connections are closed as they come.
   */
  drain(): Promise<void>
}

interface Connection {
  /** The response that is being made or sent. */
  current: ServerResponse | undefined
  /** Starts the work on the requests that came after it. */
  readonly waiting: (() => void)[]
}

export function openInFlightRequests(): InFlightRequests {
  const connections = new Map<Socket, Connection>()
  let drained: (() => void) | undefined
  const follow = (socket: Socket): void => {
    if (drained !== undefined) {
      socket.destroy()
      return
    }
    connections.set(socket, { current: undefined, waiting: [] })
    socket.once('close', () => {
      connections.delete(socket)
      if (connections.size === 0) drained?.()
    })
  }
  const run = (connection: Connection, response: ServerResponse, start: () => void): void => {
    const { socket } = response.req
    connection.current = response
    response.once('close', () => {
      connection.current = undefined
      if (socket.destroyed) return
      const next = connection.waiting.shift()
      if (next !== undefined) next()
      else if (drained !== undefined) socket.destroySoon()
    })
    start()
  }
  return {
    watch(server) {
      server.on('connection', follow)
    },
    begin(response, start) {
      const { socket } = response.req
      const connection = connections.get(socket)
      if (socket.destroyed) return
      // A request that was injected has no connection of the server.
      if (connection === undefined) start()
      else if (connection.current === undefined) run(connection, response, start)
      else if (connection.waiting.length >= mostWaiting) socket.destroy()
      else
        connection.waiting.push(() => {
          run(connection, response, start)
        })
    },
    isAnswering: (socket) => connections.get(socket)?.current?.headersSent === true,
    async drain() {
      await new Promise<void>((resolve) => {
        const deadline = setTimeout(() => {
          for (const socket of connections.keys()) socket.resetAndDestroy()
        }, drainMs)
        drained = () => {
          clearTimeout(deadline)
          resolve()
        }
        for (const [socket, { current }] of connections)
          if (current === undefined) socket.destroySoon()
        if (connections.size === 0) drained()
      })
    },
  }
}
