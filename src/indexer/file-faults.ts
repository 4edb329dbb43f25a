import type { Logger } from 'pino'

/** The fault of the gzip stream of a file. */
export type FileFault = 'incomplete' | 'broken'

/** Files that are remembered; a damaged disk may have any number. */
const mostFiles = 10_000

const messages: Readonly<Record<FileFault, string>> = {
  incomplete: 'gzip stream of a file has no end',
  broken: 'gzip stream of a file is damaged',
}

/** Logs a fault of a file; once for each fault of a file, also if the file is read again. */
export type LogFileFault = (path: string, fault: FileFault) => void

export function openFileFaults(logger: Logger): LogFileFault {
  const logged = new Map<string, FileFault>()
  return (path, fault) => {
    if (logged.get(path) === fault) return
    logged.set(path, fault)
    const [oldest] = logged.keys()
    if (logged.size > mostFiles && oldest !== undefined) logged.delete(oldest)
    logger.warn({ path }, messages[fault])
  }
}
