/**
 * Manages the socket file of the indexer: creates it, creates it again if it was removed, and never takes it over from another
 * indexer.
 */
import { chmodSync, lstatSync, rmSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import type { Logger } from 'pino'

/**
 * Time between two checks that the socket file exists (ms). If it was removed, the indexer cannot be reached for at most this
 * time.
 */
const defaultCheckIntervalMs = 5000

/** The control socket cannot be created at this path; the message names the path and the remedy. */
export class UnusableSocket extends Error {
  readonly code = 'UNUSABLE_SOCKET'
}

interface Listening {
  readonly server: Server
  /** The socket file. Its inode is not reused while the server listens. */
  readonly file: Stats
}

/**
 * Listens on a path.
 * @throws UnusableSocket also if another indexer answers there, because the indexer of another catalogue may have the same path
 */
export async function openControlSocket(options: {
  readonly path: string
  readonly logger: Logger
  readonly serve: (socket: Socket) => void
  readonly checkIntervalMs?: number | undefined
}): Promise<{ close: () => void }> {
  const { path, logger, serve, checkIntervalMs = defaultCheckIntervalMs } = options
  await removeStaleSocket(path)
  let current: Listening | undefined = await listen(path, serve)
  let closed = false
  const isClosed = (): boolean => closed
  const isOurs = (): boolean => isSame(current?.file, fileAt(path))
  const close = (): void => {
    // Closing the server removes the file at the path, which may be the socket of another indexer by now.
    if (isOurs() || fileAt(path) === undefined) current?.server.close()
    else current?.server.unref()
  }
  const restoreSocket = async (): Promise<void> => {
    if (isOurs()) return
    await removeStaleSocket(path)
    close()
    current = undefined
    if (isClosed()) return
    current = await listen(path, serve)
    if (isClosed()) close()
    logger.warn({ control_socket: path }, 'control socket removed; created again')
  }
  let lastReason: string | undefined
  const check = async (): Promise<void> => {
    try {
      await restoreSocket()
      lastReason = undefined
    } catch (error) {
      const { message } = error as Error
      if (message !== lastReason) logger.error({ reason: message }, 'control socket unavailable')
      lastReason = message
    }
    checkLater()
  }
  let timer: NodeJS.Timeout | undefined
  const checkLater = (): void => {
    if (!isClosed()) timer = setTimeout(() => void check(), checkIntervalMs).unref()
  }
  checkLater()
  return {
    close() {
      closed = true
      clearTimeout(timer)
      close()
    },
  }
}

function fileAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}

function isSame(a: Stats | undefined, b: Stats | undefined): boolean {
  return a !== undefined && a.dev === b?.dev && a.ino === b.ino
}

/** Removes the socket of an earlier process, and nothing else. @throws UnusableSocket */
async function removeStaleSocket(path: string): Promise<void> {
  const stats = fileAt(path)
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

async function listen(path: string, serve: (socket: Socket) => void): Promise<Listening> {
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
  try {
    // The API is in the group and may connect; users outside the group may not.
    chmodSync(path, 0o660)
    return { server, file: lstatSync(path) }
  } catch (error) {
    server.close()
    throw error
  }
}
