import { once } from 'node:events'

/** Writes a line to standard output, waiting while its reader is slower than we are. */
export async function print(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain')
}

/** Makes `… | head` end the process without a word when its reader has seen enough. */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.stderr.write(`standard output: ${error.message}\n`)
    process.exit(error.code === 'EPIPE' ? 0 : 1)
  })
  // Nobody is left to be told.
  process.stderr.on('error', () => {})
}
