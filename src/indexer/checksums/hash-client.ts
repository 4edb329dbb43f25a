/** The client of the hash process, which reads files for their checksums (`hash-process.ts`). */
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import type { FileIdentity } from '../../catalogue/records.ts'
import { Calls, programBeside } from '../../runtime/calls.ts'
import type { Digest, DigestRequest } from './digest.ts'
import type { HashAnswer, HashRequest } from './hash-process.ts'

/** The hash process has ended, could not be started, or was ended because it sent no heartbeat; or the client is closed. */
export class HashingFailed extends Error {
  readonly code = 'HASHING_FAILED'
}

type Outcomes = Exclude<HashAnswer, 'reading'>

export type HashClient = ReturnType<typeof startHashClient>

/**
 * Starts the hash process when there are files to read, and ends it when it is idle. A separate process can have the lowest
 * priority, frees its memory when it ends, and does not delay the end of the indexer when the disk hangs. Only one call may be
 * pending. Paths are relative to the archive root.
 */
export function startHashClient(options: {
  readonly archive: string
  /** Time without a heartbeat after which the process is ended (ms). */
  readonly silentMs?: number
  /** Time without work after which the process is ended (ms). */
  readonly idleMs?: number
}) {
  const { archive, silentMs = 60_000, idleMs = 30_000 } = options
  const calls = new Calls()
  let child: ChildProcess | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false
  /** True if the process has started. From then on, silence means that the disk hangs. */
  let ready = false
  /** A process that hangs while it reads the disk outlives its kill, so the next process starts only after its exit. */
  let lastExit = Promise.resolve()

  const end = (): void => {
    clearTimeout(timer)
    child?.kill('SIGKILL')
    child = undefined
  }
  const startTimeout = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      end()
      calls.fail(new HashingFailed(`the disk has not answered for ${silentMs / 1000} s`))
    }, silentMs)
  }
  const onAnswer = (answer: HashAnswer): void => {
    ready = true
    if (answer === 'reading') {
      if (calls.sinceMs !== undefined) startTimeout()
      return
    }
    clearTimeout(timer)
    timer = setTimeout(end, idleMs).unref()
    calls.answer(answer)
  }
  const start = (): ChildProcess => {
    ready = false
    const started = fork(programBeside(import.meta.url, 'hash-process'), {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // This serialization keeps `undefined` in lists.
      serialization: 'advanced',
    })
    const gone = (message: string): void => {
      if (child !== started) return
      child = undefined
      clearTimeout(timer)
      calls.fail(new HashingFailed(message))
    }
    started.on('message', (answer) => {
      if (child === started) onAnswer(answer as HashAnswer)
    })
    lastExit = new Promise((resolve) => {
      started.on('exit', (code, signal) => {
        gone(`the hash process has ended: ${signal ?? code}`)
        resolve()
      })
      started.on('error', (error) => {
        gone(error.message)
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
    calls.call(() => {
      if (child !== undefined) send(request)
      else
        void lastExit.then(() => {
          send(request)
        })
    })
  return {
    /**
     * Reads files; returns `undefined` for a file that does not exist in the requested version, cannot be read, or changes
     * during every attempt.
     * @throws HashingFailed
     */
    async digest(files: readonly DigestRequest[]): Promise<readonly (Digest | undefined)[]> {
      const requests = files.map((file) => ({ ...file, path: join(archive, file.path) }))
      // The kind of a request decides the type of its answer.
      return (await request({ kind: 'digest', files: requests })) as readonly (Digest | undefined)[]
    },
    /**
     * Returns the identities of the files at these paths; `undefined` for a path that has no file or cannot be reached.
     * @throws HashingFailed
     */
    identify(paths: readonly string[]): Promise<readonly (FileIdentity | undefined)[]> {
      const absolute = paths.map((path) => join(archive, path))
      return request({ kind: 'identify', paths: absolute })
    },
    /** Ends the hash process without waiting for the disk; a pending call fails. */
    close(): void {
      closed = true
      end()
      calls.close(new HashingFailed('the hash client is closed'))
    },
  }
}
