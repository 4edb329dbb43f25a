/** How files that have to be read are portioned, and when they may be. Rules without I/O. */
import type { UnhashedFile } from '../../catalogue/writer.ts'

/** What is read at a time, so that what arrives meanwhile does not wait for long. */
const filesAtATime = 16
const bytesAtATime = 16 * 1024 * 1024

/**
 * A file that is written to within one tick of its file system's clock may keep its time and its size. What was read so
 * long after the catalogue has seen it as it is holds all that was written under that time (see settle.ts).
 */
const longestTickMs = 2000

/** How long to wait before a file is read (ms). */
export function restMsOf({ sinceUs }: Pick<UnhashedFile, 'sinceUs'>, nowUs: number): number {
  const ageMs = (nowUs - sinceUs) / 1000
  // By a clock that was set back it may have changed in the future.
  return ageMs < 0 ? 0 : Math.max(0, longestTickMs - ageMs)
}

/** Files in their order, in parts that are read at a time. */
export function partsOf(files: readonly UnhashedFile[]): UnhashedFile[][] {
  const parts: UnhashedFile[][] = []
  let bytes = Infinity
  for (const file of files) {
    const last = parts.at(-1)
    const size = file.size ?? 0
    if (last === undefined || last.length >= filesAtATime || bytes + size > bytesAtATime) {
      parts.push([file])
      bytes = size
    } else {
      last.push(file)
      bytes += size
    }
  }
  return parts
}
