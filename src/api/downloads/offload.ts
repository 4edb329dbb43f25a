/**
 * Handing a download to the web server in front: the answer names the file in a header, and the web server sends it.
 * Ranges and conditions are then its own. No condition is judged here, since nginx makes its tags of other facts than
 * we do.
 */
import { join } from 'node:path'
import type { Offload } from '../http/settings.ts'
import type { FoundFile } from '../../catalogue/records.ts'
import type { ArchivedFile } from './archived-file.ts'
import {
  cacheHeaders,
  kindHeaders,
  rangesHeader,
  validatorHeaders,
  validatorsOf,
} from './file-version.ts'

interface Sent {
  readonly record: FoundFile
  readonly file: ArchivedFile
  /** The clock: milliseconds since 1970. */
  readonly nowMs: number
}

interface Sending {
  /** Absolute path of the archive root. */
  readonly archive: string
  readonly offload?: Offload | undefined
}

/** @returns the headers with which the web server sends the file; `undefined` for one that is to be sent from here */
export function offloadHeaders(
  { archive, offload }: Sending,
  { record, file, nowMs }: Sent,
): Record<string, string> | undefined {
  if (offload === undefined) return undefined
  const { directory, name } = record
  if (offload.header === 'x-accel-redirect') {
    // nginx looks the path up once more, and is told to follow no symlink then.
    if (file.linkedPath !== undefined) return undefined
    const location = offload.internalPrefix + join(directory, name)
    return { ...kindHeaders(name), ...cacheHeaders, 'x-accel-redirect': location }
  }
  return {
    ...kindHeaders(name),
    // Apache keeps those it is given. Of itself, mod_xsendfile gives every file the same tag, and says nothing of ranges.
    ...validatorHeaders(validatorsOf(record, file, nowMs)),
    ...rangesHeader,
    'x-sendfile': asBytes(file.linkedPath ?? join(archive, directory, name)),
  }
}

/** Apache decodes nothing, and Node writes a header a byte for each character. The root may be called anything. */
function asBytes(path: string): string {
  return Buffer.from(path).toString('latin1')
}
