/**
 * Reads files for their checksums and facts, and stores both in batches. If a file is replaced
 * before its checksum is stored, the snapshot with the new file has no checksum to compare with. So
 * each file is checked again after its checksum was stored; later snapshots are compared with the
 * checksum.
 */
import { compareIdentity } from '../../catalogue/identity.ts'
import type { UnhashedFile } from '../../catalogue/updates/checksum-queue.ts'
import type { Checksum } from '../../catalogue/updates/checksum-rows.ts'
import { failureFields } from '../../runtime/logger.ts'
import type { IndexerContext } from '../state/context.ts'
import { longestTickMs } from '../state/sure-stamps.ts'
import type { Digest } from './digest.ts'
import type { HashClient } from './hash-client.ts'
import { HashingFailed } from './hash-client.ts'

/**
 * Gathered checksums are stored when there are this many, or after this time (ms), because each
 * transaction is a synchronised write.
 */
const batchSize = 500
const gatherMs = 2000

type GatheredChecksum = Checksum & { readonly path: string }

export type ChecksumFilesContext = Pick<
  IndexerContext,
  'writer' | 'logger' | 'nowUs' | 'health' | 'fileFaults'
> & {
  readonly hashClient: Pick<HashClient, 'digest' | 'identify' | 'close'>
  readonly isClosing: () => boolean
}

export class ChecksumFiles {
  readonly #context: ChecksumFilesContext
  #gathered: GatheredChecksum[] = []
  #sinceMs = 0
  /** Checksums that are stored and whose files have not been checked since. */
  #unchecked: GatheredChecksum[] = []

  constructor(context: ChecksumFilesContext) {
    this.#context = context
  }

  /** True if there are checksums to store, or files to check after their checksums were stored. */
  get hasGathered(): boolean {
    return this.#gathered.length + this.#unchecked.length > 0
  }

  /** True if the gathered checksums must be stored now. */
  get isDue(): boolean {
    if (this.#gathered.length === 0) return false
    return this.#gathered.length >= batchSize || performance.now() - this.#sinceMs > gatherMs
  }

  /**
   * Reads files and gathers their checksums. @returns the ids of the files that could not be read
   * in their catalogued version
   */
  async read(files: readonly UnhashedFile[]): Promise<readonly number[]> {
    const { health, isClosing } = this.#context
    try {
      return await this.#readBatch(files)
    } catch (error) {
      if (isClosing() || !(error instanceof HashingFailed)) throw error
      health.report('checksums', {
        text: `files cannot be read for their checksums: ${error.message}`,
        advice:
          'Search the log of the indexer for the cause; lists and downloads work, only new checksums are missing.',
      })
      // After a failure the files are read one by one, so that a file that ends the hash process
      // does not affect the others.
      const unread: number[] = []
      for (const file of files) if (!isClosing()) unread.push(...(await this.#readBatch([file])))
      return unread
    }
  }

  /**
   * Stores the gathered checksums and checks their files again.
   * @param throughSeq the seq up to which new files have been processed
   */
  async store(throughSeq: number): Promise<void> {
    const checksums = this.#gathered
    this.#gathered = []
    await this.#context.writer.keepChecksums(checksums, throughSeq)
    this.#unchecked.push(...checksums)
    await this.#check()
  }

  /** Drops the checksums that are not stored; their files are read again. */
  discard(): void {
    this.#gathered = []
  }

  async #readBatch(files: readonly UnhashedFile[]): Promise<number[]> {
    const { hashClient, health, logger, fileFaults, nowUs, isClosing } = this.#context
    const startedUs = nowUs()
    const digests = await hashClient.digest(files).catch((error: unknown) => {
      if (files.length > 1 || isClosing()) throw error
      // The failed request had only this file, so the failure counts as a fault of this file.
      logger.warn({ ...failureFields(error), path: files[0]?.path }, 'file cannot be hashed')
      return [undefined]
    })
    health.report('checksums', undefined)
    const unread: number[] = []
    for (const [index, { id, path }] of files.entries()) {
      const digest = digests[index]
      if (digest === undefined) {
        unread.push(id)
        logger.debug({ path }, 'catalogued version of the file cannot be read: not hashed')
      } else {
        if (this.#gathered.length === 0) this.#sinceMs = performance.now()
        this.#gathered.push({ ...toChecksum(id, digest, startedUs), path })
        if (digest.problem !== undefined) fileFaults.log(path, digest.problem)
      }
    }
    return unread
  }

  /**
   * Checks the files again whose checksums were stored. Marks a checksum as stale if its file has
   * changed since it was read, or cannot be identified.
   */
  async #check(): Promise<void> {
    const { writer, hashClient, nowUs } = this.#context
    if (this.#unchecked.length === 0) return
    const paths = this.#unchecked.map(({ path }) => path)
    const found = await hashClient.identify(paths).catch((error: unknown) => {
      if (error instanceof HashingFailed) return []
      throw error
    })
    const others = this.#unchecked.filter((checksum, index) => {
      const now = found[index]
      return now === undefined || compareIdentity(checksum, now) !== 'same'
    })
    const ids = others.map(({ id }) => id)
    await writer.hashAgain(ids, nowUs())
    this.#unchecked = []
  }
}

function toChecksum(id: number, { sha256, md5, ...digest }: Digest, startedUs: number): Checksum {
  const rested = readDelayMs({ sinceUs: digest.ctimeUs }, startedUs) === 0
  const sums = { sha256: Buffer.from(sha256, 'hex'), md5: Buffer.from(md5, 'hex') }
  return { ...digest, ...sums, id, rested }
}

/**
 * Maximum number of files in one request, and of their bytes, so that new files do not wait long. A
 * larger file gets a request of its own.
 */
const filesPerRequest = 16
const bytesPerRequest = 16 * 1024 * 1024

/**
 * Returns the delay before a file may be read (ms). A read includes all writes if it begins
 * `longestTickMs` after the catalogue stored the latest change of the file.
 */
export function readDelayMs({ sinceUs }: Pick<UnhashedFile, 'sinceUs'>, nowUs: number): number {
  const ageMs = (nowUs - sinceUs) / 1000
  // A negative age means that the clock was set back.
  return ageMs < 0 ? 0 : Math.max(0, longestTickMs - ageMs)
}

/** Splits files into batches and keeps their order. */
export function batchesOf(files: readonly UnhashedFile[]): UnhashedFile[][] {
  const batches: UnhashedFile[][] = []
  let bytes = Infinity
  for (const file of files) {
    const last = batches.at(-1)
    const { size } = file
    if (last === undefined || last.length >= filesPerRequest || bytes + size > bytesPerRequest) {
      batches.push([file])
      bytes = size
    } else {
      last.push(file)
      bytes += size
    }
  }
  return batches
}
