/** The client of the hash process, which reads files for their checksums and facts. */
import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import { join } from 'node:path'
import type { FileIdentity } from '../../catalogue/records.ts'
import { Calls, programBeside } from '../../runtime/calls.ts'
import { noDebugger } from '../../runtime/program.ts'
import type { Digest, DigestRequest } from './digest.ts'
import type { HashAnswer, HashRequest } from './hash-process.ts'

/**
 * The hash process has ended, could not be started, or was ended because it sent no heartbeat; or
 * the client is closed.
 */
export class HashingFailed extends Error {
  readonly code = 'HASHING_FAILED'
}

interface HashClientOptions {
  readonly archive: string
  /** True if files are read for their facts too. */
  readonly facts?: boolean
  /** Time without a heartbeat after which the process is ended (ms). */
  readonly silentMs?: number
  /** Time without work after which the process is ended (ms). */
  readonly idleMs?: number
}

/**
 * Starts the hash process when there are files to read, and ends it when it is idle. A separate
 * process can have the lowest priority, frees its memory when it ends, and does not delay the end
 * of the indexer when the disk hangs. Only one call may be pending. Paths are relative to the
 * archive root.
 */
export class HashClient {
  readonly #options: Required<HashClientOptions>
  readonly #calls = new Calls()
  #child: ChildProcess | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false
  /** True if the process has started. From then on, silence means that the disk hangs. */
  #ready = false
  /**
   * A process that hangs while it reads the disk outlives its kill, so the next process starts only
   * after its exit.
   */
  #lastExit = Promise.resolve()

  constructor(options: HashClientOptions) {
    this.#options = { facts: false, silentMs: 60_000, idleMs: 30_000, ...options }
  }

  /**
   * Reads files; returns `undefined` for a file that does not exist in the requested version,
   * cannot be read, or changes during every attempt.
   * @throws HashingFailed
   */
  async digest(files: readonly DigestRequest[]): Promise<readonly (Digest | undefined)[]> {
    const { facts } = this.#options
    const requests = files.map((file) => ({ ...file, path: this.#absolute(file.path), facts }))
    // The kind of a request decides the type of its answer.
    return (await this.#request({ kind: 'digest', files: requests })) as readonly (
      Digest | undefined
    )[]
  }

  /**
   * Returns the identities of the files at these paths; `undefined` for a path that has no file or
   * cannot be reached.
   * @throws HashingFailed
   */
  identify(paths: readonly string[]): Promise<readonly (FileIdentity | undefined)[]> {
    return this.#request({ kind: 'identify', paths: paths.map((path) => this.#absolute(path)) })
  }

  /** Ends the hash process without waiting for the disk; a pending call fails. */
  close(): void {
    this.#closed = true
    this.#end()
    this.#calls.close(new HashingFailed('the hash client is closed'))
  }

  #absolute(path: string): string {
    return join(this.#options.archive, path)
  }

  #request(request: HashRequest): Promise<Exclude<HashAnswer, 'reading'>> {
    return this.#calls.call(() => {
      if (this.#child !== undefined) this.#send(request)
      else
        void this.#lastExit.then(() => {
          this.#send(request)
        })
    })
  }

  #send(request: HashRequest): void {
    if (this.#closed) return
    this.#child ??= this.#start()
    if (this.#ready) this.#startTimeout()
    // An error is ignored here, because the exit of the process reports it.
    this.#child.send(request, () => undefined)
  }

  #start(): ChildProcess {
    this.#ready = false
    const child = fork(programBeside(import.meta.url, 'hash-process'), {
      execArgv: [...process.execArgv, noDebugger],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // This serialization keeps `undefined` in lists.
      serialization: 'advanced',
    })
    const gone = (message: string): void => {
      if (this.#child !== child) return
      this.#child = undefined
      this.#fail(message)
    }
    child.on('message', (answer) => {
      if (this.#child === child) this.#onAnswer(answer as HashAnswer)
    })
    this.#lastExit = new Promise((resolve) => {
      child.on('exit', (code, signal) => {
        gone(`the hash process has ended: ${signal ?? code}`)
        resolve()
      })
      child.on('error', (error) => {
        gone(error.message)
        if (child.pid === undefined) resolve()
      })
    })
    return child
  }

  #onAnswer(answer: HashAnswer): void {
    this.#ready = true
    if (answer !== 'reading') {
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => {
        this.#end()
      }, this.#options.idleMs).unref()
      this.#calls.answer(answer)
    } else if (this.#calls.sinceMs !== undefined) this.#startTimeout()
  }

  #startTimeout(): void {
    const { silentMs } = this.#options
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#end()
      this.#fail(`the disk has not answered for ${silentMs / 1000} s`)
    }, silentMs)
  }

  #end(): void {
    clearTimeout(this.#timer)
    this.#child?.kill('SIGKILL')
    this.#child = undefined
  }

  #fail(message: string): void {
    clearTimeout(this.#timer)
    this.#calls.fail(new HashingFailed(message))
  }
}
