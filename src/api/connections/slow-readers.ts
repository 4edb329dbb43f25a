/**
 * Ends connections that do not take what they asked for. Whatever has nothing to send at the moment is left alone:
 * idle connections, and those that wait for changes.
 */
import type { Socket } from 'node:net'
import { bytesGiven, readSendQueues } from './send-queues.ts'

const lookEveryMs = 250

/** Who had taken everything at a look is not the reason for another one before this time has gone. */
const trustMs = 1000

/** A look is followed by a rest so many times as long: the kernel tells of all connections there are, of others' too. */
const restFactor = 10

/**
 * So much must arrive in the time that a client has: any line that still carries something does that. Who has less than
 * this to get is left alone.
 */
const leastBytes = 16 * 1024

/** Patience is longer by this where the kernel does not tell what has arrived, only what it has taken. */
const blindFactor = 4

interface Reader {
  /** Within this time `leastBytes` must arrive. */
  readonly patienceMs: number
  /** Bytes that have arrived by the latest look. */
  arrived: number
  /** When it is to be looked at; others are at the same time. */
  dueMs: number
  /** When it last got on, and how far it was then; none while there is next to nothing to send. */
  mark?: { readonly ms: number; readonly arrived: number } | undefined
}

export interface SlowReaders {
  watch(socket: Socket, patienceMs: number): void
}

/** @param tell is told of each that is ended */
export function endSlowReaders(tell: () => void): SlowReaders {
  const readers = new Map<Socket, Reader>()
  let timer: NodeJS.Timeout | undefined
  let restsUntilMs = 0
  const look = (): void => {
    const begunMs = performance.now()
    if (begunMs < restsUntilMs) return
    // What the kernel takes while it tells of its queues is not yet in them, and has not arrived either.
    const reading = [...readers]
      .filter(([socket, reader]) => hasMuchToGet(socket, reader))
      .map(([socket, reader]) => ({ socket, reader, taken: bytesGiven(socket).taken }))
    if (reading.every(({ reader }) => reader.dueMs > begunMs)) return
    const queues = readSendQueues(reading.map(({ socket }) => socket))
    for (const { socket, reader, taken } of reading)
      if (isTooSlow(socket, reader, { taken, queue: queues.get(socket) })) {
        tell()
        // A reset, since the kernel would keep trying to get rid of what it holds for many minutes.
        socket.resetAndDestroy()
      }
    const endedMs = performance.now()
    restsUntilMs = endedMs + restFactor * (endedMs - begunMs)
  }
  return {
    watch(socket, patienceMs) {
      readers.set(socket, { patienceMs, arrived: 0, dueMs: 0 })
      timer ??= setInterval(look, lookEveryMs).unref()
      socket.once('close', () => {
        readers.delete(socket)
        if (readers.size > 0) return
        clearInterval(timer)
        timer = undefined
      })
    },
  }
}

function hasMuchToGet(socket: Socket, reader: Reader): boolean {
  const much = bytesGiven(socket).all - reader.arrived >= leastBytes
  if (!much) reader.mark = undefined
  return much
}

/**
 * @param taken bytes that the kernel had taken
 * @param queue those of them that had not arrived a little later, if it tells
 */
function isTooSlow(
  socket: Socket,
  reader: Reader,
  { taken, queue }: { readonly taken: number; readonly queue: number | undefined },
): boolean {
  if (socket.destroyed) return false
  const nowMs = performance.now()
  const arrived = taken - (queue ?? 0)
  const patienceMs = reader.patienceMs * (queue === undefined ? blindFactor : 1)
  reader.arrived = arrived
  const isLeft = hasMuchToGet(socket, reader)
  reader.dueMs = isLeft ? nowMs : nowMs + trustMs
  if (!isLeft) return false
  const { mark } = reader
  if (mark !== undefined && arrived - mark.arrived < leastBytes)
    return nowMs - mark.ms >= patienceMs
  reader.mark = { ms: nowMs, arrived }
  return false
}
