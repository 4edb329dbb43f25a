/**
 * The folder of a demo below the folder for temporary files. While its program lives, a socket in
 * it accepts connections: so a later start recognises what a killed program has left, and removes
 * it.
 */
import { once } from 'node:events'
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import type { Server } from 'node:net'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const prefix = 'rinex-catalogue-demo-'
const socketName = 'alive.sock'
const markName = 'README'
const mark =
  'The demo of rinex-catalogue. The program removes this folder when it ends, or at its next start.\n'

/** The folder of a running demo. */
export class DemoFolder {
  readonly path: string
  readonly #alive: Server

  constructor(path: string, alive: Server) {
    this.path = path
    this.#alive = alive
  }

  /** Removes the folder. */
  close(): void {
    removeFolder(this.path)
    this.#alive.close()
  }
}

/** Makes an empty folder, and removes those of programs that were killed. */
export async function makeDemoFolder(): Promise<DemoFolder> {
  for (const name of readdirSync(tmpdir()))
    if (name.startsWith(prefix) && (await isLeftover(join(tmpdir(), name))))
      removeFolder(join(tmpdir(), name))
  const path = mkdtempSync(join(tmpdir(), prefix))
  const alive = createServer((socket) => socket.destroy())
  try {
    await once(alive.listen(join(path, socketName)), 'listening')
  } catch (error) {
    // For example the name of the socket is too long. A folder without a mark would never go.
    rmSync(path, { recursive: true })
    throw error
  }
  // The socket does not keep the program from ending. The mark comes last: a folder with it had a
  // socket.
  alive.unref()
  writeFileSync(join(path, markName), mark)
  return new DemoFolder(path, alive)
}

/** True for a folder of a demo of this user, whose program has ended. */
async function isLeftover(path: string): Promise<boolean> {
  try {
    const found = lstatSync(path)
    if (!found.isDirectory() || found.uid !== process.getuid?.()) return false
    if (readFileSync(join(path, markName), 'utf8') !== mark) return false
  } catch {
    // It is being removed, or is none of ours.
    return false
  }
  const socket = connect(join(path, socketName))
  try {
    await once(socket, 'connect')
    return false
  } catch (error) {
    return ['ECONNREFUSED', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')
  } finally {
    socket.destroy()
  }
}

/** Removes the mark last, so that the next start continues if this program is killed meanwhile. */
function removeFolder(path: string): void {
  const removing = { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }
  // Another start may remove the same folder.
  for (const name of existsSync(path) ? readdirSync(path) : [])
    if (name !== markName) rmSync(join(path, name), removing)
  rmSync(path, removing)
}
