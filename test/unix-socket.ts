import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { createServer } from 'node:net'
import type { Test } from 'tap'

/**
 * Listens on a Unix socket in a directory until the test has ended. The path of a socket has at
 * most 107 bytes, so the directory is named by its descriptor, however long its own path is.
 */
export async function listenIn(t: Test, directory: string, name: string): Promise<void> {
  const descriptor = openSync(directory, 'r')
  const server = createServer()
  t.teardown(async () => {
    // This removes the socket too, by the same path.
    await once(server.close(), 'close')
    closeSync(descriptor)
  })
  await once(server.listen(`/proc/self/fd/${descriptor}/${name}`), 'listening')
}
