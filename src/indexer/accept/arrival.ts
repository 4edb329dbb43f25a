/**
 * When a file arrived, and whether that was seen; no I/O. A file was seen arriving if it was found
 * at most ten minutes after a moment at which it was not there, whatever led to the find.
 */
import type { NewFile } from '../../catalogue/updates/change.ts'

/** What the read of a directory says about the arrival of its files, by our own clock. */
export interface Sight {
  /**
   * The last moment at which none of the files that are new was there, in microseconds since 1970;
   * `undefined` if it is unknown or too long ago.
   */
  readonly notThereUs: number | undefined
  /** Time of the find, in microseconds since 1970. */
  readonly foundUs: number
  /**
   * True if this moment is also one at which the files had their former content: the directory did
   * not look then as it does now. A file that is overwritten in place changes only itself.
   */
  readonly showsContents: boolean
}

/**
 * Time of arrival: the mtime of the file if it lies between the moment and the find, as our own
 * clock says; otherwise the find, because the copy kept an old mtime or the mtime is that of
 * another clock. So it is never later than now. `undefined` if the file was not seen arriving.
 */
export function arrivalOf(
  mtimeUs: number,
  { notThereUs, foundUs }: Pick<Sight, 'notThereUs' | 'foundUs'>,
): number | undefined {
  if (notThereUs === undefined) return undefined
  return isBetween(mtimeUs, notThereUs, foundUs) ? mtimeUs : foundUs
}

/** The moment at which a file that changed did not have its new content; `undefined` as above. */
export function notChangedUs(
  { mtimeUs }: Pick<NewFile, 'mtimeUs'>,
  { notThereUs, foundUs, showsContents }: Sight,
): number | undefined {
  if (notThereUs === undefined || showsContents) return notThereUs
  return isBetween(mtimeUs, notThereUs, foundUs) ? notThereUs : undefined
}

function isBetween(us: number, fromUs: number, toUs: number): boolean {
  return us >= fromUs && us <= toUs
}
