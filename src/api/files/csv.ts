/** Writes records as CSV (RFC 4180). The stream ends its lines with a line feed alone. */
import { csvValue } from '../http/csv.ts'
import { wireFields, wireFileFields } from './schema.ts'
import type { WireRecord } from './serialise.ts'

/**
 * The header line.
 * @param details adds the columns of `file` after those of the record
 */
export function csvHeader(details: boolean): string {
  return [...wireFields, ...(details ? wireFileFields : [])].join(',')
}

/** The line of a record: its ten fields, then the fields of `file` if the record has it. */
export function recordCsv(record: WireRecord): string {
  const { file } = record
  const values = wireFields.map((field) => record[field])
  const details = file === undefined ? [] : wireFileFields.map((field) => file[field])
  return [...values, ...details].map(csvValue).join(',')
}
