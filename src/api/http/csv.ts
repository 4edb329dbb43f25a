/** Writes tables as CSV (RFC 4180). Pure. */

/** Writes a table: a header line, then one line for each row. */
export function csvText(
  columns: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string {
  return [columns, ...rows].map((row) => `${row.map(csvValue).join(',')}\r\n`).join('')
}

/** Quotes a value where needed; null is empty. */
export function csvValue(value: string | number | null): string {
  const text = String(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
