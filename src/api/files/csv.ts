/** Records as CSV (RFC 4180). */
import { wireFields, wireFileFields } from './schema.ts'
import type { WireRecord } from './serialise.ts'

/** @param details adds the columns of `file` after those of the record */
export function csvHeader(details: boolean): string {
  return [...wireFields, ...(details ? wireFileFields : [])].join(',')
}

/** The ten fields of a record, then the fields of `file` if the record has it. */
export function recordCsv(record: WireRecord): string {
  const { file } = record
  const values = wireFields.map((field) => record[field])
  const details = file === undefined ? [] : wireFileFields.map((field) => file[field])
  return [...values, ...details].map(csvValue).join(',')
}

/** A table with one line for each row. */
export function csvText(
  columns: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string {
  return [columns, ...rows].map((row) => `${row.map(csvValue).join(',')}\r\n`).join('')
}

function csvValue(value: string | number | null): string {
  const text = String(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
