/** The headline of a list of files. Pure. */
import type { FileSizes } from '../../catalogue/sums.ts'
import { counted, readableSize } from '../pages/labels.ts'

/**
 * `GRAZ, observation: 31 files, 12.3 MB`; `All 222,108 files, 34 GB`.
 * @param filters in words; empty without any
 * @param sizes `undefined` if they were not counted
 */
export function headline(filters: string, count: number, sizes: FileSizes | undefined): string {
  const files = counted(count, 'file', 'files')
  const size = sizeWords(count, sizes)
  const total = size === '' ? files : `${files}, ${size}`
  if (filters !== '') return `${filters}: ${total}`
  return count === 0 ? 'No files' : `All ${total}`
}

/** `12.3 MB`, or `at least 12.3 MB` if some sizes are not known; empty if none is. */
export function sizeWords(count: number, sizes: FileSizes | undefined): string {
  if (sizes === undefined || sizes.sized === 0) return ''
  return `${sizes.sized < count ? 'at least ' : ''}${readableSize(sizes.bytes)}`
}
