/** The client of the hash process, which reads files for their checksums (`hash-process.ts`). */
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FileIdentity } from '../../catalogue/records.ts'
import type { Digest, DigestRequest } from './digest.ts'
import type { HashAnswer, HashRequest } from './hash-process.ts'

/**
 * Starts the hash process when there are files to read, and ends it when it is idle. A separate process can have the lowest
 * priority, frees its memory when it ends, and does not delay the end of the indexer when the disk hangs. Only one call may be
 * pending. Paths are relative to the archive root.
 */
export interface HashClient {
  /**
   * Reads files; returns `undefined` for a file that does not exist in the requested version, cannot be read, or changes during
   * every attempt.
   * @throws HashingFailed
   */
  digest(files: readonly DigestRequest[]): Promise<readonly (Digest | undefined)[]>
  /**
   * Returns the identities of the files at these paths; `undefined` for a path that has no file or cannot be reached.
   * @throws HashingFailed
   */
  identify(paths: readonly string[]): Promise<readonly (FileIdentity | undefined)[]>
  /** Ends the hash process without waiting for the disk; a pending call fails. */
  close(): void
}

/** The hash process has ended, could not be started, or was ended because it sent no heartbeat; or the client is closed. */
export class HashingFailed extends Error {
  readonly code = 'HASHING_FAILED'
}

/** The file of the hash process. It is in the folder of this file and has the same suffix: `.ts` in tests, `.js` when built. */
const hashProcessFile = fileURLToPath(import.meta.url).replace(
  /hash-client(\.[jt]s)$/,
  'hash-process$1',
)

export interface HashClientOptions {
  readonly archive: string
  /** Time without a heartbeat after which the process is ended (ms). */
  readonly silentMs?: number
  /** Time without work after which the process is ended (ms). */
  readonly idleMs?: number
}

type Outcomes = Exclude<HashAnswer, 'reading'>

interface PendingCall {
  resolve(outcomes: Outcomes): void
  reject(error: HashingFailed): void
}

export function startHashClient(options: HashClientOptions): HashClient {
  const { archive, silentMs = 60_000, idleMs = 30_000 } = options
  let child: ChildProcess | undefined
  let pending: PendingCall | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false
  /** True if the process has started. From then on, silence means that the disk hangs. */
  let ready = false
  /** A process that hangs while it reads the disk outlives its kill, so the next process starts only after its exit. */
  let lastExit = Promise.resolve()

  const fail = (message: string): void => {
    clearTimeout(timer)
    pending?.reject(new HashingFailed(message))
    pending = undefined
  }
  const end = (): void => {
    clearTimeout(timer)
    child?.kill('SIGKILL')
    child = undefined
  }
  const startTimeout = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      end()
      fail(`the disk has not answered for ${silentMs / 1000} s`)
    }, silentMs)
  }
  const onAnswer = (answer: HashAnswer): void => {
    ready = true
    if (answer === 'reading') {
      if (pending !== undefined) startTimeout()
      return
    }
    clearTimeout(timer)
    timer = setTimeout(end, idleMs).unref()
    pending?.resolve(answer)
    pending = undefined
  }
  const start = (): ChildProcess => {
    ready = false
    const started = fork(hashProcessFile, {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // This serialization keeps `undefined` in lists.
      serialization: 'advanced',
    })
    const gone = (message: string) => (): void => {
      if (child !== started) return
      child = undefined
      fail(message)
    }
    started.on('message', (answer) => {
      if (child === started) onAnswer(answer as HashAnswer)
    })
    lastExit = new Promise((resolve) => {
      started.on('exit', (code, signal) => {
        gone(`the hash process has ended: ${signal ?? code}`)()
        resolve()
      })
      started.on('error', (error) => {
        gone(error.message)()
        if (started.pid === undefined) resolve()
      })
    })
    return started
  }
  const send = (request: HashRequest): void => {
    if (closed) return
    child ??= start()
    if (ready) startTimeout()
    // An error is ignored here, because the exit of the process reports it.
    child.send(request, () => undefined)
  }
  const request = (request: HashRequest): Promise<Outcomes> =>
    new Promise((resolve, reject) => {
      pending = { resolve, reject }
      if (closed) fail('the hash client is closed')
      else if (child !== undefined) send(request)
      else
        void lastExit.then(() => {
          send(request)
        })
    })
  return {
    // The kind of a request decides the type of its answer.
    async digest(files) {
      const requests = files.map((file) => ({ ...file, path: join(archive, file.path) }))
      return (await request({ kind: 'digest', files: requests })) as readonly (Digest | undefined)[]
    },
    identify(paths) {
      const absolute = paths.map((path) => join(archive, path))
      return request({ kind: 'identify', paths: absolute })
    },
    close() {
      closed = true
      end()
      fail('the hash client is closed')
    },
  }
}
