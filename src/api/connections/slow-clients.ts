/**
 * Closes connections whose clients do not read their responses. Connections with nothing to send
 * (idle, or waiting for changes) stay open.
 */
import type { Socket } from 'node:net'
import { bytesSent, readSendQueues } from './send-queues.ts'

/** Milliseconds between two checks. */
const checkEveryMs = 250

/**
 * A client that had fewer than `leastBytes` left at its last check causes no check for this time,
 * in milliseconds.
 */
const trustMs = 1000

/**
 * The pause after a check, as a multiple of the time that the check took. A check can take long,
 * because the kernel lists the connections of all processes.
 */
const pauseFactor = 10

/**
 * Bytes that a client must receive within its timeout. Any working line carries that much. A client
 * with less than this left to receive is not checked.
 */
const leastBytes = 16 * 1024

/** Factor that lengthens the timeout where the kernel does not list send queues. */
const blindFactor = 4

interface Client {
  /** Milliseconds within which `leastBytes` must arrive. */
  readonly timeoutMs: number
  /** Number of bytes that the client had acknowledged at the latest check. */
  arrived: number
  /**
   * Time at which the client is checked next. A check includes all clients that have enough to
   * receive.
   */
  dueMs: number
  /**
   * Time of the latest progress, and the bytes acknowledged by then; unset while there is little to
   * send.
   */
  mark?: { readonly ms: number; readonly arrived: number } | undefined
}

export interface SlowClients {
  watch(socket: Socket, timeoutMs: number): void
}

/** @param onClosed called for each connection that is closed */
export function watchSlowClients(onClosed: () => void): SlowClients {
  const clients = new Map<Socket, Client>()
  let timer: NodeJS.Timeout | undefined
  let pausedUntilMs = 0
  const check = (): void => {
    const begunMs = performance.now()
    if (begunMs < pausedUntilMs) return
    // `taken` is read before the queues. Otherwise, bytes that the kernel accepts between the two
    // reads would count as acknowledged.
    const busy = [...clients]
      .filter(([socket, client]) => hasMuchToGet(socket, client))
      .map(([socket, client]) => ({ socket, client, taken: bytesSent(socket).taken }))
    if (busy.every(({ client }) => client.dueMs > begunMs)) return
    const queues = readSendQueues(busy.map(({ socket }) => socket))
    for (const { socket, client, taken } of busy)
      if (isTooSlow(socket, client, { taken, queue: queues.get(socket) })) {
        onClosed()
        // Reset, because after a normal close the kernel would retransmit its buffer for many
        // minutes.
        socket.resetAndDestroy()
      }
    const endedMs = performance.now()
    pausedUntilMs = endedMs + pauseFactor * (endedMs - begunMs)
  }
  return {
    watch(socket, timeoutMs) {
      clients.set(socket, { timeoutMs, arrived: 0, dueMs: 0 })
      timer ??= setInterval(check, checkEveryMs).unref()
      socket.once('close', () => {
        clients.delete(socket)
        if (clients.size > 0) return
        clearInterval(timer)
        timer = undefined
      })
    },
  }
}

function hasMuchToGet(socket: Socket, client: Client): boolean {
  const much = bytesSent(socket).all - client.arrived >= leastBytes
  if (!much) client.mark = undefined
  return much
}

/**
 * @param taken bytes that the kernel had accepted
 * @param queue bytes of them that were unacknowledged a little later; `undefined` if the kernel
 * does not list them
 */
function isTooSlow(
  socket: Socket,
  client: Client,
  { taken, queue }: { readonly taken: number; readonly queue: number | undefined },
): boolean {
  if (socket.destroyed) return false
  const nowMs = performance.now()
  const arrived = taken - (queue ?? 0)
  const timeoutMs = client.timeoutMs * (queue === undefined ? blindFactor : 1)
  client.arrived = arrived
  const isLeft = hasMuchToGet(socket, client)
  client.dueMs = isLeft ? nowMs : nowMs + trustMs
  if (!isLeft) return false
  const { mark } = client
  if (mark !== undefined && arrived - mark.arrived < leastBytes) return nowMs - mark.ms >= timeoutMs
  client.mark = { ms: nowMs, arrived }
  return false
}
