/** Tells whether the catalogue is current: from its heartbeat, and from the indexer. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Head } from '../../catalogue/records.ts'
import type { StatusReply } from '../../control-socket/client.ts'
import type { Currency, IndexerReport } from '../../series/currency.ts'
import { currencyOf } from '../../series/currency.ts'
import type { ApiDeps } from '../http/settings.ts'

/** Maximum age in milliseconds of what the indexer has said. */
const maxAgeMs = 1000

/** Milliseconds that an answer waits for the indexer; then it uses what that said last. */
const patienceMs = 300

type CurrencyDeps = Pick<ApiDeps, 'indexerStatus' | 'nowUs'>

/** Without an answer, the indexer is not known to be stopped: only its heartbeat counts. */
const silent: IndexerReport = { isStopped: false }

export class CurrencyReader {
  readonly #deps: CurrencyDeps
  #last: IndexerReport = silent
  #asked: { readonly atMs: number; readonly report: Promise<IndexerReport> } | undefined

  constructor(deps: CurrencyDeps) {
    this.#deps = deps
  }

  /** The currency of a catalogue with this head. */
  async of({ asOf }: Pick<Head, 'asOf'>): Promise<Currency> {
    return currencyOf(asOf, await this.#report(), this.#deps.nowUs() / 1e6)
  }

  async #report(): Promise<IndexerReport> {
    const nowMs = performance.now()
    if (this.#asked === undefined || nowMs - this.#asked.atMs > maxAgeMs)
      this.#asked = { atMs: nowMs, report: this.#ask() }
    const given = delay(patienceMs, undefined, { ref: false })
    return (await Promise.race([this.#asked.report, given])) ?? this.#last
  }

  async #ask(): Promise<IndexerReport> {
    const status = await this.#deps.indexerStatus().catch(() => unanswered)
    this.#last = reportOf(status)
    return this.#last
  }
}

const unanswered: StatusReply = { state: 'unknown', reason: 'no answer' }

function reportOf(status: StatusReply): IndexerReport {
  if (status === undefined) return { isStopped: true }
  if (status.state === 'unknown') return silent
  return {
    isStopped: false,
    notCurrent: status.notCurrent,
    reasons: status.problems.map(({ text }) => text),
  }
}
