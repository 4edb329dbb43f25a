/** Hashing on an archive of its own, for tests. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { ChecksumContext } from '../../../src/indexer/checksums/checksum-schedule.ts'
import { ChecksumSchedule } from '../../../src/indexer/checksums/checksum-schedule.ts'
import { digestFile, identifyFile } from '../../../src/indexer/checksums/digest.ts'
import { day } from '../../catalogue/catalogue.ts'
import { until } from '../../until.ts'
import { openParts } from '../parts.ts'

type HashClient = ChecksumContext['hashClient']

/** Hashes in this process: one of the lowest priority is slow on a busy machine. */
export function localHashClient(
  archive: string,
  before: { digest?: (paths: string[]) => unknown; identify?: () => unknown } = {},
): HashClient {
  const pathOf = (path: string) => join(archive, path)
  return {
    async digest(files) {
      await before.digest?.(files.map(({ path }) => path))
      return Promise.all(
        files.map((file) => digestFile({ ...file, path: pathOf(file.path), facts: true })),
      )
    },
    async identify(paths) {
      await before.identify?.()
      return paths.map((path) => identifyFile(pathOf(path)))
    },
    close: () => undefined,
  }
}

export const sha256Of = (content: Buffer): string =>
  createHash('sha256').update(content).digest('hex')

export const md5Of = (content: Buffer): string => createHash('md5').update(content).digest('hex')

export async function openHashing(t: Test) {
  const parts = await openParts(t)
  const pathOf = (name: string): string => join(parts.archive, day, name)
  /** Starts hashing and waits until files added from now on count as new. */
  const start = async (other: Partial<ChecksumContext> = {}) => {
    // With a clock that is ahead, every file is old enough to be read.
    const nowUs = () => parts.nowUs() + 10e6
    const hashClient = localHashClient(parts.archive)
    const which = { all: false, allFacts: false, damagedBy: ['cut', 'empty', 'no-header'] } as const
    const deps = { ...parts, ...which, nowUs, isBusy: () => false, hashClient, ...other }
    const hashing = new ChecksumSchedule(deps)
    t.teardown(() => hashing.close())
    hashing.start()
    const position = async () => (await parts.sql('SELECT seq FROM hashing'))[0]?.['seq']
    await until('hashing has begun', async () => (await position()) !== null)
    return hashing
  }
  /** The checksum in the catalogue. */
  const sumOf = async (name: string): Promise<string | undefined> => {
    const sha256 = (await parts.reader.file({ directory: day, name }))?.sha256
    return sha256 && Buffer.from(sha256).toString('hex')
  }
  const onDisk = (name: string): string => sha256Of(readFileSync(pathOf(name)))
  return { ...parts, pathOf, start, sumOf, onDisk }
}
