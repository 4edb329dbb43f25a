/** The command `parse`: prints the parts of file names. */
import { createInterface } from 'node:readline'
import { parseFilename } from '../parse/filename.ts'
import { print } from '../runtime/program.ts'

/** Prints the parsed fields of each name. Without names, each line of standard input is a name. */
export async function parse(names: readonly string[]): Promise<number> {
  for await (const name of names.length > 0 ? names : lines()) await print(describeName(name))
  return 0
}

async function* lines(): AsyncGenerator<string> {
  // CR and LF are one end of line, even when they arrive in different chunks.
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    if (line !== '') yield line
  }
}

/** Returns one JSON object: the fields of the name, or the reason for its rejection. */
function describeName(name: string): string {
  const result = parseFilename(name)
  if (result.kind === 'rejected') return JSON.stringify({ name, rejected: result.reason })
  const { version, station, startSeconds, duration, type } = result
  const { country, source, period, interval, content } = result
  const written = Object.entries({ source, period, interval, content })
  return JSON.stringify({
    name,
    form: version,
    station,
    data_date: new Date(startSeconds * 1000).toISOString().replace('.000Z', 'Z'),
    file_duration: duration,
    file_version: version,
    file_type: type,
    country,
    ...Object.fromEntries(written.filter(([, part]) => part !== '')),
  })
}
