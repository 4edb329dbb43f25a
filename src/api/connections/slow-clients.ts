/**
 * Closes connections whose clients do not read their answers. A connection that has nothing to send is left alone: one
 * that is idle, or waits for changes.
 */
import type { Socket } from 'node:net'
import { bytesSent, readSendQueues } from './send-queues.ts'

/** Interval of the checks. */
const checkEveryMs = 250

/** A client that had read everything is not checked again before this time has passed. */
const trustMs = 1000

/** A check is followed by a pause so many times as long: the kernel lists all connections, also those of others. */
const pauseFactor = 10

/**
 * Bytes that must arrive within the timeout of a client: any line that still works carries them. A client that has less
 * than this to get is left alone.
 */
const leastBytes = 16 * 1024

/** The timeout is longer by this where the kernel does not list what has arrived, only what it has taken. */
const blindFactor = 4

interface Client {
  /** Within this time `leastBytes` must arrive. */
  readonly timeoutMs: number
  /** Bytes that had arrived at the latest check. */
  arrived: number
  /** When it is to be checked; others are checked at the same time. */
  dueMs: number
  /** When it last made progress, and how far it was then; none while there is next to nothing to send. */
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
    // What the kernel takes while it tells of its queues is not yet in them, and has not arrived either.
    const busy = [...clients]
      .filter(([socket, client]) => hasMuchToGet(socket, client))
      .map(([socket, client]) => ({ socket, client, taken: bytesSent(socket).taken }))
    if (busy.every(({ client }) => client.dueMs > begunMs)) return
    const queues = readSendQueues(busy.map(({ socket }) => socket))
    for (const { socket, client, taken } of busy)
      if (isTooSlow(socket, client, { taken, queue: queues.get(socket) })) {
        onClosed()
        // A reset, since the kernel would keep trying to get rid of what it holds for many minutes.
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
 * @param taken bytes that the kernel had taken
 * @param queue those of them that had not arrived a little later, if it tells
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
