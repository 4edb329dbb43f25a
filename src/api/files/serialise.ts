/** Writes records as JSON and CSV, and the sums of lists. Pure. */
import type { FileDetails, ListedFile } from '../../catalogue/records.ts'
import type { Counting, FacetName, PageSums } from '../../catalogue/sums.ts'
import { facetNames } from '../../catalogue/sums.ts'
import { microsecondsToIso, secondsToIso } from '../../parse/calendar.ts'
import { countryOf } from '../../parse/countries.ts'
import { knownSuffixes, parseFilename } from '../../parse/filename.ts'
import type { Layout } from '../../parse/layout.ts'
import type { ParsedName } from '../../parse/types.ts'
import type { Links } from '../http/links.ts'
import { downloadUrl, recordUrl } from '../http/links.ts'
import { csvValue } from '../http/send.ts'
import type { Static } from '../openapi/schema.ts'
import type { Expansion } from '../parameters/file-filters.ts'
import { factColumns } from './facts.ts'
import type { fileSchema, recordSchema } from './schema.ts'
import { wireFields, wireFileFields } from './schema.ts'

export type WireRecord = Static<typeof recordSchema>

/** @param layout tells the area of a file; its suffixes may have been others */
export function serialiseRecord(
  record: ListedFile,
  links: Links,
  layout: Pick<Layout, 'areaOf'>,
): WireRecord {
  const name = parseFilename(record.name, knownSuffixes)
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
    ...(record.details && {
      file: serialiseDetails(record.details, layout.areaOf(record.directory), parsed),
    }),
    ...(record.facts !== undefined && { facts: record.facts }),
  }
}

function serialiseDetails(
  { size, mtimeUs, sha256, md5, problem }: FileDetails,
  area: string | undefined,
  name: ParsedName | undefined,
): Static<typeof fileSchema> {
  return {
    size,
    mtime: microsecondsToIso(mtimeUs),
    sha256: hexOf(sha256),
    md5: hexOf(md5),
    station: name?.station ?? null,
    area: area ?? null,
    country: countryOf(name?.station ?? '') ?? null,
    interval: name?.interval || null,
    content: name?.content || null,
    source: name?.source || null,
    problem: problem ?? null,
  }
}

function hexOf(sum: Uint8Array | undefined): string | null {
  return sum === undefined ? null : Buffer.from(sum).toString('hex')
}

/** The header line of a CSV of records, with the columns of `file` and `facts` if asked for. */
export function csvHeader({ details, facts }: Expansion): string {
  return [
    ...wireFields,
    ...(details ? wireFileFields : []),
    ...(facts ? factColumns.map(([name]) => name) : []),
  ].join(',')
}

/** The line of a record: its ten fields, then those of `file` and `facts` if it has them. */
export function recordCsv(record: WireRecord): string {
  const { file, facts } = record
  const values = wireFields.map((field) => record[field])
  const details = file === undefined ? [] : wireFileFields.map((field) => file[field])
  const inside = facts === undefined ? [] : factColumns.map(([, value]) => facts && value(facts))
  return [...values, ...details, ...inside].map((value) => csvValue(value ?? null)).join(',')
}

interface WireSums {
  readonly bytes: number | null
  readonly facets?: Readonly<
    Record<FacetName, readonly { readonly value: string | null; readonly count: number }[] | null>
  >
}

/** The further members of a page. @param counting what was to be counted */
export function serialiseSums(sums: PageSums | undefined, counting: Counting): WireSums {
  const { bytes = null, facets } = sums ?? {}
  if (!counting.facets) return { bytes }
  const lists = facetNames.map((name) => [
    name,
    facets?.[name]?.map(({ value, files }) => ({ value, count: files })) ?? null,
  ])
  return { bytes, facets: Object.fromEntries(lists) as NonNullable<WireSums['facets']> }
}
