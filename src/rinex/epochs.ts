/** Counts the epochs of a file. */

/** Most different steps that are counted; an honest file has a few. */
const mostSteps = 4096
/** A step that is found less often says nothing about the interval. */
const leastOften = 10

/** A place where an epoch must begin and none does, or one that is not later than that before. */
export interface Tear {
  /** The last epoch before it, if there is one. */
  readonly afterUs: number | undefined
  /** The epoch that is not later; `undefined` if none begins there. */
  readonly foundUs: number | undefined
}

/** What was counted in a file. Times are microseconds since 1970, without zone. */
export interface EpochCount {
  readonly epochs: number
  readonly firstUs: number | undefined
  readonly lastUs: number | undefined
  /** The most frequent step between two epochs, in seconds, if it was found often enough. */
  readonly step_s: number | undefined
  /** Number of places where something is missing, doubled or spliced, and the first of them. */
  readonly tears: number
  readonly firstTear: Tear | undefined
}

export class Epochs {
  #epochs = 0
  #firstUs: number | undefined
  #lastUs: number | undefined
  #tears = 0
  #firstTear: Tear | undefined
  /** How often each step was found, by milliseconds. */
  readonly #steps = new Map<number, number>()

  get lastUs(): number | undefined {
    return this.#lastUs
  }

  /** Counts an epoch; one that is not later than the one before is a tear instead. */
  add(timeUs: number): void {
    const last = this.#lastUs
    if (last !== undefined) {
      if (timeUs <= last) {
        this.tear(timeUs)
        return
      }
      this.#addStep(Math.round((timeUs - last) / 1000))
    }
    this.#firstUs ??= timeUs
    this.#lastUs = timeUs
    this.#epochs++
  }

  /** @param foundUs the time of an epoch that is not later than the one before */
  tear(foundUs?: number): void {
    this.#tears++
    this.#firstTear ??= { afterUs: this.#lastUs, foundUs }
  }

  #addStep(ms: number): void {
    const often = this.#steps.get(ms)
    if (often !== undefined) this.#steps.set(ms, often + 1)
    else if (this.#steps.size < mostSteps) this.#steps.set(ms, 1)
  }

  result(): EpochCount {
    let step: number | undefined
    let most = leastOften - 1
    for (const [ms, often] of this.#steps) {
      if (often > most || (often === most && step !== undefined && ms < step)) {
        step = ms
        most = often
      }
    }
    return {
      epochs: this.#epochs,
      firstUs: this.#firstUs,
      lastUs: this.#lastUs,
      step_s: step === undefined || step === 0 ? undefined : step / 1000,
      tears: this.#tears,
      firstTear: this.#firstTear,
    }
  }
}
