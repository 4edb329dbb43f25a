/** The program that reads whole files, asked over its channel, in the order of asking. */
import { setPriority } from 'node:os'
import type { FileIdentity } from '../../catalogue/records.ts'
import { digestFile, identifyFile } from './digest.ts'
import type { Digest, DigestRequest } from './digest.ts'

/** A request: files to read, or the paths of files to look at. */
export type HashRequest =
  | { readonly kind: 'digest'; readonly files: readonly DigestRequest[] }
  | { readonly kind: 'identify'; readonly paths: readonly string[] }
/** An answer: the outcome of each file in turn, and before that a sign of life now and then. */
export type HashAnswer = readonly (Digest | null)[] | readonly (FileIdentity | null)[] | 'reading'

/** Between two signs of life. */
const signMs = 1000
/** Whatever else there is to do goes first. */
const lowestPriority = 19

try {
  setPriority(lowestPriority)
} catch {
  // Where that is not allowed it is the pauses alone that leave room for others.
}

let signedMs = performance.now()
const tell = (answer: HashAnswer): void => {
  signedMs = performance.now()
  process.send?.(answer)
}
const onProgress = (): void => {
  if (performance.now() - signedMs > signMs) tell('reading')
}

async function answer(request: HashRequest): Promise<HashAnswer> {
  if (request.kind === 'identify')
    return request.paths.map((path) => {
      onProgress()
      return identifyFile(path) ?? null
    })
  const digests: (Digest | null)[] = []
  for (const file of request.files) digests.push((await digestFile(file, onProgress)) ?? null)
  return digests
}

let last = Promise.resolve()
process.on('message', (request: HashRequest) => {
  signedMs = performance.now()
  last = last.then(async () => {
    tell(await answer(request))
  })
})
// It has started.
tell('reading')
// However the one that asks has ended.
process.on('disconnect', () => process.exit())
