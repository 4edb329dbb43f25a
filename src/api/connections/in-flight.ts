/**
 * Requests in flight. The requests of one connection are answered one after the other, and a server that stops waits
 * for the answers that have begun and for nothing else.
 */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Milliseconds that answers have to end in when the server stops. The process has a little longer. */
const drainMs = 8000

/** Pipelined requests that a connection may have waiting. One that sends more is closed: each of them takes memory. */
const maxWaiting = 64

interface Connection {
  /** The response that is being made or sent. */
  current: ServerResponse | undefined
  /** That of the request that came last. */
  latest: ServerResponse | undefined
  /** Starts the work on the requests that came after it. */
  readonly waiting: (() => void)[]
  /** Set when something came that is no HTTP: nothing after it is read. */
  isEnding: boolean
}

export class InFlightRequests {
  readonly #connections = new Map<Socket, Connection>()
  /** Set when the server stops: called when the last connection is closed. */
  #drained: (() => void) | undefined

  /** Follows the connections of a server. */
  watch(server: Server): void {
    server.on('connection', (socket) => {
      this.#follow(socket)
    })
  }

  /**
   * Starts the work on a request when the earlier ones of its connection are answered; never after the connection is
   * closed. So each response that is worked on has its connection, and emits `close` when that is closed.
   */
  begin(response: ServerResponse, start: () => void): void {
    const { socket } = response.req
    const connection = this.#connections.get(socket)
    if (socket.destroyed) return
    if (connection !== undefined) connection.latest = response
    // A request that was injected has no connection of the server.
    if (connection === undefined) start()
    else if (connection.current === undefined) this.#run(connection, response, start)
    else if (connection.waiting.length >= maxWaiting) socket.destroy()
    else
      connection.waiting.push(() => {
        this.#run(connection, response, start)
      })
  }

  /**
   * Ends a connection on which something came that is no HTTP: once, and when the requests that came whole before it
   * are answered.
   * @param end closes it; its argument says whether the broken request itself has its answer, or a part of that
   */
  endAfterAnswers(socket: Socket, end: (isAnswered: boolean) => void): void {
    const connection = this.#connections.get(socket)
    if (connection?.isEnding === true) return
    if (connection !== undefined) connection.isEnding = true
    const { current, latest } = connection ?? {}
    const isBroken = latest?.req.complete === false
    if (connection === undefined || current === undefined || (isBroken && latest === current)) {
      end(isBroken && latest.headersSent)
      return
    }
    // Of a request that is broken itself no answer is begun.
    if (isBroken) connection.waiting.pop()
    connection.waiting.push(() => {
      end(false)
    })
  }

  /**
   * Closes idle connections at once, the others after their answers, and all that are left after eight seconds.
   * Resolves when none is open. New connections are closed as they come.
   */
  async drain(): Promise<void> {
    await new Promise<void>((resolve) => {
      const deadline = setTimeout(() => {
        for (const socket of this.#connections.keys()) socket.resetAndDestroy()
      }, drainMs)
      this.#drained = () => {
        clearTimeout(deadline)
        resolve()
      }
      for (const [socket, { current }] of this.#connections)
        if (current === undefined) socket.destroySoon()
      if (this.#connections.size === 0) this.#drained()
    })
  }

  #follow(socket: Socket): void {
    if (this.#drained !== undefined) {
      socket.destroy()
      return
    }
    const connection = { current: undefined, latest: undefined, waiting: [], isEnding: false }
    this.#connections.set(socket, connection)
    answerHalfClosed(socket, connection)
    socket.once('close', () => {
      this.#connections.delete(socket)
      if (this.#connections.size === 0) this.#drained?.()
    })
  }

  #run(connection: Connection, response: ServerResponse, start: () => void): void {
    const { socket } = response.req
    connection.current = response
    response.once('close', () => {
      connection.current = undefined
      if (socket.destroyed) return
      const next = connection.waiting.shift()
      if (next !== undefined) next()
      else if (this.#drained !== undefined) socket.destroySoon()
    })
    start()
  }
}

/**
 * A client that has sent its last request and closed its side of the connection still waits for the answers; Node would close the other
 * side as well, with the answers that are being made. So Node learns of it when the requests that came whole are answered.
 */
function answerHalfClosed(socket: Socket, connection: Connection): void {
  const listeners = socket.listeners('end')
  socket.removeAllListeners('end')
  socket.once('end', () => {
    const tell = (): void => {
      for (const listener of listeners) Reflect.apply(listener, socket, [])
    }
    const { current, latest, waiting } = connection
    if (current === undefined || latest?.req.complete === false) tell()
    else waiting.push(tell)
  })
}
