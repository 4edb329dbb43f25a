/**
 * Reads the many files that one read of a directory left unread: after a restore, or when a whole
 * archive was moved into this one. It goes from directory to directory, a few files at a time, so
 * that arriving files and sweeps do not wait.
 */
import { isSameVersion } from '../../catalogue/identity.ts'
import type { CatalogueWriter } from '../../catalogue/updates/writer.ts'
import { joinPath } from '../../parse/layout.ts'
import type { Inflated } from '../read/inflate.ts'
import type { TreeReader } from '../read/tree-reader.ts'
import type { DirtyDirectories } from './dirty-directories.ts'
import type { FileState } from './settling.ts'

/** Number of files of a directory that are read before it is compared with the catalogue again. */
const filesPerRound = 5000
/** Number of files or bytes in one request to the tree worker; others wait for it. */
const filesPerRequest = 100
const bytesPerRequest = 2 * 1024 * 1024
/**
 * Number of rounds in a row without progress after which a directory waits no more: its change
 * cannot be written. Then it is read again as any other such directory, after a pause.
 */
const mostIdleRounds = 2

type UnreadFile = FileState & { readonly name: string }

/** A directory with files that no read has examined. */
interface WaitingDirectory {
  /** A moment before the first read that left files, at which they were not there (see `Sight`). */
  readonly notThereUs: number | undefined
  /** Number of these files at the last read. */
  files: number
  /** Number of rounds since this number became less. */
  idleRounds: number
}

interface UnreadContext {
  readonly writer: Pick<CatalogueWriter, 'removedVersions'>
  readonly tree: Pick<TreeReader, 'inflate'>
  readonly dirty: Pick<DirtyDirectories, 'add'>
  readonly onFailure: (error: unknown) => void
}

/** The files are examined in rounds: each ends with a new read of their directory. */
export class UnreadFiles {
  readonly #context: UnreadContext
  readonly #directories = new Map<string, WaitingDirectory>()
  #active: string | undefined
  #isReading = false
  /** What the present or last round has found, by name. */
  #found = new Map<string, { readonly seen: FileState; readonly inflated: Inflated | undefined }>()
  #onEmpty: (() => void)[] = []

  constructor(context: UnreadContext) {
    this.#context = context
  }

  /** Number of files that wait. */
  get size(): number {
    return Array.from(this.#directories.values(), ({ files }) => files).reduce((a, b) => a + b, 0)
  }

  get isEmpty(): boolean {
    return this.#directories.size === 0
  }

  /** True while files wait that were not seen arriving. */
  get isBehind(): boolean {
    return [...this.#directories.values()].some(({ notThereUs }) => notThereUs === undefined)
  }

  directory(path: string): Pick<WaitingDirectory, 'notThereUs'> | undefined {
    const waiting = this.#directories.get(path)
    return waiting && { notThereUs: waiting.notThereUs }
  }

  /** What was found in a file; `undefined` if it was not read as it is now. */
  result(directory: string, { name, size, mtimeUs }: UnreadFile) {
    const found = directory === this.#active ? this.#found.get(name) : undefined
    return found?.seen.size === size && found.seen.mtimeUs === mtimeUs ? found : undefined
  }

  /** Call it when a read of a directory has left these files unread. */
  leave(path: string, files: readonly UnreadFile[], notThereUs: number | undefined): void {
    const before = this.#directories.get(path)
    const isLess = before === undefined || files.length < before.files
    const waiting = before ?? { notThereUs, files: 0, idleRounds: 0 }
    waiting.files = files.length
    this.#directories.set(path, waiting)
    this.#active ??= path
    if (path !== this.#active || this.#isReading) return
    waiting.idleRounds = isLess ? 0 : waiting.idleRounds + 1
    if (waiting.idleRounds >= mostIdleRounds) {
      this.done(path)
      return
    }
    this.#isReading = true
    this.#read(path, files.slice(0, filesPerRound))
      .then(() => {
        this.#isReading = false
        if (this.#directories.has(path)) this.#readAgain(path)
        else this.#next()
      })
      .catch(this.#context.onFailure)
  }

  /** Call it when a read of a directory has left no file unread, or the directory is gone. */
  done(path: string): void {
    if (!this.#directories.delete(path)) return
    if (path === this.#active && !this.#isReading) this.#next()
  }

  /** Resolves when no file waits. */
  empty(): Promise<void> {
    if (this.isEmpty) return Promise.resolve()
    return new Promise((resolve) => this.#onEmpty.push(resolve))
  }

  #next(): void {
    this.#found = new Map()
    this.#active = this.#directories.keys().next().value
    if (this.#active !== undefined) this.#readAgain(this.#active)
    else for (const resolve of this.#onEmpty.splice(0)) resolve()
  }

  #readAgain(path: string): void {
    this.#context.dirty.add(path, performance.now())
  }

  async #read(directory: string, files: readonly UnreadFile[]): Promise<void> {
    const { writer, tree } = this.#context
    this.#found = new Map()
    const keep = (seen: UnreadFile, inflated: Inflated | undefined): void =>
      void this.#found.set(seen.name, { seen, inflated })
    // A file that comes back as it was when it was removed was listed before.
    const removed = await writer.removedVersions(
      directory,
      files.map(({ name }) => name),
    )
    const isBack = (file: UnreadFile): boolean => {
      const before = removed.get(file.name)
      return before !== undefined && isSameVersion(before, file)
    }
    for (const file of files)
      if (isBack(file)) keep(file, { complete: true, form: undefined, ...file })
    const others = files.filter((file) => !this.#found.has(file.name))
    for (const request of requestsOf(others)) {
      const found = await tree.inflate(request.map(({ name }) => joinPath(directory, name)))
      request.forEach((file, index) => {
        keep(file, found[index])
      })
    }
  }
}

function requestsOf(files: readonly UnreadFile[]): UnreadFile[][] {
  const requests: UnreadFile[][] = []
  let bytes = Infinity
  for (const file of files) {
    const last = requests.at(-1)
    if (last === undefined || bytes >= bytesPerRequest || last.length >= filesPerRequest) {
      requests.push([file])
      bytes = file.size
    } else {
      last.push(file)
      bytes += file.size
    }
  }
  return requests
}
