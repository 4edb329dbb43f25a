/** The columns of a file as lists show it, and the conversion of their rows. */
import type { Problem } from '../filter.ts'
import type { FileDetails, ListedFile } from '../records.ts'
import { joinedChecksum, modifiedOf } from '../tables/record.ts'

export interface WithDetails {
  /** True to return the records with their details. */
  readonly details?: boolean
}

/** What records are returned with. */
export interface Expanded extends WithDetails {
  /** True to return the records with the facts of their files. */
  readonly facts?: boolean
}

/** Rows have few columns, because passing a value to JavaScript costs more than finding it. */
export type ListedRow = [
  id: number,
  directory: string,
  name: string,
  createdUs: number,
  modifiedUs: number,
  ...details: DetailRow | [],
]

type DetailRow = readonly [
  size: number,
  mtimeUs: number,
  sha256: Uint8Array | null,
  md5: Uint8Array | null,
  problem: Problem | null,
  arrivalUs: number | null,
]

/** From `file` or `tombstone` as `f`, and `directory` as `d`. */
const columns = `f.id, d.path, f.name, f.created_us, ${modifiedOf('f.')}`

/** The first problem of a record, in the order of `problems`. */
const details = `f.size, f.mtime_us, c.sha256, c.md5, CASE WHEN f.incomplete = 1 THEN 'incomplete'
  WHEN f.damaged_us IS NOT NULL THEN 'broken' WHEN f.disguised = 1 THEN 'disguised'
  WHEN f.misplaced = 1 THEN 'misplaced' END, f.arrival_us`

/** LEFT JOIN keeps the order of the tables. */
const directory = 'LEFT JOIN directory d ON d.id = f.directory'

/** The columns, and the joins that they need. */
export const listed = { columns, joins: directory }
export const listedWithDetails = {
  columns: `${columns}, ${details}`,
  joins: `${directory} ${joinedChecksum}`,
}
/** A removed file has no checksums, no problem and no arrival. */
export const removedWithDetails = {
  columns: `${columns}, f.size, f.mtime_us, NULL, NULL, NULL, NULL`,
  joins: directory,
}

export function toListed([id, path, name, createdUs, modifiedUs, ...more]: ListedRow): ListedFile {
  const file = { id, directory: path, name, createdUs, modifiedUs }
  return more.length === 0 ? file : { ...file, details: toDetails(more) }
}

function toDetails([size, mtimeUs, sha256, md5, problem, arrivalUs]: DetailRow): FileDetails {
  return {
    size,
    mtimeUs,
    sha256: sha256 ?? undefined,
    md5: md5 ?? undefined,
    problem: problem ?? undefined,
    arrivalUs: arrivalUs ?? undefined,
  }
}
