/** The program that reads whole files, asked over its channel, in the order of asking. */
import { setPriority } from 'node:os'
import { digestFile } from './digest.ts'
import type { Digest, DigestRequest } from './digest.ts'

/** What it is sent, and what it sends: what came of each file in turn, and before that a sign of life now and then. */
export type HashRequest = readonly DigestRequest[]
export type HashAnswer = readonly (Digest | null)[] | 'reading'

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

async function digestAll(requests: HashRequest): Promise<HashAnswer> {
  const digests: (Digest | null)[] = []
  for (const request of requests) digests.push((await digestFile(request, onProgress)) ?? null)
  return digests
}

let last = Promise.resolve()
process.on('message', (requests: HashRequest) => {
  signedMs = performance.now()
  last = last.then(async () => {
    tell(await digestAll(requests))
  })
})
// It has started.
tell('reading')
// However the one that asks has ended.
process.on('disconnect', () => process.exit())
