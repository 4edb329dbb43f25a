/**
 * In-flight requests and turns of work. Pipelined requests run one after the other. A stopping
 * server waits for the responses in progress, and closes idle connections.
 */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTick } from 'node:timers/promises'
import { FairQueue } from '../../runtime/fair-queue.ts'
import { keepAliveSeconds } from '../http/http-server.ts'

/** Milliseconds that a stopping server waits for its responses; the process has a little more. */
const drainMs = 8000

/**
 * Maximum numbers of pipelined requests that wait on one connection, and of their bytes. A
 * connection with more is closed. Node reads the connection on, so that it notices a client that
 * leaves, and each request takes memory: about 100 bytes for a header line, and its body.
 */
const mostWaiting = { requests: 32, bytes: 48 * 1024 }

/**
 * Tells clients how many requests may wait. lftp pipelines a HEAD for every file of a directory, as
 * many as `max` says; Node says 1000 by itself, the requests after which it closes the connection.
 */
export const keepAlive = `timeout=${keepAliveSeconds}, max=${mostWaiting.requests}`

interface Connection {
  /** The response in progress. */
  current: ServerResponse | undefined
  /** The response to the request that arrived last. */
  latest: ServerResponse | undefined
  /** Number of bytes that were read from the connection when the latest request arrived. */
  bytesRead: number
  /** The same for the request before the one in progress; Node may have read several together. */
  bytesBefore: number
  /** Called one by one after `current`: each starts a request, or ends the connection. */
  readonly waiting: (() => void)[]
  /** True after CONNECT, and after a request that Node cannot read to its end. */
  isEnding: boolean
}

export class InFlightRequests {
  readonly #connections = new Map<Socket, Connection>()
  /** Set when the server stops, and called when the last connection closes. */
  #drained: (() => void) | undefined

  watch(server: Server): void {
    server.on('connection', (socket) => {
      this.#register(socket)
    })
  }

  /** Calls `start` after the earlier requests of the connection, and never after it closed. */
  begin(response: ServerResponse, start: () => void): void {
    const { socket } = response.req
    const connection = this.#connections.get(socket)
    if (socket.destroyed) return
    // A request of `app.inject()` has no registered connection.
    if (connection === undefined) {
      start()
      return
    }
    const bytesBefore = connection.bytesRead
    connection.bytesRead = socket.bytesRead
    connection.latest = response
    const run = (): void => {
      connection.bytesBefore = bytesBefore
      this.#run(connection, response, start)
    }
    if (connection.current === undefined) run()
    else if (
      connection.waiting.length >= mostWaiting.requests ||
      connection.bytesRead - connection.bytesBefore > mostWaiting.bytes
    )
      socket.destroy()
    else connection.waiting.push(run)
  }

  /**
   * Ends a connection that sent a broken request (not HTTP, too large, too slow) or CONNECT. All
   * complete requests before it are answered first. A second call for the connection has no effect.
   * @param end closes the connection; its argument is true if the broken request already has a
   * response, or a part of one
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
    // The broken request itself gets no response.
    if (isBroken) connection.waiting.pop()
    connection.waiting.push(() => {
      end(false)
    })
  }

  /**
   * Closes idle connections at once, busy ones after their response, and the rest after eight
   * seconds. Resolves when no connection is open. New connections are closed at once.
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

  #register(socket: Socket): void {
    if (this.#drained !== undefined) {
      socket.destroy()
      return
    }
    this.#connections.set(socket, {
      current: undefined,
      latest: undefined,
      bytesRead: 0,
      bytesBefore: 0,
      waiting: [],
      isEnding: false,
    })
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
 * Maximum number of ticks between two turns while connections arrive, of which Node accepts one in
 * each. Without these ticks, each connection of a burst would wait for a piece of work.
 */
const maxTicksPerTurn = 100

export class Turns {
  /** Functions that begin the turns, by client address. The addresses take turns too. */
  readonly #waiting = new FairQueue<() => void>()
  #isRunning = false
  /** Number of connections accepted so far. */
  #accepted = 0

  watch(server: Server): void {
    server.on('connection', () => {
      this.#accepted++
    })
  }

  /** Resolves in a tick of its own: the turn lasts until the caller waits again. */
  take(address: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(address, resolve)
      if (!this.#isRunning) void this.#run()
    })
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    for (;;) {
      await this.#untilAccepted()
      const begin = this.#waiting.shift()
      if (begin === undefined) break
      begin()
    }
    this.#isRunning = false
  }

  /** Waits one tick, and further ticks while each of them accepts a connection. */
  async #untilAccepted(): Promise<void> {
    for (let tick = 0, before = -1; tick < maxTicksPerTurn && before !== this.#accepted; tick++) {
      before = this.#accepted
      await nextTick()
    }
  }
}
