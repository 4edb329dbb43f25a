/** What administrators send. Pure. */
import type { RescanOrder } from '../../control/protocol.ts'
import { parseDirectory } from '../../parse/archive-path.ts'
import { badFields } from '../http/errors.ts'

/** No path in an archive is longer. */
const maxPathLength = 1024

type Fields = Readonly<Record<string, unknown>>
type Faults = Record<string, string[]>

/** A file to be looked at. */
export interface Registration {
  /** The field that named it. */
  readonly field: 'path' | 'download_path'
  /** Below the archive root. */
  readonly path: string
}

/**
 * Reads which file is to be looked at, given by its path or by its download URL.
 * @param body parsed; `undefined` when there was none
 * @throws HttpError 400 that names all faults
 */
export function parseRegistration(body: unknown, dataRoot: string): Registration {
  const fields = fieldsOf(body, ['path', 'download_path'])
  const faults = unknownFields(fields, ['path', 'download_path'])
  const path = readPath(fields, 'path', faults)
  const url = readPath(fields, 'download_path', faults)
  if (path !== undefined && url !== undefined)
    faults['download_path'] = ['Give either this field or path.']
  if (url?.startsWith(dataRoot) === false)
    faults['download_path'] = [`Enter a URL below ${dataRoot}.`]
  if (fields['path'] === undefined && fields['download_path'] === undefined)
    faults['path'] = ['This field is required.']
  refuseIfAny(faults)
  if (url === undefined) return { field: 'path', path: path ?? '' }
  return { field: 'download_path', path: url.slice(dataRoot.length) }
}

/** @throws HttpError 400 that names all faults */
export function parseRescan(body: unknown): RescanOrder {
  const known = ['path', 'full', 'accept_removals']
  const fields = fieldsOf(body, known)
  const faults = unknownFields(fields, known)
  const path = readPath(fields, 'path', faults)?.replace(/\/$/, '')
  if (path !== undefined && parseDirectory(path).kind === 'rejected')
    faults['path'] = ['Enter a directory below the archive root, such as obs/2026.']
  const full = readBoolean(fields, 'full', faults)
  const acceptRemovals = readBoolean(fields, 'accept_removals', faults)
  refuseIfAny(faults)
  return { path, full, acceptRemovals }
}

function fieldsOf(body: unknown, known: readonly string[]): Fields {
  if (body === undefined || body === null || body === '') return {}
  if (typeof body === 'object' && !Array.isArray(body)) return body as Fields
  const expected = `Invalid data. Expected an object with ${known.join(', ')}.`
  throw badFields({ non_field_errors: [expected] })
}

function unknownFields(fields: Fields, known: readonly string[]): Faults {
  const others = Object.keys(fields).filter((name) => !known.includes(name))
  return Object.fromEntries(others.map((name) => [name, ['There is no such field.']]))
}

function readPath(fields: Fields, name: string, faults: Faults): string | undefined {
  const value = fields[name]
  if (value === undefined) return undefined
  if (typeof value !== 'string') faults[name] = ['Not a valid string.']
  else if (value === '') faults[name] = ['This field may not be blank.']
  else if (value.length > maxPathLength)
    faults[name] = [`Ensure this field has no more than ${maxPathLength} characters.`]
  else return value
  return undefined
}

function readBoolean(fields: Fields, name: string, faults: Faults): boolean {
  const value = fields[name] ?? false
  if (typeof value === 'boolean') return value
  faults[name] = ['Must be a valid boolean.']
  return false
}

function refuseIfAny(faults: Faults): void {
  if (Object.keys(faults).length > 0) throw badFields(faults)
}
