/**
 * Decides if a version of an archived file may be served, and makes the headers of its response.
 */
import type { Stats } from 'node:fs'
import { youngFileMs } from '../../catalogue/records.ts'
import type { FileRecord, FoundFile } from '../../catalogue/records.ts'
import { compareIdentity, toIdentity, toUs } from '../../catalogue/identity.ts'
import type { ByteRange, Validators } from '../http/conditional-requests.ts'
import type { ArchivedFile } from './archived-file.ts'
import { formatHttpDate } from '../http/conditional-requests.ts'

/**
 * True if a file may still be written to: it is young and differs from its record. An mtime in the
 * future counts as young. If the record has no size, the file was old when it was found by its
 * name, so only the age counts; an mtime far in the future then comes from a wrong clock, and does
 * not count as young.
 */
export function isUnsettled(record: FileRecord, stats: Stats, nowMs: number): boolean {
  const ageMs = nowMs - stats.mtimeMs
  if (record.size === undefined) return Math.abs(ageMs) < youngFileMs
  return !isAsCatalogued(record, stats) && ageMs < youngFileMs
}

/** True if the size and mtime of a file are those of its record. */
function isAsCatalogued(record: FileRecord, stats: Stats): boolean {
  return record.size === stats.size && record.mtimeUs === toUs(stats.mtimeMs)
}

/**
 * The ETag consists of inode, size, mtime and the last eight bytes. A backup by hard links or a
 * `chmod` does not change it; an overwrite in place with the same size and mtime does. A file with
 * an mtime in the future has no `Last-Modified`.
 */
export function validatorsOf(
  record: FileRecord,
  { stats, tail }: Pick<ArchivedFile, 'stats' | 'tail'>,
  nowMs: number,
): Validators {
  const facts = [stats.ino, stats.size, toUs(stats.mtimeMs)].map((fact) => fact.toString(16))
  return {
    tag: `"${[...facts, tail.toString('hex')].join('-')}"`,
    lastModified: stats.mtimeMs > nowMs ? undefined : Math.floor(stats.mtimeMs / 1000),
    // Two versions may have an mtime in the same second. Only one version was served if the file is
    // still the version that was catalogued first.
    lastModifiedIsStrong:
      isAsCatalogued(record, stats) &&
      record.modifiedUs === record.createdUs &&
      stats.mtimeMs < nowMs,
    size: stats.size,
  }
}

/** Headers of every response with a file, and of its 304. */
export function validatorHeaders({ tag, lastModified }: Validators): Record<string, string> {
  const date = lastModified === undefined ? {} : { 'last-modified': formatHttpDate(lastModified) }
  return { etag: tag, ...date }
}

/**
 * Headers that describe the file: media type, name and policy. Offloaded downloads have them too.
 * Catalogued names need no escaping.
 */
export function kindHeaders(name: string) {
  return {
    'content-type': 'application/gzip',
    'content-disposition': `attachment; filename="${name}"`,
    'content-security-policy': "default-src 'none'; sandbox",
  }
}

export const rangesHeader = { 'accept-ranges': 'bytes' } as const

/** Headers of a response with the file or a range of it. */
export function contentHeaders(name: string, range: ByteRange) {
  return {
    ...kindHeaders(name),
    'content-length': String(range.last - range.first + 1),
    ...rangesHeader,
  }
}

/**
 * Returns the header `Repr-Digest` with the SHA-256 of the whole file (RFC 9530), also for a range.
 * Returns no header if the checksum is unknown, or belongs to another version than the one that is
 * sent.
 */
export function digestHeader(
  { sha256, identity }: FoundFile,
  stats: Stats,
): Record<string, string> {
  if (sha256 === undefined || identity === undefined) return {}
  if (compareIdentity(identity, toIdentity(stats)) === 'changed') return {}
  return { 'repr-digest': `sha-256=:${Buffer.from(sha256).toString('base64')}:` }
}

export function contentRange(range: ByteRange, size: number) {
  return { 'content-range': `bytes ${range.first}-${range.last}/${size}` }
}
