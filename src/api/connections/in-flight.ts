/**
 * In-flight requests. Pipelined requests run one after the other, and what a client sends ahead is
 * kept as the bytes that it is. A stopping server waits for the responses in progress, and closes
 * idle connections.
 */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { keepAliveSeconds } from '../http/http-server.ts'

/** Milliseconds that a stopping server waits for its responses; the process has a little more. */
const drainMs = 8000

/**
 * Maximum number of bytes that wait on one connection: with 2,048 connections 32 MiB. A connection
 * with more is closed, because it is always read: so Node notices a client that leaves.
 */
const mostHeldBytes = 16 * 1024

/**
 * Tells clients how many requests may wait, of up to 500 bytes. lftp pipelines a HEAD for every
 * file of a directory, as many as `max` says; Node says 1000 by itself, the requests after which it
 * closes the connection.
 */
export const keepAlive = `timeout=${keepAliveSeconds}, max=32`

const endOfHeaders = '\r\n\r\n'
const nothing = Buffer.alloc(0)

interface Connection {
  readonly socket: Socket
  /** Node's own listener: parses what arrived, and calls `begin` for a request. */
  readonly parse: (bytes: Buffer) => void
  /** The response in progress, or one that was sent before the body of its request ended. */
  current: ServerResponse | undefined
  /** True if `current` was sent. */
  isSent: boolean
  /** What follows: starts a request that was parsed with the end of a body, or ends. */
  next: (() => void) | undefined
  /**
   * Bytes that arrived and were not parsed: a parsed request takes many times its length in memory,
   * about 100 bytes for a header line.
   */
  held: Buffer
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

  /** Calls `start` after the earlier request of the connection, and never after it closed. */
  begin(response: ServerResponse, start: () => void): void {
    const { socket } = response.req
    const connection = this.#connections.get(socket)
    if (socket.destroyed) return
    // A request of `app.inject()` has no registered connection.
    if (connection === undefined) start()
    else if (isIdle(connection)) this.#run(connection, response, start)
    else if (connection.next === undefined)
      connection.next = () => {
        this.#run(connection, response, start)
      }
    else socket.destroy()
  }

  /**
   * Ends a connection that sent a broken request (not HTTP, too large, too slow) or CONNECT. The
   * complete request before it is answered first. A second call for the connection has no effect.
   * @param end closes the connection; its argument is true if the broken request already has a
   * response, or a part of one
   */
  endAfterAnswers(socket: Socket, end: (isAnswered: boolean) => void): void {
    const connection = this.#connections.get(socket)
    if (connection?.isEnding === true) return
    if (connection !== undefined) connection.isEnding = true
    // A broken request that waits gets no response.
    if (connection !== undefined && isBusy(connection))
      connection.next = () => {
        end(false)
      }
    else end(connection?.current?.headersSent === true)
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
      for (const [socket, connection] of this.#connections)
        if (isIdle(connection)) socket.destroySoon()
      if (this.#connections.size === 0) this.#drained()
    })
  }

  #register(socket: Socket): void {
    if (this.#drained !== undefined) {
      socket.destroy()
      return
    }
    const [parse] = socket.listeners('data') as [(bytes: Buffer) => void]
    const connection: Connection = {
      socket,
      parse,
      held: nothing,
      current: undefined,
      isSent: false,
      next: undefined,
      isEnding: false,
    }
    this.#connections.set(socket, connection)
    socket.on('data', (bytes: Buffer) => {
      this.#receive(connection, bytes)
    })
    socket.off('data', parse)
    socket.once('close', () => {
      this.#connections.delete(socket)
      if (this.#connections.size === 0) this.#drained?.()
    })
  }

  #receive(connection: Connection, bytes: Buffer): void {
    const all = connection.held.length === 0 ? bytes : Buffer.concat([connection.held, bytes])
    connection.held = all
    this.#parseHeld(connection)
    const { held, socket } = connection
    if (held.length > mostHeldBytes) socket.destroy()
    // A part of a block would keep all of it in memory.
    else if (held.length > 0 && held.length < all.length)
      connection.held = Buffer.copyBytesFrom(held)
  }

  /**
   * Parses until a request is complete, piece by piece up to the next end of headers: a piece
   * contains at most one request.
   */
  #parseHeld(connection: Connection): void {
    const { parse } = connection
    while (connection.held.length > 0 && mayParse(connection)) {
      const { held } = connection
      const end = held.indexOf(endOfHeaders)
      const length = end === -1 ? held.length : end + endOfHeaders.length
      const isAll = length === held.length
      connection.held = isAll ? nothing : held.subarray(length)
      parse(isAll ? held : held.subarray(0, length))
    }
    if (connection.isEnding) connection.held = nothing
  }

  #run(connection: Connection, response: ServerResponse, start: () => void): void {
    const { socket } = connection
    connection.current = response
    connection.isSent = false
    response.once('close', () => {
      connection.isSent = true
      if (response.req.complete) connection.current = undefined
      if (!socket.writable) return
      const { next } = connection
      connection.next = undefined
      next?.()
      this.#parseHeld(connection)
      if (isIdle(connection) && this.#drained !== undefined) socket.destroySoon()
    })
    start()
  }
}

/** True if no response is in progress. */
function isIdle({ current, isSent }: Connection): boolean {
  return current === undefined || isSent
}

/** True while a complete request is in progress. */
function isBusy({ current, isSent }: Connection): boolean {
  return current?.req.complete === true && !isSent
}

/** False while a request waits for its turn, and when nothing more is to be read. */
function mayParse(connection: Connection): boolean {
  const { socket, next, isEnding } = connection
  return !isEnding && next === undefined && !isBusy(connection) && socket.writable
}
