import type { FileDetails, ListedFile } from '../../catalogue/records.ts'
import type { Problem } from '../../catalogue/filter.ts'
import { areas } from '../../parse/archive-path.ts'
import type { Area } from '../../parse/archive-path.ts'
import { countryOf } from '../../parse/countries.ts'
import { dateOf, secondsPerDay, secondsPerHour } from '../../parse/calendar.ts'
import { parseFilename } from '../../parse/filename.ts'
import type { FileDuration, FileType, FileVersion, ParsedName } from '../../parse/types.ts'
import type { Links } from '../http/links.ts'
import { downloadUrl, recordUrl } from '../http/links.ts'
import { listedValues } from '../http/query.ts'
import type { Query } from '../http/query.ts'
import type { Fault } from './parameter-values.ts'

/**
 * A record as clients get it: the ten fields of the service's specification ("Resource: rinex-file record"),
 * in its order. What the name tells is null only where a newer release no longer reads a name that an older
 * one catalogued, until the next scan removes it: one such record must not take its whole page down.
 */
export interface WireRecord {
  readonly id: number
  readonly url: string
  readonly filename: string
  readonly data_date: string | null
  readonly file_duration: FileDuration | null
  readonly file_version: FileVersion | null
  readonly file_type: FileType | null
  readonly download_path: string
  readonly created: string
  readonly modified: string
  /** Where the request asked for it by `expand`. */
  readonly file?: WireFile
}

/** What is known of the file besides, each null where it is not known. */
export interface WireFile {
  /** Bytes. */
  readonly size: number | null
  readonly mtime: string | null
  /** In hexadecimal; null until the file was hashed as it is. */
  readonly sha256: string | null
  /** In upper case, 4 or 9 characters. */
  readonly station: string | null
  readonly area: Area | null
  /** ISO 3166-1 alpha-3, of a code of 9 characters. */
  readonly country: string | null
  /** Parts of a long name. */
  readonly interval: string | null
  readonly content: string | null
  readonly source: string | null
  readonly problem: Problem | null
}

export const wireFileFields = [
  'size',
  'mtime',
  'sha256',
  'station',
  'area',
  'country',
  'interval',
  'content',
  'source',
  'problem',
] as const satisfies readonly (keyof WireFile)[]

/** The fields of a record in their order. */
export const wireFields = [
  'id',
  'url',
  'filename',
  'data_date',
  'file_duration',
  'file_version',
  'file_type',
  'download_path',
  'created',
  'modified',
] as const satisfies readonly Exclude<keyof WireRecord, 'file'>[]

export function serialiseRecord(record: ListedFile, links: Links): WireRecord {
  const name = parseFilename(record.name)
  const parsed = name.kind === 'parsed' ? name : undefined
  const created = microsecondsToIso(record.createdUs)
  const isModified = record.modifiedUs !== record.createdUs
  return {
    id: record.id,
    url: recordUrl(links, record.id),
    filename: record.name,
    data_date: parsed === undefined ? null : secondsToIso(parsed.startSeconds),
    file_duration: parsed?.duration ?? null,
    file_version: parsed?.version ?? null,
    file_type: parsed?.type ?? null,
    download_path: downloadUrl(links, record.directory, record.name),
    created,
    modified: isModified ? microsecondsToIso(record.modifiedUs) : created,
    ...(record.details && { file: serialiseDetails(record.details, record, parsed) }),
  }
}

function serialiseDetails(
  { size, mtimeUs, sha256, problem }: FileDetails,
  { directory }: ListedFile,
  name: ParsedName | undefined,
): WireFile {
  const area = areas.find((each) => directory.startsWith(`${each}/`))
  return {
    size: size ?? null,
    mtime: mtimeUs === undefined ? null : microsecondsToIso(mtimeUs),
    sha256: sha256 === undefined ? null : Buffer.from(sha256).toString('hex'),
    station: name?.station ?? null,
    area: area ?? null,
    country: countryOf(name?.station ?? '') ?? null,
    interval: name?.interval ?? null,
    content: name?.content ?? null,
    source: name?.source ?? null,
    problem: problem ?? null,
  }
}

/** `2026-01-22T05:00:00Z`: a time without a fraction, as in `data_date`. */
export function secondsToIso(seconds: number): string {
  return `${timeOf(seconds)}Z`
}

/** `2026-01-22T05:00:00.000001Z`: always six digits, also on a whole second. */
export function microsecondsToIso(us: number): string {
  const seconds = Math.floor(us / 1e6)
  const fraction = String(us - seconds * 1e6).padStart(6, '0')
  return `${timeOf(seconds)}.${fraction}Z`
}

/** In plain arithmetic: streams write three times a record, and `Date` took a quarter of their time. */
function timeOf(seconds: number): string {
  const { year, month, day } = dateOf(seconds)
  const ofDay = seconds - Math.floor(seconds / secondsPerDay) * secondsPerDay
  const [hour, minute] = [Math.floor(ofDay / secondsPerHour), Math.floor(ofDay / 60) % 60]
  const date = `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`
  return `${date}T${twoDigits(hour)}:${twoDigits(minute)}:${twoDigits(ofDay % 60)}`
}

function twoDigits(number: number): string {
  return number < 10 ? `0${number}` : String(number)
}

/** What `expand` may hold. */
export const expansions = ['file'] as const

/**
 * Whether records are to come with `file`. A list and repeated keys mean all of them, as of filters.
 * @returns a fault that names a value which means nothing
 */
export function readExpand(query: Query): { readonly details: boolean } | Fault {
  const words = listedValues(query, 'expand')
  const bad = words.find((word) => !expansions.some((each) => each === word))
  if (bad !== undefined)
    return { fault: `Select a valid choice. ${bad} is not one of the available choices.` }
  return { details: words.length > 0 }
}
