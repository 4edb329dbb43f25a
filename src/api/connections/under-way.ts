/** Which connections have a request in hand, so that a server that stops waits for those and for nothing else. */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How long answers under way may still take when the server stops; the process has a little longer. */
const stopMs = 8000

export interface UnderWay {
  connected(socket: Socket): void
  /** From here on the response is sure to emit `close`, also when its client goes before its turn has come. */
  began(socket: Socket, response: ServerResponse): void
}

/**
 * Makes `server.close` end connections with nothing in hand at once, whatever they may be about to ask, the others with
 * their answer, and all of them in the end. Node alone would wait for those that have not sent a whole request.
 */
export function followConnections(server: Server): UnderWay {
  const answers = new Map<Socket, Set<ServerResponse>>()
  let stopping = false
  const endIfIdle = (socket: Socket): void => {
    if (stopping && answers.get(socket)?.size === 0) socket.destroySoon()
  }
  const stop = (): void => {
    stopping = true
    for (const socket of answers.keys()) endIfIdle(socket)
    const deadline = setTimeout(() => {
      for (const socket of answers.keys()) socket.resetAndDestroy()
    }, stopMs)
    server.once('close', () => {
      clearTimeout(deadline)
    })
  }
  /** One function for all answers: making one for each would cost more than all it does. */
  function ended(this: ServerResponse): void {
    const { socket } = this.req
    answers.get(socket)?.delete(this)
    endIfIdle(socket)
  }
  /** Of a connection that is gone Node tells the answer whose turn it was, and none of those that waited behind it. */
  const gone = (socket: Socket): void => {
    const left = answers.get(socket) ?? []
    answers.delete(socket)
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
      answers.set(socket, new Set())
      socket.once('close', () => {
        gone(socket)
      })
    },
    began(socket, response) {
      answers.get(socket)?.add(response)
      response.on('close', ended)
    },
  }
}
