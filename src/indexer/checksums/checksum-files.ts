/**
 * Reads files for their checksums, gathers the checksums, and keeps them. A file may be replaced before its checksum is
 * kept, and the look that met the new file had no checksum to compare it with. So the files are checked once more after
 * the checksums were kept: any look that comes later compares with these.
 */
import type { Logger } from 'pino'
import type { CatalogueWriter, Checksum, UnhashedFile } from '../../catalogue/writer.ts'
import { compareIdentity } from '../../catalogue/identity.ts'
import type { Digest } from './digest.ts'
import { HashingFailed } from './hash-client.ts'
import type { HashClient } from './hash-client.ts'

/** Checksums are kept this many at a time, or after this time: each transaction is a synchronised write. */
const mostGathered = 500
const gatherMs = 2000

export interface ChecksumFilesDeps {
  readonly writer: CatalogueWriter
  readonly hashClient: HashClient
  /** Reports what is wrong with hashing, or with `undefined` that it works again. */
  readonly reportProblem: (message: string | undefined) => void
  readonly logger: Logger
  /** The clock: microseconds since 1970. */
  readonly nowUs: () => number
  readonly isClosing: () => boolean
}

export interface Reading {
  /** Reads files. @returns the ids of those that could not be read as they are catalogued */
  read(files: readonly UnhashedFile[]): Promise<readonly number[]>
  /** Whether there is anything to keep, or to check after it was kept. */
  readonly hasGathered: boolean
  /** Whether enough has gathered to be kept. */
  readonly isDue: boolean
  /** @param throughSeq up to which number files that arrived were gone through */
  keep(throughSeq: number): Promise<void>
  /** Bytes of all files that were read. */
  readonly bytes: number
  /** Drops the checksums that were not kept: their files are read again. */
  drop(): void
}

type CountedSelection = Checksum & { readonly path: string }

export function openChecksumFiles(deps: ChecksumFilesDeps): Reading {
  const { writer, hashClient, reportProblem, logger, nowUs, isClosing } = deps
  let counted: CountedSelection[] = []
  let sinceMs = 0
  let bytes = 0
  /** Kept, and not checked since. */
  let unchecked: CountedSelection[] = []

  const readPart = async (files: readonly UnhashedFile[]): Promise<number[]> => {
    const startedUs = nowUs()
    const digests = await hashClient.digest(files).catch((error: unknown) => {
      if (files.length > 1 || isClosing()) throw error
      // It is this file at which the process ends.
      logger.warn({ err: error, path: files[0]?.path }, 'no checksum of a file')
      return [undefined]
    })
    reportProblem(undefined)
    const unread: number[] = []
    for (const [index, { id, path }] of files.entries()) {
      const digest = digests[index]
      if (digest === undefined) {
        unread.push(id)
        logger.debug({ path }, 'not to be read as it is catalogued: no checksum')
      } else {
        if (counted.length === 0) sinceMs = performance.now()
        counted.push({ ...toChecksum(id, digest, startedUs), path })
        bytes += digest.size
      }
    }
    return unread
  }

  /** Makes the checksums of files stale that are not at their path as they were read, or cannot be seen there. */
  const check = async (): Promise<void> => {
    if (unchecked.length === 0) return
    const paths = unchecked.map(({ path }) => path)
    const found = await hashClient.identify(paths).catch((error: unknown) => {
      if (error instanceof HashingFailed) return []
      throw error
    })
    const others = unchecked.filter((checksum, index) => {
      const now = found[index]
      return now === undefined || compareIdentity(checksum, now) !== 'same'
    })
    const ids = others.map(({ id }) => id)
    await writer.hashAgain(ids, nowUs())
    unchecked = []
  }

  return {
    async read(files) {
      try {
        return await readPart(files)
      } catch (error) {
        if (isClosing() || !(error instanceof HashingFailed)) throw error
        reportProblem(`files cannot be read for their checksums: ${error.message}`)
        // One by one after a failure, so that none that can be read is lost to one that ends the process.
        const unread: number[] = []
        for (const file of files) if (!isClosing()) unread.push(...(await readPart([file])))
        return unread
      }
    },
    get hasGathered() {
      return counted.length + unchecked.length > 0
    },
    get isDue() {
      if (counted.length === 0) return false
      return counted.length >= mostGathered || performance.now() - sinceMs > gatherMs
    },
    get bytes() {
      return bytes
    },
    async keep(throughSeq) {
      const checksums = counted
      counted = []
      await writer.keepChecksums(checksums, throughSeq)
      unchecked.push(...checksums)
      await check()
    },
    drop() {
      counted = []
    },
  }
}

function toChecksum(
  id: number,
  { sha256, problem, ...digest }: Digest,
  startedUs: number,
): Checksum {
  const rested = restMsOf({ sinceUs: digest.ctimeUs }, startedUs) === 0
  return {
    ...digest,
    id,
    sha256: Buffer.from(sha256, 'hex'),
    problem: problem ?? undefined,
    rested,
  }
}

/** What is read at a time, so that what arrives meanwhile does not wait for long. */
const filesAtATime = 16

const bytesAtATime = 16 * 1024 * 1024

/**
 * A file that is written to within one tick of its file system's clock may keep its time and its size. What was read so
 * long after the catalogue has seen it as it is holds all that was written under that time (see settle.ts).
 */
const longestTickMs = 2000

/** How long to wait before a file is read (ms). */
export function restMsOf({ sinceUs }: Pick<UnhashedFile, 'sinceUs'>, nowUs: number): number {
  const ageMs = (nowUs - sinceUs) / 1000
  // By a clock that was set back it may have changed in the future.
  return ageMs < 0 ? 0 : Math.max(0, longestTickMs - ageMs)
}

/** Files in their order, in parts that are read at a time. */
export function batchesOf(files: readonly UnhashedFile[]): UnhashedFile[][] {
  const parts: UnhashedFile[][] = []
  let bytes = Infinity
  for (const file of files) {
    const last = parts.at(-1)
    const size = file.size ?? 0
    if (last === undefined || last.length >= filesAtATime || bytes + size > bytesAtATime) {
      parts.push([file])
      bytes = size
    } else {
      last.push(file)
      bytes += size
    }
  }
  return parts
}
