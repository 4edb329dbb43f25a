/** Examines the new and changed files of a directory: which of them are complete. */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { parseFilename, suffixOf } from '../../parse/filename.ts'
import { joinPath } from '../../parse/layout.ts'
import { hasNoEnd, isDisguised } from '../read/form.ts'
import type { Inflated } from '../read/inflate.ts'
import type { IndexerContext } from '../state/context.ts'
import type { FileState, SettlingRead, SettlingTime } from '../state/settling.ts'
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
  /** True if the content is readable, but not what the name says. */
  readonly disguised: boolean
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
    const decision = settling.decide(path, file, now, health.lastScan === undefined)
    const heldMs = heldMsOf(file.name, now)
    if (decision === 'take' && heldMs <= 0) {
      if (settling.has(path)) this.#accept(file, { state: file, incomplete: false })
      return
    }
    if (decision === 'take-incomplete') {
      this.#accept(file, { state: file, incomplete: true })
      return
    }
    this.#outcomes.set(file.name, undefined)
    const read = { ...now, ...this.#sightOf(file) }
    // A file whose period has not ended is not opened again before.
    const isHeld = heldMs > 0 && settling.stands(path)
    if (decision === 'wait') this.#retryIn(settling.markIncomplete(path, file, read))
    else if (decision === 'inflate' && !isHeld) this.#read(file, now)
    else {
      const delayMs = settling.stand(path, file, read, heldMs)
      if (delayMs === undefined) this.#read(file, now)
      else this.#retryIn(delayMs)
    }
  }

  #read(file: Candidate, now: SettlingTime): void {
    const { settling, unreadFiles } = this.#context
    const result = unreadFiles.result(this.#directory, file)
    if (result !== undefined) this.#settle(file, result.inflated, now)
    else if (this.#toInflate.length < filesPerRead && this.#bytes < bytesPerRead) {
      this.#toInflate.push(file)
      // Of a file that stands, only the first and the last bytes are read.
      if (!settling.stands(this.#pathOf(file))) this.#bytes += file.size
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
    if (inflated?.form !== undefined && hasNoEnd(file.name, inflated.form)) {
      this.#stand(file, inflated, { ...now, ...read })
    } else if (inflated === undefined) {
      if (isFinal) this.#accept(file, { state: file, incomplete: false })
      else this.#retryIn(settling.markUnreadable(path, file, read))
    } else {
      const isComplete = inflated.complete && inflated.form !== 'other'
      if (isComplete || isFinal) this.#accept(file, { state: inflated, incomplete: !isComplete })
      else this.#retryIn(settling.markIncomplete(path, inflated, read))
    }
  }

  /** Accepts a file without an end mark if it stands still; plain text ends with a newline. */
  #stand(file: Candidate, found: Inflated, read: SettlingRead & SettlingTime): void {
    const { settling } = this.#context
    const delayMs = settling.stand(this.#pathOf(file), found, read, heldMsOf(file.name, read))
    const incomplete = suffixOf(file.name) === '' && !found.complete
    if (delayMs === undefined) this.#accept(file, { state: found, incomplete })
    else this.#retryIn(delayMs)
  }

  #accept(
    file: Candidate,
    found: {
      readonly state: FileState & Partial<Pick<Inflated, 'form'>>
      readonly incomplete: boolean
    },
  ): void {
    const { size, mtimeUs, form } = found.state
    const { incomplete } = found
    const { settling, fileFaults } = this.#context
    const path = this.#pathOf(file)
    const disguised = !incomplete && form !== undefined && isDisguised(file.name, form)
    this.#outcomes.set(file.name, { size, mtimeUs, incomplete, disguised, ...this.#sightOf(file) })
    settling.delete(path)
    if (incomplete) fileFaults.log(path, 'incomplete')
    if (disguised) fileFaults.log(path, 'disguised')
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

/** The time until the period in the name of a plain file ends (ms); at most 0 for other files. */
function heldMsOf(name: string, { wallMs }: Pick<SettlingTime, 'wallMs'>): number {
  if (suffixOf(name) !== '') return 0
  const parsed = parseFilename(name, [''])
  if (parsed.kind === 'rejected') return 0
  return (parsed.startSeconds + (parsed.spanSeconds ?? 0)) * 1000 - wallMs
}
