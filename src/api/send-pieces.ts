/** Sending what does not fit into memory at once, as fast as its client takes it. */
import type { ServerResponse } from 'node:http'

/**
 * Sends pieces, each when the kernel has taken the one before it, and ends the response. A client that has gone ends the
 * pieces.
 * @throws what the pieces throw: the connection must end then, lest what has arrived is taken for the whole
 */
export async function sendPieces(
  response: ServerResponse,
  pieces: AsyncIterable<Buffer>,
): Promise<void> {
  const { write, close } = openWriter(response)
  try {
    for await (const piece of pieces) if (!(await write(piece))) return
    response.end()
  } finally {
    close()
  }
}

function openWriter(response: ServerResponse) {
  let settle: ((goesOn: boolean) => void) | undefined
  const gone = (): void => settle?.(false)
  // Of the response, not of its socket: as many as a client likes may wait for their turn on one connection.
  response.once('close', gone)
  return {
    /** Resolves when the kernel has the piece; false when there is nobody any more who would take another. */
    write: (piece: Buffer) =>
      new Promise<boolean>((resolve) => {
        settle = resolve
        if (response.destroyed) gone()
        else
          response.write(piece, (error) => {
            // Until a failing socket has closed, the kernel may still be reading what it was given.
            if (!error) resolve(true)
          })
      }),
    close: () => response.removeListener('close', gone),
  }
}
