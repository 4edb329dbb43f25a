/**
 * Measures the delay of the event loop minute by minute, so that several readers get the same
 * figures.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'

type Delays = Readonly<Record<'p50' | 'p99' | 'max', number>>

const minuteMs = 60_000
/**
 * Interval of the timer whose delay is measured (ms). Node's histogram contains it, so it is
 * subtracted.
 */
const resolutionMs = 50

export class EventLoopDelays {
  readonly #histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  readonly #timer: NodeJS.Timeout
  #last: Delays | undefined

  constructor() {
    this.#histogram.enable()
    this.#timer = setInterval(() => {
      this.#last = this.#measured()
      this.#histogram.reset()
    }, minuteMs).unref()
  }

  /**
   * Returns the delays in the last complete minute, in seconds; before its end, the delays since
   * the start.
   */
  lastMinute(): Delays {
    return this.#last ?? this.#measured()
  }

  #measured(): Delays {
    const seconds = (nanoseconds: number): number =>
      Math.max(0, nanoseconds / 1e9 - resolutionMs / 1000)
    return {
      p50: seconds(this.#histogram.percentile(50)),
      p99: seconds(this.#histogram.percentile(99)),
      max: seconds(this.#histogram.max),
    }
  }

  close(): void {
    clearInterval(this.#timer)
    this.#histogram.disable()
  }
}
