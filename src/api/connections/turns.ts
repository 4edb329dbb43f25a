/**
 * Turns of work: one piece in each tick of the event loop, so that short requests are answered
 * between two.
 */
import type { Server } from 'node:http'
import { setImmediate as nextTick } from 'node:timers/promises'
import { FairQueue } from '../../runtime/fair-queue.ts'

/**
 * Maximum number of ticks between two turns while connections arrive, of which Node accepts one in
 * each. Without these ticks, each connection of a burst would wait for a piece of work.
 */
const maxTicksPerTurn = 100

/** Milliseconds of one tick in which requests start at once; those that follow take turns. */
const startMs = 10

export class Turns {
  /** Functions that begin the turns, by client address. The addresses take turns too. */
  readonly #waiting = new FairQueue<() => void>()
  #isRunning = false
  /** Number of connections accepted so far. */
  #accepted = 0
  /** Until when requests start at once in this tick; `undefined` if none has started in it. */
  #startsUntilMs: number | undefined

  watch(server: Server): void {
    server.on('connection', () => {
      this.#accepted++
    })
  }

  /** Resolves in a tick of its own: the turn lasts until the caller waits again. */
  take(address: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(address, resolve)
      if (!this.#isRunning) void this.#run()
    })
  }

  /** Starts a request: at once, or in a turn if many requests arrived in this tick. */
  start(address: string, begin: () => void): void {
    const nowMs = performance.now()
    if (this.#startsUntilMs === undefined) {
      this.#startsUntilMs = nowMs + startMs
      setImmediate(() => {
        this.#startsUntilMs = undefined
      })
    }
    if (nowMs < this.#startsUntilMs) begin()
    else void this.take(address).then(begin)
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    for (;;) {
      await this.#untilAccepted()
      const begin = this.#waiting.shift()
      if (begin === undefined) break
      begin()
    }
    this.#isRunning = false
  }

  /** Waits one tick, and further ticks while each of them accepts a connection. */
  async #untilAccepted(): Promise<void> {
    for (let tick = 0, before = -1; tick < maxTicksPerTurn && before !== this.#accepted; tick++) {
      before = this.#accepted
      await nextTick()
    }
  }
}
