/** Reads and checks the bodies of administrators' requests; the messages are those of DRF. */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { RescanOrder } from '../../control-socket/protocol.ts'
import type { Layout } from '../../parse/layout.ts'
import { joinPath } from '../../parse/layout.ts'
import { BadFields, HttpError } from '../http/errors.ts'

/** Accepts JSON bodies and empty bodies. Any other body gets 415 with the message of DRF. */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const fault = unsupported(request.headers)
    if (fault !== undefined) {
      done(fault)
      return
    }
    try {
      done(null, body === '' ? undefined : JSON.parse(body.toString()))
    } catch (error) {
      done(new HttpError(400, `JSON parse error - ${(error as Error).message}`))
    }
  })
  app.addContentTypeParser('*', (request, _payload, done) => {
    const type = request.headers['content-type'] ?? ''
    done(new HttpError(415, `Unsupported media type "${type}" in request.`))
  })
}

/** 415 for a content encoding, or a charset other than that of JSON (RFC 8259, 8.1). */
function unsupported(headers: IncomingHttpHeaders): HttpError | undefined {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.trim().toLowerCase() !== 'identity')
    return new HttpError(415, `Unsupported content encoding "${encoding}" in request.`)
  const [, charset] = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '') ?? []
  if (charset !== undefined && !/^utf-?8$/i.test(charset))
    return new HttpError(415, `Unsupported charset "${charset}" in request.`)
  return undefined
}

/** Returns the fault of a value; `undefined` if it has none. */
type FieldCheck = (value: unknown) => string | false | undefined

const flag: FieldCheck = (value) => typeof value !== 'boolean' && 'Must be a valid boolean.'

const filePath: FieldCheck = (value) => {
  if (typeof value !== 'string') return 'Not a valid string.'
  if (value === '') return 'This field may not be blank.'
  return value.length > 1024 && 'Ensure this field has no more than 1024 characters.'
}

const directoryOf =
  ({ listedBelow, roots: [root = ''] }: Layout): FieldCheck =>
  (value) => {
    const isIn = listedBelow(belowRoot(String(value))).length > 0
    const example = joinPath(root, '2026')
    return (
      filePath(value) || (!isIn && `Enter a directory below the archive root, such as ${example}.`)
    )
  }

const url: FieldCheck = (value) => {
  if (typeof value !== 'string') return 'Not a valid string.'
  // The characters of RFC 3986.
  return !/^[a-z][a-z\d+.-]*:[\w:/?#[\]@!$&'()*+,;=.~%-]*$/i.test(value) && 'Enter a valid URL.'
}

/** A path without a slash at its end; `''` for the root, which is written `.` or `/`. */
const belowRoot = (path: string): string => path.replace(/^\.?\/?$|\/$/, '')

/**
 * Returns the body, an empty object for none.
 * @throws HttpError 400 with all faults, if the body is no object of these fields
 */
function checkBody(given: unknown, checks: Readonly<Record<string, FieldCheck>>): object {
  const body = given ?? {}
  if (typeof body !== 'object' || Array.isArray(body)) {
    const expected = `Invalid data. Expected an object with ${Object.keys(checks).join(', ')}.`
    throw new BadFields({ non_field_errors: [expected] })
  }
  const faults = Object.entries(body).flatMap(([field, value]) => {
    const check = Object.hasOwn(checks, field) ? checks[field] : () => 'There is no such field.'
    const fault = check?.(value)
    return fault ? [[field, [fault]] as const] : []
  })
  if (faults.length > 0) throw new BadFields(Object.fromEntries(faults))
  return body
}

/** The file that an administrator asks the indexer to read. */
export interface Registration {
  /** The field of the body that named the file. Faults of the file are reported for this field. */
  readonly field: 'path' | 'download_path'
  /** Path below the archive root. */
  readonly path: string
}

/** Reads the path of the file, from a path or a download URL. @throws HttpError 400 */
export function parseRegistration(body: unknown, dataRoot: string): Registration {
  const checked = checkBody(body, { path: filePath, download_path: url })
  const { path, download_path: target } = checked as { path?: string; download_path?: string }
  if (target === undefined) {
    if (path === undefined) throw new BadFields({ path: ['This field is required.'] })
    return { field: 'path', path }
  }
  if (path !== undefined)
    throw new BadFields({ download_path: ['Give either this field or path.'] })
  if (!target.startsWith(dataRoot))
    throw new BadFields({ download_path: [`Enter a URL below ${dataRoot}.`] })
  return { field: 'download_path', path: target.slice(dataRoot.length) }
}

/** @throws HttpError 400 */
export function parseRescan(body: unknown, layout: Layout): RescanOrder {
  const path = directoryOf(layout)
  const checked = checkBody(body, { path, full: flag, accept_removals: flag })
  const order = checked as { path?: string; accept_removals?: boolean }
  const { accept_removals: acceptRemovals = false } = order
  return { path: belowRoot(order.path ?? '') || undefined, acceptRemovals }
}
