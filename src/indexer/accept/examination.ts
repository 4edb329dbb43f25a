/** Examines the new and changed files of a directory: which of them are complete. */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { suffixOf } from '../../parse/filename.ts'
import { joinPath } from '../../parse/layout.ts'
import type { Inflated } from '../read/inflate.ts'
import type { IndexerContext } from '../state/context.ts'
import type { FileState, SettlingTime } from '../state/settling.ts'
import { growingMs } from '../state/settling.ts'

/**
 * After this number of files or bytes, one read of a directory inflates no further files, so that
 * other directories do not wait. The others are read in the background (see `UnreadFiles`).
 */
export const filesPerRead = 2000
const bytesPerRead = 4 * 1024 * 1024

/** After this number of files, other work of this thread gets its turn. */
const filesPerTurn = 10_000

export type Candidate = FileState & { readonly name: string }

interface Candidates {
  readonly candidates: readonly Candidate[]
  /** A moment at which a file that is found now was not there (see `Sight`). */
  readonly notThereUs: (file: Candidate) => number | undefined
  /** The same for all new files of the directory. */
  readonly sinceUs: number | undefined
}

/**
 * A file that is accepted: its size and mtime when it was examined, and a moment at which it was
 * not there.
 */
interface AcceptedFile extends FileState {
  readonly incomplete: boolean
  readonly notThereUs: number | undefined
}

/**
 * The outcomes of candidates by name; `undefined` for a file that is not accepted. A file that is
 * accepted as it is has no entry, so that a directory of old files costs no memory here.
 */
export type Outcomes = ReadonlyMap<string, AcceptedFile | undefined>

interface Examined {
  readonly outcomes: Outcomes
  /** The delay before files that settle are examined again (ms); `undefined` without such files. */
  readonly retryMs: number | undefined
  /** True if all candidates were accepted. */
  readonly isWhole: boolean
}

type ExaminationContext = Pick<
  IndexerContext,
  'tree' | 'settling' | 'unreadFiles' | 'health' | 'fileFaults' | 'nowUs'
>

export async function examine(
  context: ExaminationContext,
  directory: string,
  files: Candidates,
): Promise<Examined> {
  return await new Examination(context, directory, files).run()
}

class Examination {
  readonly #context: ExaminationContext
  readonly #directory: string
  readonly #files: Candidates
  readonly #outcomes = new Map<string, AcceptedFile | undefined>()
  readonly #toInflate: Candidate[] = []
  readonly #left: Candidate[] = []
  #bytes = 0
  #retryMs: number | undefined

  constructor(context: ExaminationContext, directory: string, files: Candidates) {
    this.#context = context
    this.#directory = directory
    this.#files = files
  }

  async run(): Promise<Examined> {
    const now = { steadyMs: performance.now(), wallMs: this.#context.nowUs() / 1000 }
    for (const [index, file] of this.#ordered().entries()) {
      if (index % filesPerTurn === filesPerTurn - 1) await yieldToOthers()
      this.#judge(file, now)
    }
    await this.#inflate(now)
    this.#leaveOthers()
    const isWhole = this.#retryMs === undefined && this.#left.length === 0
    return { outcomes: this.#outcomes, retryMs: this.#retryMs, isWhole }
  }

  /**
   * The least recently read files come first, so that large files that grow do not block the
   * others; of those that were never read, the newest, so that an arriving file does not wait for
   * files that were put back.
   */
  #ordered(): readonly Candidate[] {
    const { candidates } = this.#files
    const isWaiting = this.#context.settling.namesIn(this.#directory).length > 0
    const isFirstScan = this.#context.health.lastScan === undefined
    if (!isWaiting && (isFirstScan || candidates.length <= 1)) return candidates
    return candidates.toSorted(
      (a, b) => this.#readAtMs(a) - this.#readAtMs(b) || b.mtimeUs - a.mtimeUs,
    )
  }

  #judge(file: Candidate, now: SettlingTime): void {
    const { settling, health } = this.#context
    const path = this.#pathOf(file)
    if (suffixOf(file.name) !== '.gz') {
      this.#stand(file, now)
      return
    }
    const decision = settling.decide(path, file, now, health.lastScan === undefined)
    if (decision === 'take') {
      if (settling.has(path)) this.#accept(file, { state: file, incomplete: false })
    } else if (decision === 'take-incomplete') {
      this.#accept(file, { state: file, incomplete: true })
    } else {
      this.#outcomes.set(file.name, undefined)
      if (decision === 'wait')
        this.#retryIn(settling.markIncomplete(path, file, { ...now, ...this.#sightOf(file) }))
      else this.#read(file, now)
    }
  }

  /** A file that is no gzip stream is complete when it stands still. */
  #stand(file: Candidate, now: SettlingTime): void {
    const { settling } = this.#context
    const path = this.#pathOf(file)
    const delayMs = settling.stand(path, file, { ...now, ...this.#sightOf(file) })
    if (delayMs !== undefined) {
      this.#outcomes.set(file.name, undefined)
      this.#retryIn(delayMs)
    } else if (settling.has(path)) this.#accept(file, { state: file, incomplete: false })
  }

  #read(file: Candidate, now: SettlingTime): void {
    const { settling, unreadFiles } = this.#context
    const result = unreadFiles.result(this.#directory, file)
    if (result !== undefined) this.#settle(file, result.inflated, now)
    else if (this.#toInflate.length < filesPerRead && this.#bytes < bytesPerRead) {
      this.#toInflate.push(file)
      this.#bytes += file.size
    }
    // A file that grows or cannot be read can wait.
    else if (settling.has(this.#pathOf(file))) this.#retryIn(growingMs)
    else this.#left.push(file)
  }

  #leaveOthers(): void {
    const { unreadFiles } = this.#context
    if (this.#left.length === 0) unreadFiles.done(this.#directory)
    else unreadFiles.leave(this.#directory, this.#left, this.#files.sinceUs)
  }

  async #inflate(now: SettlingTime): Promise<void> {
    const files = this.#toInflate
    const found =
      files.length === 0 ? [] : await this.#context.tree.inflate(files.map(this.#pathOf))
    for (const [index, file] of files.entries()) this.#settle(file, found[index], now)
  }

  /** Accepts a file that was read if it is complete; otherwise it settles. */
  #settle(file: Candidate, inflated: Inflated | undefined, now: SettlingTime): void {
    const { settling } = this.#context
    const path = this.#pathOf(file)
    const read = { steadyMs: performance.now(), readMs: now.steadyMs, ...this.#sightOf(file) }
    const isFinal = settling.isFinal(inflated ?? file, now)
    if (inflated === undefined) {
      if (isFinal) this.#accept(file, { state: file, incomplete: false })
      else this.#retryIn(settling.markUnreadable(path, file, read))
    } else if (inflated.complete || isFinal)
      this.#accept(file, { state: inflated, incomplete: !inflated.complete })
    else this.#retryIn(settling.markIncomplete(path, inflated, read))
  }

  #accept(
    file: Candidate,
    found: { readonly state: FileState; readonly incomplete: boolean },
  ): void {
    const { size, mtimeUs } = found.state
    const { incomplete } = found
    this.#outcomes.set(file.name, { size, mtimeUs, incomplete, ...this.#sightOf(file) })
    this.#context.settling.delete(this.#pathOf(file))
    if (incomplete) this.#context.fileFaults.log(this.#pathOf(file), 'incomplete')
  }

  /** Of a file that is settling, the moment before its first find counts. */
  #sightOf(file: Candidate): { readonly notThereUs: number | undefined } {
    const { settling } = this.#context
    const path = this.#pathOf(file)
    return {
      notThereUs: settling.has(path) ? settling.notThereUs(path) : this.#files.notThereUs(file),
    }
  }

  #readAtMs(file: Candidate): number {
    return this.#context.settling.readAtMs(this.#pathOf(file)) ?? 0
  }

  #retryIn(delayMs: number): void {
    this.#retryMs = Math.min(this.#retryMs ?? Infinity, delayMs)
  }

  readonly #pathOf = ({ name }: Candidate): string => joinPath(this.#directory, name)
}
