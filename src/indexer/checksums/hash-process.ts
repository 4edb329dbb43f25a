/**
 * The hash process: reads whole files for their checksums and facts. It answers the requests on its
 * IPC channel in order.
 */
import { setPriority } from 'node:os'
import type { FileIdentity } from '../../catalogue/records.ts'
import { inTurn } from '../../runtime/calls.ts'
import type { Digest, DigestRequest } from './digest.ts'
import { digestFile, identifyFile } from './digest.ts'

/** A request: files to read, or paths of files to identify. */
export type HashRequest =
  | { readonly kind: 'digest'; readonly files: readonly DigestRequest[] }
  | { readonly kind: 'identify'; readonly paths: readonly string[] }
/**
 * An answer: the result for each file, in order; or the heartbeat `reading`. The heartbeat is sent
 * when the process has started, and about every second while the reads for an answer make progress.
 */
export type HashAnswer =
  readonly (Digest | undefined)[] | readonly (FileIdentity | undefined)[] | 'reading'

const heartbeatMs = 1000
const lowestPriority = 19

// See cli.js.
process.on('SIGUSR1', () => undefined)

try {
  setPriority(lowestPriority)
} catch {
  // If the system does not permit this, only the pauses between reads limit the load of the
  // process.
}

let sentMs = performance.now()
const send = (answer: HashAnswer): void => {
  sentMs = performance.now()
  process.send?.(answer)
}
const onProgress = (): void => {
  if (performance.now() - sentMs > heartbeatMs) send('reading')
}

async function answer(request: HashRequest): Promise<HashAnswer> {
  if (request.kind === 'identify')
    return request.paths.map((path) => {
      onProgress()
      return identifyFile(path)
    })
  const digests: (Digest | undefined)[] = []
  for (const file of request.files) digests.push(await digestFile(file, onProgress))
  return digests
}

const answerInTurn = inTurn(async (request: HashRequest) => {
  send(await answer(request))
})
process.on('message', (request: HashRequest) => {
  sentMs = performance.now()
  answerInTurn(request)
})
// Reports that the process has started.
send('reading')
// The process ends when its parent has ended, for whatever reason.
process.on('disconnect', () => process.exit())
