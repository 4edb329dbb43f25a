/** Manages the socket file of the indexer: creates it, and creates it again if it was removed. */
import type { Stats } from 'node:fs'
import { chmodSync, lstatSync, rmSync } from 'node:fs'
import type { Server, Socket } from 'node:net'
import { createServer } from 'node:net'
import type { Logger } from 'pino'
import { repeat } from '../runtime/clock.ts'

/**
 * Time between two checks that the socket file exists (ms). If it was removed, the indexer cannot
 * be reached for at most this time.
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
 * Listens on a path, and again after its file was removed. A socket that is there was left by an
 * earlier process: the caller has the write lock, and the path belongs to its database.
 * @throws UnusableSocket
 */
export async function openControlSocket(options: {
  readonly path: string
  readonly logger: Logger
  readonly serve: (socket: Socket) => void
  readonly checkIntervalMs?: number | undefined
}): Promise<{ close: () => void }> {
  const { path, logger, serve, checkIntervalMs = defaultCheckIntervalMs } = options
  removeStaleSocket(path)
  let current: Listening | undefined = await listen(path, serve)
  const ending = new AbortController()
  const close = (): void => {
    // Closing the server removes the file at the path, which may be the socket of another indexer
    // by now.
    const file = fileAt(path)
    if (file === undefined || isSame(current?.file, file)) current?.server.close()
    else current?.server.unref()
  }
  const restoreSocket = async (): Promise<void> => {
    if (fileAt(path) !== undefined) return
    close()
    current = undefined
    current = await listen(path, serve)
    if (ending.signal.aborted) close()
    logger.warn({ control_socket: path }, 'control socket removed; created again')
  }
  let lastReason: string | undefined
  const check = async (): Promise<number> => {
    try {
      await restoreSocket()
      lastReason = undefined
    } catch (error) {
      const { message } = error as Error
      if (message !== lastReason) logger.error({ reason: message }, 'control socket unavailable')
      lastReason = message
    }
    return checkIntervalMs
  }
  void repeat(check, ending.signal)
  return {
    close() {
      ending.abort()
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
function removeStaleSocket(path: string): void {
  const stats = fileAt(path)
  if (stats === undefined) return
  if (!stats.isSocket())
    throw new UnusableSocket(`${path} is not a socket: configure another control_socket`)
  rmSync(path, { force: true })
}

async function listen(path: string, serve: (socket: Socket) => void): Promise<Listening> {
  const server = createServer(serve)
  await new Promise<void>((resolve, reject) => {
    // The listener stays for the life of the server, because a later connection that cannot be
    // accepted must not end the process.
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
