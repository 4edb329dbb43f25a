/**
 * Work that blocks the event loop for some milliseconds takes turns: one piece of work in each tick
 * of the event loop. Between two pieces, connections are accepted and short requests are answered.
 */
import type { Server } from 'node:http'
import { setImmediate as nextTick } from 'node:timers/promises'
import { FairQueue } from '../../runtime/fair-queue.ts'

/**
 * Maximum number of ticks of the event loop between two turns while connections arrive. Node
 * accepts one connection in each tick. Without these ticks, each connection of a burst would wait
 * for a piece of work.
 */
const maxTicksPerTurn = 100

export class Turns {
  /** Functions that begin the turns, by client address. The addresses take turns too. */
  readonly #waiting = new FairQueue<() => void>()
  #isRunning = false
  /** Number of connections accepted so far. */
  #accepted = 0

  /** Counts the connections that the server accepts. */
  watch(server: Server): void {
    server.on('connection', () => {
      this.#accepted++
    })
  }

  /**
   * Resolves in a tick of the event loop in which no other turn begins. What the caller does before
   * it waits again is its turn.
   * @param address of the client for which the turn counts
   */
  take(address: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(address, resolve)
      if (!this.#isRunning) void this.#run()
    })
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
