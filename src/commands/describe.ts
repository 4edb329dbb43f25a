/** The command `describe`: prints what is inside files. */
import { basename } from 'node:path'
import { digestFile, identifyFile } from '../indexer/checksums/digest.ts'
import { knownSuffixes, parseFilename } from '../parse/filename.ts'
import { print } from '../runtime/program.ts'

/**
 * Prints one JSON object for each file: its facts, or an `error` if there are none. Files are read
 * as the indexer reads them, whatever their suffix.
 * @returns 1 if a file has a flag, is damaged or cannot be read; else 0
 */
export async function describe(files: readonly string[]): Promise<number> {
  let exitCode = 0
  for (const file of files) {
    const { isGood, ...description } = await describeFile(file)
    if (!isGood) exitCode = 1
    await print(JSON.stringify({ file, ...description }))
  }
  return exitCode
}

async function describeFile(path: string) {
  const failure = (error: string) => ({ error, isGood: false })
  const name = parseFilename(basename(path), knownSuffixes)
  if (name.kind === 'rejected') return failure(`the name is not one of RINEX: ${name.reason}`)
  const identity = identifyFile(path)
  if (identity === undefined) return failure('there is no such file, or it cannot be reached')
  const digest = await digestFile({ ...identity, path, facts: true })
  if (digest?.facts === undefined)
    return failure('it cannot be read as a file, or changed while it was read')
  const { problem, facts } = digest
  const isGood = problem === undefined && facts.flags.length === 0
  return { ...(problem !== undefined && { problem }), ...facts, isGood }
}
