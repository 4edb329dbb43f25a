/**
 * Reads and validates the bodies of administrators' requests. Ajv's errors become messages of
 * Django REST framework (DRF).
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifySchemaValidationError, FastifyServerOptions } from 'fastify'
import type { Static } from '../openapi/schema.ts'
import { parseDirectory } from '../../parse/archive-path.ts'
import { badFields, HttpError } from '../http/errors.ts'
import type { registration } from './schema.ts'

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

/**
 * Returns an error 415 if the body has a content encoding, which is not decoded, or another charset
 * than UTF-8: JSON is always in UTF-8 (RFC 8259, 8.1).
 */
function unsupported(headers: IncomingHttpHeaders): HttpError | undefined {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.trim().toLowerCase() !== 'identity')
    return new HttpError(415, `Unsupported content encoding "${encoding}" in request.`)
  const [, charset] = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '') ?? []
  if (charset !== undefined && !/^utf-?8$/i.test(charset))
    return new HttpError(415, `Unsupported charset "${charset}" in request.`)
  return undefined
}

/**
 * Messages by the JSON Schema keyword that failed; for the keywords `type` and `format`, by their
 * value. `faultOf` writes the message of `maxLength`.
 */
const messages: Readonly<Record<string, string>> = {
  string: 'Not a valid string.',
  boolean: 'Must be a valid boolean.',
  minLength: 'This field may not be blank.',
  minProperties: 'This field is required.',
  additionalProperties: 'There is no such field.',
  uri: 'Enter a valid URL.',
  'archive-directory': 'Enter a directory below the archive root, such as obs/2026.',
}

/**
 * Options for Fastify. Ajv reports all faults at once, and its only change to a body is to add
 * defaults.
 */
export const bodyValidation = {
  ajv: {
    customOptions: {
      allErrors: true,
      coerceTypes: false,
      removeAdditional: false,
      verbose: true,
      formats: { 'archive-directory': (path: string) => isDirectory(path) },
    },
  },
  schemaErrorFormatter: (errors) => badFields(Object.fromEntries(errors.map(faultOf).toReversed())),
} satisfies FastifyServerOptions

function isDirectory(path: string): boolean {
  return parseDirectory(path.replace(/\/$/, '')).kind === 'directory'
}

function faultOf({ keyword, instancePath, params, ...error }: FastifySchemaValidationError) {
  const { parentSchema } = error as { parentSchema?: { properties?: object } }
  const [first = '', ...others] = Object.keys(parentSchema?.properties ?? {})
  if (params['type'] === 'object') {
    const expected = `Invalid data. Expected an object with ${[first, ...others].join(', ')}.`
    return ['non_field_errors', [expected]] as const
  }
  const field = (params['additionalProperty'] as string | undefined) ?? instancePath.slice(1)
  const found = messages[(params['type'] ?? params['format'] ?? keyword) as string]
  const limit = `Ensure this field has no more than ${String(params['limit'])} characters.`
  return [field === '' ? first : field, [found ?? limit]] as const
}

/** The file that an administrator asks the indexer to read. */
export interface Registration {
  /** The field of the body that named the file. Faults of the file are reported for this field. */
  readonly field: 'path' | 'download_path'
  /** Path below the archive root. */
  readonly path: string
}

/**
 * Reads the path of the file, which the body gives as a path or as a download URL.
 * @throws HttpError 400
 */
export function parseRegistration(body: unknown, dataRoot: string): Registration {
  const { path, download_path: url } = body as Static<typeof registration>
  if (url === undefined) return { field: 'path', path: path ?? '' }
  if (path !== undefined) throw badFields({ download_path: ['Give either this field or path.'] })
  if (!url.startsWith(dataRoot))
    throw badFields({ download_path: [`Enter a URL below ${dataRoot}.`] })
  return { field: 'download_path', path: url.slice(dataRoot.length) }
}
