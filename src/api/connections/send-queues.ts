/**
 * The TCP send queue: bytes that a connection was given and its client has not confirmed. The kernel takes megabytes for
 * a client that reads nothing, and reports room again only when a third of them has gone: over seconds, only the queue
 * tells a slow client from one that has stopped.
 *
 * This is the one file that reads `_handle`, which Node does not document. The documented `bytesWritten` and
 * `writableLength` count a write only as a whole: of a listing that is sent in one write of megabytes they change once,
 * at its end, so that a client on a slow line would look like one that has stopped.
 */
import { fstatSync, readFileSync } from 'node:fs'
import type { Socket } from 'node:net'

/**
 * A line a connection of a family, of this network namespace (proc(5)); without them nothing is known. The kernel goes through
 * all places that a connection might have: 6 ms for each table where it has room for 262,144, however few there are.
 */
const tables: ReadonlyMap<string | undefined, string> = new Map([
  ['IPv4', '/proc/self/net/tcp'],
  ['IPv6', '/proc/self/net/tcp6'],
])

/** Both addresses, the state, the queue to be sent and the inode of the socket; numbers but the last are hexadecimal. */
const row =
  /^ *\d+: [\dA-F]+:[\dA-F]{4} [\dA-F]+:[\dA-F]{4} [\dA-F]{2} ([\dA-F]{8}):[\dA-F]{8} \S+ \S+ +\d+ +\d+ (\d+) /gm

/** The native side of a socket. */
interface SocketHandle {
  readonly fd: number
  /** Bytes that were passed on to the operating system's side of Node, and those that wait there for the kernel. */
  readonly bytesWritten: number
  readonly writeQueueSize: number
}

function handleOf(socket: Socket): SocketHandle | undefined {
  return (socket as unknown as { _handle?: SocketHandle | null })._handle ?? undefined
}

/** All bytes that a connection was given so far, and those of them that the kernel has taken. */
export function bytesSent(socket: Socket): { readonly all: number; readonly taken: number } {
  const { bytesWritten: all } = socket
  const { bytesWritten: passed = all, writeQueueSize = 0 } = handleOf(socket) ?? {}
  return { all, taken: passed - writeQueueSize }
}

/**
 * Bytes that the other side has not confirmed yet, of connections that the kernel tells about. It tells a page at a time:
 * asking beside this thread would take a turn of the event loop for each.
 */
export function readSendQueues(sockets: readonly Socket[]): Map<Socket, number> {
  const families = new Set(sockets.map(({ remoteFamily }) => remoteFamily))
  const queues = new Map<string, string>()
  for (const family of families)
    for (const [, queue = '', inode = ''] of textOf(tables.get(family) ?? '').matchAll(row))
      queues.set(inode, queue)
  const found = new Map<Socket, number>()
  for (const socket of sockets) {
    const queue = queues.get(inodeOf(socket))
    if (queue !== undefined) found.set(socket, Number.parseInt(queue, 16))
  }
  return found
}

function textOf(table: string): string {
  try {
    return readFileSync(table, 'latin1')
  } catch {
    return ''
  }
}

function inodeOf(socket: Socket): string {
  const fd = handleOf(socket)?.fd ?? -1
  return fd < 0 ? '' : String(fstatSync(fd).ino)
}
