/** What the page of the archive says in sentences. Pure. */
import {
  counted,
  readableNumber,
  readableShare,
  readableSize,
  readableTime,
} from '../../runtime/readable.ts'
import type { WireArchive } from './schema.ts'

export const files = (count: number): string => counted(count, 'file', 'files')

export function sentencesOf(wire: WireArchive): readonly string[] {
  if (wire.files === 0)
    return ['The catalogue has no files yet. They are expected in the areas obs and nrt.']
  return [
    `${files(wire.files)}, ${readableSize(wire.bytes)}.`,
    ...(wire.years === null
      ? ['The first scan has not ended: years and days are counted at its end.']
      : []),
  ]
}

export function checksumsSentence({ files: all, checksums }: WireArchive): string {
  const { files: read, stale, oldest, newest } = checksums
  const rest = Math.max(0, all - read)
  if (all === 0) return ''
  if (read === 0) return `No file has a checksum: ${files(all)} were never read for damage.`
  const others =
    rest === 0
      ? ''
      : stale === 0
        ? `; ${files(rest)} were never read for damage`
        : `; of the others, ${files(stale)} changed and will be read again`
  return `${readableNumber(read)} of ${files(all)} have a checksum (${readableShare(read / all)})${others}. Those with a checksum arrived from ${readableTime(oldest)} to ${readableTime(newest)} UTC; each was read once, after it arrived.`
}
