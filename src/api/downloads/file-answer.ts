/** Chooses the answer with an open file: its status, its headers, and the bytes to send. */
import type { Stats } from 'node:fs'
import { join } from 'node:path'
import type { FastifyRequest } from 'fastify'
import { compareIdentity, toIdentity, toUs } from '../../catalogue/identity.ts'
import type { FoundFile } from '../../catalogue/questions/files.ts'
import { suffixOf } from '../../parse/filename.ts'
import type { ByteRange, Validators } from '../http/conditional-requests.ts'
import { evaluatePreconditions, formatHttpDate } from '../http/conditional-requests.ts'
import { HttpError } from '../http/errors.ts'
import type { HeaderFields } from '../http/headers.ts'
import type { ApiSettings } from '../http/settings.ts'
import type { ArchivedFile } from './archived-file.ts'
import { mediaTypes } from './schema.ts'

interface FileAnswer {
  readonly status: 200 | 206 | 304
  readonly headers: HeaderFields
  /** The bytes of the body; `undefined` if this process sends only headers. */
  readonly range?: ByteRange
}

interface Version {
  readonly record: FoundFile
  readonly file: ArchivedFile
  readonly nowMs: number
}

/** @throws HttpError 412 or 416 */
export function answerOf(
  request: Pick<FastifyRequest, 'method' | 'headers'>,
  version: Version,
  settings: ApiSettings,
): FileAnswer {
  const { record, file, nowMs } = version
  const { size } = file.stats
  const digest = digestHeader(record, file.stats)
  const offload = offloadHeaders(version, settings)
  if (offload !== undefined) return { status: 200, headers: { ...offload, ...digest } }
  const validators = validatorsOf(file, nowMs)
  const selection = evaluatePreconditions(request, validators)
  const { status } = selection
  if (status === 412) throw new HttpError(412, 'Precondition failed.')
  if (status === 416)
    throw new HttpError(416, 'Range not satisfiable.', { 'content-range': `bytes */${size}` })
  // A cache replaces its stored headers by those of a 304, so the policy must be in the 304 too
  // (RFC 9111, 3.2).
  if (status === 304)
    return { status, headers: { ...validatorHeaders(validators), ...policyHeader } }
  const range = status === 206 ? selection.range : { first: 0, last: size - 1 }
  const { first, last } = range
  const headers = {
    ...validatorHeaders(validators),
    ...kindHeaders(record.name),
    ...digest,
    ...rangesHeader,
    'content-length': String(last - first + 1),
    ...(status === 206 && { 'content-range': `bytes ${first}-${last}/${size}` }),
  }
  return request.method === 'HEAD' ? { status, headers } : { status, headers, range }
}

/**
 * The ETag has inode, size, mtime and the last eight bytes: hard links and `chmod` do not change
 * it, an overwrite in place does. Where these bytes are no check of the content, it has ctime too.
 * A file with an mtime in the future has no `Last-Modified`.
 */
export function validatorsOf(
  { stats, tail, hasCheck }: Pick<ArchivedFile, 'stats' | 'tail' | 'hasCheck'>,
  nowMs: number,
): Validators {
  const times = [stats.mtimeMs, ...(hasCheck ? [] : [stats.ctimeMs])].map(toUs)
  const facts = [stats.ino, stats.size, ...times].map((fact) => fact.toString(16))
  return {
    tag: `"${[...facts, tail.toString('hex')].join('-')}"`,
    lastModified: stats.mtimeMs > nowMs ? undefined : Math.floor(stats.mtimeMs / 1000),
    size: stats.size,
  }
}

/** Headers of every response with a file, and of its 304. */
function validatorHeaders({ tag, lastModified }: Validators): HeaderFields {
  const date = lastModified === undefined ? {} : { 'last-modified': formatHttpDate(lastModified) }
  return { etag: tag, ...date }
}

const policyHeader = { 'content-security-policy': "default-src 'none'; sandbox" }

/** Headers that describe the file, also offloaded. Catalogued names need no escaping. */
function kindHeaders(name: string) {
  return {
    'content-type': mediaTypes[suffixOf(name)],
    'content-disposition': `attachment; filename="${name}"`,
    ...policyHeader,
  }
}

const rangesHeader = { 'accept-ranges': 'bytes' }

/** `Repr-Digest` of the whole file (RFC 9530), if its SHA-256 is that of the version sent. */
function digestHeader({ sha256, identity }: FoundFile, stats: Stats): HeaderFields {
  if (sha256 === undefined || identity === undefined) return {}
  if (compareIdentity(identity, toIdentity(stats)) === 'changed') return {}
  return { 'repr-digest': `sha-256=:${Buffer.from(sha256).toString('base64')}:` }
}

/**
 * Offloads a download to nginx, which evaluates ranges and conditions too, because it has ETags of
 * its own.
 * @returns its headers; `undefined` for a file that this process must send
 */
function offloadHeaders(
  { record: { directory, name }, file }: Version,
  { internalPrefix }: ApiSettings,
): HeaderFields | undefined {
  // This process sends linked files itself, because nginx opens the path again and is configured to
  // follow no symbolic link.
  if (internalPrefix === undefined || file.linkedPath !== undefined) return undefined
  return { ...kindHeaders(name), 'x-accel-redirect': internalPrefix + join(directory, name) }
}
