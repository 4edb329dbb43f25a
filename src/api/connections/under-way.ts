/** Which connections have a request in hand, so that a server that stops waits for those and for nothing else. */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How long answers under way may still take when the server stops; the process has a little longer. */
const stopMs = 8000

/**
 * Requests of one connection that are worked on at a time. Others may have been sent, hundreds in one packet: each would hold
 * its file and the first piece of it until its turn comes to be answered.
 */
const mostAtATime = 8

export interface UnderWay {
  connected(socket: Socket): void
  /**
   * From here on the response is sure to emit `close`, also when its client goes before its turn has come.
   * @param begin begins its work, at once or when others of the connection are answered; never after its client has gone
   */
  began(socket: Socket, response: ServerResponse, begin: () => void): void
}

interface InHand {
  readonly answers: Set<ServerResponse>
  /** Of those, what begins the ones that wait. */
  readonly waiting: (() => void)[]
}

/**
 * Makes `server.close` end connections with nothing in hand at once, whatever they may be about to ask, the others with
 * their answer, and all of them in the end. Node alone would wait for those that have not sent a whole request.
 */
export function followConnections(server: Server): UnderWay {
  const connections = new Map<Socket, InHand>()
  let stopping = false
  const endIfIdle = (socket: Socket): void => {
    if (stopping && connections.get(socket)?.answers.size === 0) socket.destroySoon()
  }
  const stop = (): void => {
    stopping = true
    for (const socket of connections.keys()) endIfIdle(socket)
    const deadline = setTimeout(() => {
      for (const socket of connections.keys()) socket.resetAndDestroy()
    }, stopMs)
    server.once('close', () => {
      clearTimeout(deadline)
    })
  }
  /** One function for all answers: making one for each would cost more than all it does. */
  function ended(this: ServerResponse): void {
    const { socket } = this.req
    const inHand = connections.get(socket)
    if (inHand?.answers.delete(this) !== true) return
    inHand.waiting.shift()?.()
    endIfIdle(socket)
  }
  /** Of a connection that is gone Node tells the answer whose turn it was, and none of those that waited behind it. */
  const gone = (socket: Socket): void => {
    const left = connections.get(socket)?.answers ?? []
    connections.delete(socket)
    for (const answer of left) if (answer.socket === null) answer.destroy().emit('close')
  }
  const close = server.close.bind(server)
  server.close = (done) => {
    close(done)
    if (!stopping) stop()
    return server
  }
  return {
    connected(socket) {
      connections.set(socket, { answers: new Set(), waiting: [] })
      socket.once('close', () => {
        gone(socket)
      })
    },
    began(socket, response, begin) {
      const inHand = connections.get(socket)
      if (inHand === undefined) return
      inHand.answers.add(response)
      response.on('close', ended)
      if (inHand.answers.size <= mostAtATime) begin()
      else inHand.waiting.push(begin)
    },
  }
}
