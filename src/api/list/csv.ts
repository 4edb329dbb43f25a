/** Records as CSV (RFC 4180). */
import { wireFields } from '../serialise.ts'
import type { WireRecord } from '../serialise.ts'

export const csvHeader = wireFields.join(',')

/** The ten fields in their order. */
export function recordCsv(record: WireRecord): string {
  return wireFields.map((field) => csvValue(record[field])).join(',')
}

function csvValue(value: string | number | null): string {
  const text = String(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
