/** One version of an archived file: whether it is fit to be served, and what its headers say. */
import type { Stats } from 'node:fs'
import type { FileRecord, FoundFile } from '../../catalogue/records.ts'
import { toUs, compareIdentity, toIdentity } from '../../catalogue/identity.ts'
import { settleMs } from '../../catalogue/settling.ts'
import type { ByteRange } from '../http/ranges.ts'
import type { ArchivedFile } from './archived-file.ts'
import { formatHttpDate } from '../http/http-date.ts'
import type { Validators } from '../http/conditional-requests.ts'

/**
 * Whether a file may be in the middle of being rewritten: it is young, and not as it was catalogued. Of files that had been
 * quiet for long when they were found the catalogue has no size; a time to come is that of a wrong clock.
 */
export function isUnsettled(record: FileRecord, stats: Stats, nowMs: number): boolean {
  const ageMs = nowMs - stats.mtimeMs
  if (record.size === undefined) return Math.abs(ageMs) < settleMs
  return !isAsCatalogued(record, stats) && ageMs < settleMs
}

/** Whether a file is the version that the catalogue knows. */
export function isAsCatalogued(record: FileRecord, stats: Stats): boolean {
  return record.size === stats.size && record.mtimeUs === toUs(stats.mtimeMs)
}

/**
 * The tag is made of inode, size, mtime and the last eight bytes: a backup by hard links or a `chmod` keeps it, while an
 * overwrite in place that sets size and mtime back changes it. A file dated in the future has no `Last-Modified`.
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
    // A second can hold two versions. It held one when the file is still the one that was catalogued first.
    lastModifiedIsStrong:
      isAsCatalogued(record, stats) &&
      record.modifiedUs === record.createdUs &&
      stats.mtimeMs < nowMs,
    size: stats.size,
  }
}

/** A file may be replaced under its name: caches must ask, which costs them a 304. */
export const cacheHeaders = { 'cache-control': 'no-cache' } as const

/** Headers of every answer about a file, also of 304. */
export function validatorHeaders({ tag, lastModified }: Validators): Record<string, string> {
  const date = lastModified === undefined ? {} : { 'last-modified': formatHttpDate(lastModified) }
  return { etag: tag, ...date, ...cacheHeaders }
}

/** What kind of thing is sent, whoever sends it. Catalogued names need no quoting. */
export function kindHeaders(name: string) {
  return {
    'content-type': 'application/gzip',
    'content-disposition': `attachment; filename="${name}"`,
    'content-security-policy': "default-src 'none'; sandbox",
  }
}

export const rangesHeader = { 'accept-ranges': 'bytes' } as const

/** Headers of an answer with the file or a part of it. */
export function contentHeaders(name: string, range: ByteRange) {
  return {
    ...kindHeaders(name),
    'content-length': String(range.last - range.first + 1),
    ...rangesHeader,
  }
}

/**
 * The SHA-256 of the whole file (RFC 9530), also where a part of it is sent. Nothing while it is not known, or known of
 * another version than the one that is sent.
 */
export function digestHeader(record: FoundFile, stats: Stats): Record<string, string> {
  const { sha256, identity } = record
  if (sha256 === undefined) return {}
  const isOther =
    identity === undefined
      ? !isAsCatalogued(record, stats)
      : compareIdentity(identity, toIdentity(stats)) === 'changed'
  if (isOther) return {}
  return { 'repr-digest': `sha-256=:${Buffer.from(sha256).toString('base64')}:` }
}

export function contentRange(range: ByteRange, size: number) {
  return { 'content-range': `bytes ${range.first}-${range.last}/${size}` }
}
