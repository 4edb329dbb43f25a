/** The headline of a list of files. Pure. */
import { counted, readableSize } from '../../runtime/readable.ts'

/**
 * `GRAZ, observation: 31 files, 12.3 MB`; `All 222,108 files, 34 GB`.
 * @param filters in words; empty without any
 * @param bytes the sum of the sizes; `undefined` if it was not counted
 */
export function headline(filters: string, count: number, bytes: number | undefined): string {
  const files = counted(count, 'file', 'files')
  const total = bytes === undefined || count === 0 ? files : `${files}, ${readableSize(bytes)}`
  if (filters !== '') return `${filters}: ${total}`
  return count === 0 ? 'No files' : `All ${total}`
}
