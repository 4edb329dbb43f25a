/** The hash process: reads whole files for their checksums. It answers requests of its IPC channel in order. */
import { setPriority } from 'node:os'
import type { FileIdentity } from '../../catalogue/records.ts'
import { digestFile, identifyFile } from './digest.ts'
import type { Digest, DigestRequest } from './digest.ts'

/** A request: files to read, or paths of files to identify. */
export type HashRequest =
  | { readonly kind: 'digest'; readonly files: readonly DigestRequest[] }
  | { readonly kind: 'identify'; readonly paths: readonly string[] }
/** An answer: the result of each file in order; before it, a heartbeat `reading` now and then. */
export type HashAnswer =
  readonly (Digest | undefined)[] | readonly (FileIdentity | undefined)[] | 'reading'

const heartbeatMs = 1000
const lowestPriority = 19

try {
  setPriority(lowestPriority)
} catch {
  // Not permitted: then only the pauses between reads limit its load.
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

let last = Promise.resolve()
process.on('message', (request: HashRequest) => {
  sentMs = performance.now()
  last = last.then(async () => {
    send(await answer(request))
  })
})
// It has started.
send('reading')
// Ends with its parent, however that ended.
process.on('disconnect', () => process.exit())
