/** Tells until when the catalogue speaks for the disk: from its head, and from the indexer. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Head } from '../../catalogue/records.ts'
import type { StatusReply } from '../../control-socket/client.ts'
import type { AsOf, IndexerReport } from '../../series/as-of.ts'
import { asOfNow } from '../../series/as-of.ts'
import type { ApiDeps } from '../http/settings.ts'

/** Maximum age in milliseconds of what the indexer has said. */
const maxAgeMs = 1000

/** Milliseconds that an answer waits for the indexer; then it uses what that said last. */
const patienceMs = 300

type Deps = Pick<ApiDeps, 'indexerStatus' | 'nowUs'>

/** Without an answer, the indexer is not known to be stopped: only the stored as-of counts. */
const silent: IndexerReport = { isStopped: false }

export class AsOfReader {
  readonly #deps: Deps
  #last: IndexerReport = silent
  #asked: { readonly atMs: number; readonly report: Promise<IndexerReport> } | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** How current a catalogue with this head is. */
  async of({ asOf }: Pick<Head, 'asOf'>): Promise<AsOf> {
    return asOfNow(asOf, await this.#report(), this.#deps.nowUs() / 1e6)
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
