import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FileIdentity } from '../../catalogue/records.ts'
import type { Digest, DigestRequest } from './digest.ts'
import type { HashAnswer, HashRequest } from './hash-process.ts'

/**
 * Reads whole files in a process of its own, which starts when there is something to read and ends a while after: it
 * has the lowest priority, its memory is given back, and a disk that hangs under it keeps nobody from ending.
 * One call at a time. Paths are below the archive root.
 */
export interface HashClient {
  /**
   * Reads files; gives `undefined` for those that are not there as they were asked for.
   * @throws HasherFailed when nothing came of it
   */
  digest(files: readonly DigestRequest[]): Promise<readonly (Digest | undefined)[]>
  /**
   * Looks which files lie at paths now; gives `undefined` where there is none.
   * @throws HasherFailed when nothing came of it
   */
  identify(paths: readonly string[]): Promise<readonly (FileIdentity | undefined)[]>
  /** Ends the process without waiting for the disk; what was asked fails. */
  close(): void
}

/** The process has ended, or had to be ended because it was heard of no more. */
export class HashingFailed extends Error {
  readonly code = 'HASHER_FAILED'
}

/** The file beside this one, under whichever suffix this one runs: `.ts` in tests, `.js` when built. */
const program = fileURLToPath(import.meta.url).replace(/hash-client(\.[jt]s)$/, 'hash-process$1')

export interface HashClientOptions {
  readonly archive: string
  /** After this time without a sign of life it is ended (ms). */
  readonly silentMs?: number
  /** After this time without work (ms). */
  readonly idleMs?: number
}

type Outcomes = Exclude<HashAnswer, 'reading'>

interface Asked {
  resolve(outcomes: Outcomes): void
  reject(error: HashingFailed): void
}

export function startHashClient(options: HashClientOptions): HashClient {
  const { archive, silentMs = 60_000, idleMs = 30_000 } = options
  let child: ChildProcess | undefined
  let requested: Asked | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false
  /** Whether the process has started: from then on it is the disk that it waits for. */
  let ready = false
  /** A process that hangs in the disk outlives its end: there is never a second one beside it. */
  let before = Promise.resolve()

  const fail = (message: string): void => {
    clearTimeout(timer)
    requested?.reject(new HashingFailed(message))
    requested = undefined
  }
  const end = (): void => {
    clearTimeout(timer)
    child?.kill('SIGKILL')
    child = undefined
  }
  const expect = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      end()
      fail(`nothing could be read for ${silentMs / 1000} s: the disk hangs`)
    }, silentMs)
  }
  const hear = (answer: HashAnswer): void => {
    ready = true
    if (answer === 'reading') {
      if (requested !== undefined) expect()
      return
    }
    clearTimeout(timer)
    timer = setTimeout(end, idleMs).unref()
    requested?.resolve(answer)
    requested = undefined
  }
  const start = (): ChildProcess => {
    ready = false
    const started = fork(program, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
    const gone = (message: string) => (): void => {
      if (child !== started) return
      child = undefined
      fail(message)
    }
    started.on('message', (answer) => {
      if (child === started) hear(answer as HashAnswer)
    })
    before = new Promise((resolve) => {
      started.on('exit', (code, signal) => {
        gone(`it has ended: ${signal ?? code}`)()
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
    if (ready) expect()
    // What comes of a failure is told by the end of the process.
    child.send(request, () => undefined)
  }
  const ask = (request: HashRequest): Promise<Outcomes> =>
    new Promise((resolve, reject) => {
      if (closed) {
        reject(new HashingFailed('it is closed'))
        return
      }
      requested = { resolve, reject }
      if (child !== undefined) send(request)
      else
        void before.then(() => {
          send(request)
        })
    })
  return {
    // The kind of a request decides the type of its answer.
    async digest(files) {
      const requests = files.map((file) => ({ ...file, path: join(archive, file.path) }))
      const digests = await ask({ kind: 'digest', files: requests })
      return (digests as readonly (Digest | null)[]).map((digest) => digest ?? undefined)
    },
    async identify(paths) {
      const whole = paths.map((path) => join(archive, path))
      const identities = await ask({ kind: 'identify', paths: whole })
      return identities.map((identity) => identity ?? undefined)
    },
    close() {
      closed = true
      end()
      fail('it is closed')
    },
  }
}
