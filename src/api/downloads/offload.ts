/**
 * Offloads a download to the web server in front: a header of the response names the file, and the
 * web server sends it and evaluates ranges and conditions. No condition is evaluated here, because
 * the ETags of nginx differ from ours.
 */
import { join } from 'node:path'
import type { Offload } from '../http/settings.ts'
import type { FoundFile } from '../../catalogue/records.ts'
import type { ArchivedFile } from './archived-file.ts'
import { kindHeaders, rangesHeader, validatorHeaders, validatorsOf } from './file-headers.ts'

interface Version {
  readonly record: FoundFile
  readonly file: ArchivedFile
  /** The clock: milliseconds since 1970. */
  readonly nowMs: number
}

interface OffloadSettings {
  /** Absolute path of the archive root. */
  readonly archive: string
  readonly offload?: Offload | undefined
}

/** @returns the headers for the web server; `undefined` for a file that this process must send */
export function offloadHeaders(
  { archive, offload }: OffloadSettings,
  { record, file, nowMs }: Version,
): Record<string, string> | undefined {
  if (offload === undefined) return undefined
  const { directory, name } = record
  if (offload.header === 'x-accel-redirect') {
    // This process sends linked files itself, because nginx opens the path again and is configured
    // to follow no symbolic link.
    if (file.linkedPath !== undefined) return undefined
    const location = offload.internalPrefix + join(directory, name)
    return { ...kindHeaders(name), 'x-accel-redirect': location }
  }
  return {
    ...kindHeaders(name),
    // Apache keeps these headers. Without them, mod_xsendfile sends the same tag for every file and
    // no `Accept-Ranges`.
    ...validatorHeaders(validatorsOf(record, file, nowMs)),
    ...rangesHeader,
    'x-sendfile': asBytes(file.linkedPath ?? join(archive, directory, name)),
  }
}

/**
 * UTF-8 bytes for a header: Node writes one byte for each character, and Apache decodes nothing.
 */
function asBytes(path: string): string {
  return Buffer.from(path).toString('latin1')
}
