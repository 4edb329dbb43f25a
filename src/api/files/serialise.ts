/** Serialises records for clients, and writes times as ISO 8601. */
import type Type from 'typebox'
import type { FileDetails, ListedFile } from '../../catalogue/records.ts'
import { areas } from '../../parse/archive-path.ts'
import { countryOf } from '../../parse/countries.ts'
import { parseFilename } from '../../parse/filename.ts'
import type { ParsedName } from '../../parse/types.ts'
import { microsecondsToIso, secondsToIso } from '../http/times.ts'
import type { Links } from '../http/links.ts'
import { downloadUrl, recordUrl } from '../http/links.ts'
import { listedValues } from '../http/query.ts'
import type { Query } from '../http/query.ts'
import type { Fault } from '../parameters/filter-values.ts'
import { expansions } from '../parameters/file-filters.ts'
import type { fileSchema, recordSchema } from './schema.ts'

export type WireRecord = Type.Static<typeof recordSchema>
type WireFile = Type.Static<typeof fileSchema>

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

/**
 * Reads the parameter `expand`, whose values may be separated by commas or repeated, as in filters.
 * `details` is true if the records must contain the field `file`.
 * @returns a fault if a value is unknown
 */
export function readExpand(query: Query): { readonly details: boolean } | Fault {
  const words = listedValues(query, 'expand')
  const bad = words.find((word) => !expansions.some((each) => each === word))
  if (bad !== undefined)
    return { fault: `Select a valid choice. ${bad} is not one of the available choices.` }
  return { details: words.length > 0 }
}
