/** Which connections have a request in hand, so that a server that stops waits for those and for nothing else. */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How long answers under way may still take when the server stops; the process has a little longer. */
const stopMs = 8000

export interface UnderWay {
  connected(socket: Socket): void
  began(socket: Socket, response: ServerResponse): void
}

/**
 * Makes `server.close` end connections with nothing in hand at once, whatever they may be about to ask, the others with
 * their answer, and all of them in the end. Node alone would wait for those that have not sent a whole request.
 */
export function followConnections(server: Server): UnderWay {
  const requests = new Map<Socket, number>()
  let stopping = false
  const endIfIdle = (socket: Socket): void => {
    if (stopping && requests.get(socket) === 0) socket.destroySoon()
  }
  const stop = (): void => {
    stopping = true
    for (const socket of requests.keys()) endIfIdle(socket)
    const deadline = setTimeout(() => {
      for (const socket of requests.keys()) socket.resetAndDestroy()
    }, stopMs)
    server.once('close', () => {
      clearTimeout(deadline)
    })
  }
  const change = (socket: Socket, by: number): void => {
    const count = requests.get(socket)
    if (count !== undefined) requests.set(socket, count + by)
  }
  /** One function for all answers: making one for each would cost more than all it does. */
  function ended(this: ServerResponse): void {
    const { socket } = this.req
    change(socket, -1)
    endIfIdle(socket)
  }
  const close = server.close.bind(server)
  server.close = (done) => {
    close(done)
    if (!stopping) stop()
    return server
  }
  return {
    connected(socket) {
      requests.set(socket, 0)
      socket.once('close', () => requests.delete(socket))
    },
    began(socket, response) {
      change(socket, 1)
      response.on('close', ended)
    },
  }
}
