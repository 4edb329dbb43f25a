/** Call and answer with a thread or a child process that answers one call after the other. */

interface Call {
  readonly sinceMs: number
  readonly resolve: (answer: never) => void
  readonly reject: (error: Error) => void
}

/** The calls to a thread or process that have no answer yet. It answers them in their order. */
export class Calls {
  readonly #pending: Call[] = []
  #failure: Error | undefined

  /** Time at which the oldest pending call was made (steady clock, ms); `undefined` without one. */
  get sinceMs(): number | undefined {
    return this.#pending[0]?.sinceMs
  }

  /** @param send sends the call; it is not sent after `close` */
  call<Answer>(send: () => void): Promise<Answer> {
    const answer = new Promise<Answer>((resolve, reject) => {
      if (this.#failure !== undefined) throw this.#failure
      this.#pending.push({ sinceMs: performance.now(), resolve, reject })
      send()
    })
    // Several calls may fail at once. The first failure ends the process in order; the others must
    // not count as unhandled errors, which would end it at once.
    answer.catch(() => undefined)
    return answer
  }

  /** Resolves the oldest pending call. */
  answer(answer: unknown): void {
    this.#pending.shift()?.resolve(answer as never)
  }

  /** Rejects all pending calls. */
  fail(error: Error): void {
    for (const call of this.#pending.splice(0)) call.reject(error)
  }

  /** Rejects all pending calls, and all later ones. */
  close(error: Error): void {
    this.#failure ??= error
    this.fail(this.#failure)
  }
}

/** The other side: makes a listener that answers requests one after the other, in their order. */
export function inTurn<Request>(answer: (request: Request) => Promise<void>) {
  let last = Promise.resolve()
  return (request: Request): void => {
    last = last.then(() => answer(request))
  }
}

/**
 * The program of a thread or process, in the same folder as the module that starts it and with its
 * suffix: `.ts` in tests, `.js` when built.
 */
export function programBeside(module: string, name: string): URL {
  return new URL(name + module.slice(-3), module)
}
