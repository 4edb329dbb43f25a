/**
 * The TCP send queue: bytes that were written to a connection and are not acknowledged by the
 * client. The kernel buffers megabytes for a client that reads nothing, and reports free space only
 * when a third of them is sent. Within seconds, only the send queue distinguishes a slow client
 * from a stopped one.
 *
 * This is the one file that reads `_handle`, which Node does not document. The documented
 * `bytesWritten` and `writableLength` count whole writes. For a listing of some megabytes in one
 * write, they change only once, at its end, so a client on a slow line would look stopped.
 */
import { fstatSync, readFileSync } from 'node:fs'
import type { Socket } from 'node:net'

/**
 * The files in which the kernel lists the connections of this network namespace, one line for each
 * connection (proc(5)). For each read of a file, the kernel walks its whole hash table: 6 ms for
 * 262,144 buckets, however few connections there are.
 */
const tables: ReadonlyMap<string | undefined, string> = new Map([
  ['IPv4', '/proc/self/net/tcp'],
  ['IPv6', '/proc/self/net/tcp6'],
])

/**
 * Columns: both addresses, state, send queue (captured, hexadecimal), and the inode of the socket
 * (captured, decimal).
 */
const row =
  /^ *\d+: [\dA-F]+:[\dA-F]{4} [\dA-F]+:[\dA-F]{4} [\dA-F]{2} ([\dA-F]{8}):[\dA-F]{8} \S+ \S+ +\d+ +\d+ (\d+) /gm

/** The native side of a socket. */
interface SocketHandle {
  readonly fd: number
  /**
   * Bytes that Node passed to libuv. `writeQueueSize` of them are not written to the kernel yet.
   */
  readonly bytesWritten: number
  readonly writeQueueSize: number
}

function handleOf(socket: Socket): SocketHandle | undefined {
  return (socket as unknown as { _handle?: SocketHandle | null })._handle ?? undefined
}

/**
 * Returns how many bytes were written to a connection (`all`), and how many of them the kernel has
 * accepted (`taken`).
 */
export function bytesSent(socket: Socket): { readonly all: number; readonly taken: number } {
  const { bytesWritten: all } = socket
  const { bytesWritten: passed = all, writeQueueSize = 0 } = handleOf(socket) ?? {}
  return { all, taken: passed - writeQueueSize }
}

/**
 * Returns the unacknowledged bytes of the connections that the kernel lists. Reads synchronously,
 * because the kernel returns one memory page at a time, and each asynchronous read would take a
 * tick of the event loop.
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
