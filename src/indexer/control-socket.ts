/** The file by which the indexer is reached: made, made anew when it was taken away, and never that of another indexer. */
import { chmodSync, lstatSync, rmSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import type { Logger } from 'pino'

/** How long an indexer whose socket was taken away is out of reach, at most. */
const usualLookMs = 5000

export interface ControlSocketDeps {
  readonly path: string
  readonly logger: Logger
  readonly serve: (socket: Socket) => void
  readonly readMs?: number | undefined
}

/** There can be no control socket at this path; the message names it and the remedy. */
export class UnusableSocket extends Error {
  readonly code = 'UNUSABLE_SOCKET'
}

interface Listening {
  readonly server: Server
  /** The socket file. Its inode belongs to nothing else for as long as the server listens. */
  readonly file: Stats
}

/**
 * Listens at a path, as long as nobody else does.
 * @throws UnusableSocket also when another indexer answers there: that of another catalogue may be given the same path
 */
export async function openControlSocket(deps: ControlSocketDeps): Promise<{ close: () => void }> {
  const { path, logger, serve, readMs = usualLookMs } = deps
  await removeLeftOver(path)
  let current: Listening | undefined = await listen(path, serve)
  let closed = false
  const isClosed = (): boolean => closed
  const isOurs = (): boolean => isSame(current?.file, fileAt(path))
  const close = (): void => {
    // It removes what lies at its path, and in the place of ours there may be that of another.
    if (isOurs() || fileAt(path) === undefined) current?.server.close()
    else current?.server.unref()
  }
  const listenAnew = async (): Promise<void> => {
    if (isOurs()) return
    await removeLeftOver(path)
    close()
    current = undefined
    if (isClosed()) return
    current = await listen(path, serve)
    if (isClosed()) close()
    logger.warn({ control_socket: path }, 'the control socket was taken away: listening anew')
  }
  const snapshot = oneAtATime(listenAnew, (reason) => {
    logger.error({ reason }, 'nobody can ask the indexer')
  })
  const timer = setInterval(snapshot, readMs).unref()
  return {
    close() {
      closed = true
      clearInterval(timer)
      close()
    },
  }
}

/** Leaves out what is asked for while it is under way, and tells each reason for which it fails once in a row. */
function oneAtATime(
  reconcileLoop: () => Promise<void>,
  tell: (reason: string) => void,
): () => void {
  let isUnderWay = false
  let told: string | undefined
  const run = async (): Promise<void> => {
    isUnderWay = true
    try {
      await reconcileLoop()
      told = undefined
    } catch (error) {
      const { message } = error as Error
      if (message !== told) tell(message)
      told = message
    }
    isUnderWay = false
  }
  return () => {
    if (!isUnderWay) void run()
  }
}

function fileAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}

function isSame(a: Stats | undefined, b: Stats | undefined): boolean {
  return a !== undefined && a.dev === b?.dev && a.ino === b.ino
}

/** Takes away the socket of an earlier process, and nothing else. */
async function removeLeftOver(path: string): Promise<void> {
  const stats = fileAt(path)
  if (stats === undefined) return
  if (!stats.isSocket())
    throw new UnusableSocket(`${path} is no socket: configure another control_socket`)
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
    // One that may not be connected to belongs to somebody else; nobody listens on a left-over.
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT')
    })
  })
}

async function listen(path: string, serve: (socket: Socket) => void): Promise<Listening> {
  const server = createServer(serve)
  await new Promise<void>((resolve, reject) => {
    // Stays for as long as the server: a connection that cannot be accepted later is no reason to end.
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
    // The group is the API's: it may ask, others may not.
    chmodSync(path, 0o660)
    return { server, file: lstatSync(path) }
  } catch (error) {
    server.close()
    throw error
  }
}
