/** The limits that the kernel sets to file events, and what is said when they are reached. */
import { readFileSync } from 'node:fs'
import type { IndexerProblem } from '../../control-socket/protocol.ts'
import { errorCode } from '../../runtime/error-code.ts'

/**
 * True if no directory can be watched any more, because this user has no watch (ENOSPC), or no
 * inotify instance or open file (EMFILE) left. False if the problem is that of one directory.
 */
export function isExhaustion(error: Error): boolean {
  return ['ENOSPC', 'EMFILE'].includes(errorCode(error))
}

/**
 * Returns the length of the kernel's event queue. The kernel drops further events, and Node does
 * not report this.
 */
export function queueLength(): number | undefined {
  return readNumber('/proc/sys/fs/inotify/max_queued_events')
}

/**
 * Returns a function that counts the events. It assumes that the kernel's event queue overflowed
 * when as many events as half its length arrive within one tick of the event loop.
 */
export function overflowDetector(onOverflow: () => void, length = 16_384): () => void {
  const limit = Math.ceil(length / 2)
  let count = 0
  return () => {
    if (count === 0) setImmediate(() => (count = 0))
    if (++count === limit) onOverflow()
  }
}

/**
 * Returns the number of directories that this user may watch; `null` if the settings of the kernel
 * are hidden.
 */
export function watchLimit(): number | null {
  return readNumber('/proc/sys/fs/inotify/max_user_watches') ?? null
}

function readNumber(path: string): number | undefined {
  try {
    return Number(readFileSync(path, 'utf8'))
  } catch {
    return undefined // hidden by a sandbox
  }
}

/** Says why directories cannot be watched, and what the operator can do. */
export function watchProblem(error: Error): IndexerProblem {
  const code = errorCode(error) || error.message
  if (code === 'ENOSPC')
    return {
      text: 'no file watches left for this user: raise fs.inotify.max_user_watches; sweeps find changes meanwhile',
      advice:
        'Set `fs.inotify.max_user_watches` to more than the number of directories, for example in a file below `/etc/sysctl.d/`.',
    }
  if (code === 'EMFILE')
    return {
      text: 'no file watchers left: raise fs.inotify.max_user_instances or the limit of open files; sweeps find changes meanwhile',
      advice:
        'Set `fs.inotify.max_user_instances` in a file below `/etc/sysctl.d/`, or `LimitNOFILE` of the service, to a higher number.',
    }
  return {
    text: `directories cannot be watched (${code}); sweeps find changes meanwhile`,
    advice: 'Search the log of the indexer for the cause; meanwhile new files are listed later.',
  }
}
