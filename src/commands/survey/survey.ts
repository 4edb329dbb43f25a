/** The command `survey`: what the catalogue would list in a tree, from the names alone. */
import { statSync } from 'node:fs'
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

/** Reads all names below a directory and prints what it found. Needs no configuration. */
export async function survey(
  directory: string,
  { json }: { readonly json: boolean },
): Promise<number> {
  const found = statSync(directory, { throwIfNoEntry: false })
  if (found === undefined) throw new NoDirectory(`${directory} is not there`)
  if (!found.isDirectory()) throw new NoDirectory(`${directory} is not a directory`)
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
