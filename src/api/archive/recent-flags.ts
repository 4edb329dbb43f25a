/** What is flagged of the newest files: status, metrics and Archive say it. */
import { isTemporary } from '../../catalogue/errors.ts'
import type { CatalogueReader } from '../../catalogue/questions/reader.ts'
import type { Head } from '../../catalogue/records.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { RecentFlags } from '../../series/flags.ts'
import { recentFlags } from '../../series/flags.ts'
import { usPerDay } from '../parameters/when.ts'

interface FlagsDeps {
  readonly reader: Pick<CatalogueReader, 'flaggedFiles'>
  readonly nowUs: Clock
}

/** A week of a large archive takes a tenth of a second: it is read in a twentieth of the time. */
const restFactor = 20

/** A reading that takes so many milliseconds may follow at once. */
const shortMs = 50

/** The flagged files with data of yesterday and today, judged by the last seven days. */
export async function readRecentFlags({ reader, nowUs }: FlagsDeps): Promise<RecentFlags> {
  const today = Math.floor(nowUs() / usPerDay)
  const week = await reader.flaggedFiles({ fromDay: today - 6, toDay: today })
  return recentFlags(week, { fromDay: today - 1, toDay: today })
}

type ReaderDeps = FlagsDeps & { readonly reader: Pick<CatalogueReader, 'head'> }

export class RecentFlagsReader {
  readonly #deps: ReaderDeps
  /** What was read last; until then (ms, steady clock) it counts although something has changed. */
  #known:
    { readonly key: string; readonly flags: RecentFlags; readonly untilMs: number } | undefined
  #running: Promise<RecentFlags | undefined> | undefined

  constructor(deps: ReaderDeps) {
    this.#deps = deps
  }

  /** As they are now, or a few seconds old; `undefined` while they cannot be read. */
  async read(): Promise<RecentFlags | undefined> {
    this.#running ??= this.#read().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #read(): Promise<RecentFlags | undefined> {
    try {
      const key = this.#keyOf(await this.#deps.reader.head())
      const beganMs = performance.now()
      if (this.#known !== undefined && (this.#known.key === key || beganMs < this.#known.untilMs))
        return this.#known.flags
      const flags = await readRecentFlags(this.#deps)
      const endMs = performance.now()
      const untilMs = endMs + restFactor * Math.max(0, endMs - beganMs - shortMs)
      this.#known = { key, flags, untilMs }
      return flags
    } catch (error) {
      if (!isTemporary(error)) throw error
      return this.#known?.flags
    }
  }

  #keyOf({ epoch, seq, detailsSeq }: Head): string {
    return [epoch, seq, detailsSeq, Math.floor(this.#deps.nowUs() / usPerDay)].join()
  }
}
