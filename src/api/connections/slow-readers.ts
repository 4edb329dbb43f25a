/**
 * Ends connections that do not take what they asked for. Whatever has nothing to send at the moment is left alone:
 * idle connections, and those that wait for changes.
 */
import type { Socket } from 'node:net'
import { bytesTaken, readSendQueues } from './send-queues.ts'

const lookEveryMs = 1000

/** So much must arrive in the time that a client has: any line that still carries something does that. */
const leastBytes = 16 * 1024

/** How far a client had come at a time. */
interface Mark {
  readonly ms: number
  readonly taken: number
  /** Bytes that have arrived there; unknown before the kernel was asked. */
  arrived?: number | undefined
}

interface Reader {
  /** Within this time `leastBytes` must arrive. */
  readonly patienceMs: number
  /** Where it was when it last got on; none while there is nothing to send. */
  mark?: Mark | undefined
}

export interface SlowReaders {
  watch(socket: Socket, patienceMs: number): void
}

export function endSlowReaders(): SlowReaders {
  const readers = new Map<Socket, Reader>()
  let timer: NodeJS.Timeout | undefined
  let looking = false
  const look = async (): Promise<void> => {
    if (looking) return
    looking = true
    const nowMs = performance.now()
    const stuck = [...readers].filter(([socket, reader]) => isStuck(socket, reader, nowMs))
    if (stuck.length > 0) {
      const queues = await readSendQueues(stuck.map(([socket]) => socket))
      for (const [socket, reader] of stuck) judge(socket, reader, { nowMs, queues })
    }
    looking = false
  }
  return {
    watch(socket, patienceMs) {
      readers.set(socket, { patienceMs })
      timer ??= setInterval(() => void look(), lookEveryMs).unref()
      socket.once('close', () => {
        readers.delete(socket)
        if (readers.size > 0) return
        clearInterval(timer)
        timer = undefined
      })
    },
  }
}

/** Whether there is something to send of which the kernel has taken next to nothing since the mark. */
function isStuck(socket: Socket, reader: Reader, nowMs: number): boolean {
  if (socket.writableLength === 0) {
    reader.mark = undefined
    return false
  }
  const taken = bytesTaken(socket)
  if (reader.mark !== undefined && taken - reader.mark.taken < leastBytes) return true
  reader.mark = { ms: nowMs, taken }
  return false
}

interface Look {
  readonly nowMs: number
  readonly queues: ReadonlyMap<Socket, number>
}

function judge(socket: Socket, reader: Reader, { nowMs, queues }: Look): void {
  const { mark, patienceMs } = reader
  if (mark === undefined || socket.destroyed) return
  const taken = bytesTaken(socket)
  const queue = queues.get(socket)
  const arrived = queue === undefined ? undefined : taken - queue
  if (arrived !== undefined && mark.arrived !== undefined && arrived - mark.arrived >= leastBytes)
    reader.mark = { ms: nowMs, taken, arrived }
  // A reset, since the kernel would keep trying to get rid of what it holds for many minutes.
  else if (nowMs - mark.ms >= patienceMs) socket.resetAndDestroy()
  else mark.arrived ??= arrived
}
