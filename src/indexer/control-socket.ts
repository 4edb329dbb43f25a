/** Creates the socket file of the indexer, and never takes it over from another indexer. */
import { chmodSync, lstatSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { Server, Socket } from 'node:net'

/** The control socket cannot be created at this path; the message names the path and the remedy. */
export class UnusableSocket extends Error {
  readonly code = 'UNUSABLE_SOCKET'
}

/**
 * Listens on a path; closing the server removes the socket.
 * @throws UnusableSocket also if another indexer answers there, because the indexer of another catalogue may have the same path
 */
export async function listenOn(path: string, serve: (socket: Socket) => void): Promise<Server> {
  await removeStaleSocket(path)
  const server = createServer(serve)
  await new Promise<void>((resolve, reject) => {
    // The listener stays for the life of the server, because a later connection that cannot be accepted must not end the process.
    server.on('error', (error) => {
      reject(
        new UnusableSocket(
          `cannot listen on the control socket ${path}: ${error.message}: configure another control_socket, in a folder that this user may write`,
          { cause: error },
        ),
      )
    })
    server.listen(path, resolve)
  })
  // The API is in the group and may connect; users outside the group may not.
  chmodSync(path, 0o660)
  return server
}

/** Removes the socket of an earlier process, and nothing else. @throws UnusableSocket */
async function removeStaleSocket(path: string): Promise<void> {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return
  if (!stats.isSocket())
    throw new UnusableSocket(`${path} is not a socket: configure another control_socket`)
  if (await isInUse(path))
    throw new UnusableSocket(
      `already running: another indexer answers on ${path}, configure another control_socket`,
    )
  rmSync(path, { force: true })
}

function isInUse(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    // A stale socket refuses the connection; ENOENT means that the socket file was removed meanwhile. Any other error (EACCES)
    // means that the socket belongs to another process.
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT')
    })
  })
}
