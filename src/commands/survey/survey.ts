/** The command `survey`: what the catalogue would list in a tree, from the names alone. */
import { opendirSync } from 'node:fs'
import { errorCode } from '../../runtime/error-code.ts'
import { print } from '../../runtime/program.ts'
import { readableNumber } from '../../runtime/readable.ts'
import { Findings } from './findings.ts'
import { toJson } from './json.ts'
import { readNames } from './walk.ts'
import { describe } from './words.ts'

/** Time between two lines of progress (ms). */
const progressMs = 10_000

class NoDirectory extends Error {
  readonly code = 'NO_DIRECTORY'
}

const faults: Readonly<Record<string, string>> = {
  ENOENT: 'is not there',
  ENOTDIR: 'is not a directory',
}

/** @throws NoDirectory if there is nothing to read */
function checkDirectory(directory: string): void {
  try {
    opendirSync(directory).closeSync()
  } catch (error) {
    const code = errorCode(error)
    const fault = faults[code] ?? `cannot be read by this user (${code})`
    throw new NoDirectory(`${JSON.stringify(directory)} ${fault}`)
  }
}

/** Reads all names below a directory and prints what it found. Needs no configuration. */
export async function survey(
  directory: string,
  { json }: { readonly json: boolean },
): Promise<number> {
  checkDirectory(directory)
  const findings = new Findings()
  const startMs = performance.now()
  let nextMs = startMs + progressMs
  readNames(directory, findings, () => {
    if (performance.now() < nextMs) return
    nextMs += progressMs
    process.stderr.write(`${readableNumber(findings.names)} names so far\n`)
  })
  const seconds = (performance.now() - startMs) / 1000
  const lines = json
    ? [JSON.stringify(toJson(directory, findings, seconds))]
    : describe(directory, findings, seconds)
  for (const line of lines) await print(line)
  return 0
}
