import { once } from 'node:events'

/** Writes a line to standard output and waits while its reader is slower. */
export async function print(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain')
}

/** Ends the process silently when the reader of its output has ended, as in `… | head`. */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.stderr.write(`standard output: ${error.message}\n`)
    process.exit(error.code === 'EPIPE' ? 0 : 1)
  })
  // Errors of standard error cannot be reported.
  process.stderr.on('error', () => {})
}
