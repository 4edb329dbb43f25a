/** What is wrong with an area or a directory as it was read, as problems of the indexer. */
import { placeOfArea, wholeArchive } from '../../parse/layout.ts'
import type { DirectorySnapshot } from '../read/directory-snapshot.ts'
import { otherDisk, tooManyEntries } from '../read/directory-snapshot.ts'
import type { IndexerContext } from '../state/context.ts'
import type { Health } from '../state/health.ts'

/**
 * Treats an area as lost if it contains no directories now, and no RINEX files either if it
 * contained some before, but did contain something. A mount point without its disk looks like this.
 */
export async function detectLostArea(
  { writer, layout, known }: Pick<IndexerContext, 'writer' | 'layout' | 'known'>,
  snapshot: DirectorySnapshot,
): Promise<DirectorySnapshot> {
  const isArea = layout.isRoot(snapshot.path)
  // Excluded directories are there.
  const hasDirectories =
    snapshot.directories.length > 0 ||
    snapshot.rejections.some(({ reason }) => reason === 'excluded')
  if (!isArea || snapshot.outcome !== 'read' || hasDirectories) return snapshot
  const before = await writer.directory(snapshot.path)
  const heldFiles = (before?.files.size ?? 0) > 0
  const isLost = heldFiles
    ? snapshot.names.length === 0
    : known.childrenOf(snapshot.path).length > 0
  return isLost ? { ...snapshot, outcome: 'lost-area', error: 'empty' } : snapshot
}

/** @returns true if an area that was lost or unreadable can be read again */
export function reportArea(
  { health, layout, known }: Pick<IndexerContext, 'health' | 'layout' | 'known'>,
  { path, outcome, error = '' }: DirectorySnapshot,
): boolean {
  const area = layout.areaOf(path)
  if (area === undefined) return false
  const place = placeOfArea(area)
  if (outcome === 'lost-area') {
    // An area that is not known has never contained anything, so it is not lost.
    if (known.has(layout.rootOf(path) ?? ''))
      health.report(`area ${area}`, {
        text: `${place}${area === wholeArchive ? '' : ' below the archive root'} is lost (${error}): its records are kept, mount or restore it`,
        advice:
          error === otherDisk
            ? 'Restart the indexer if this disk is intended; otherwise mount the disk of the area.'
            : 'Mount or restore the area; until then its files stay listed, and their downloads are answered `503`.',
      })
  } else if (layout.isRoot(path)) {
    if (outcome === 'unreadable' && error !== tooManyEntries)
      health.report(`area ${area}`, {
        text: `${place} cannot be read (${error})`,
        advice:
          'Check that the area and every directory above it are open to the group of the indexer.',
      })
    else return health.report(`area ${area}`, undefined)
  }
  return false
}

/** Reports a directory that has too many entries to be read, until it can be read or is gone. */
export function reportEntries(
  health: Pick<Health, 'report'>,
  { path, outcome, error }: DirectorySnapshot,
): void {
  if (outcome === 'lost-area') return
  const problem = {
    text: `${path === '' ? 'the archive root' : `${path}/`} has ${tooManyEntries} and is not read: its records are kept, divide it into subdirectories`,
    advice:
      'Divide the directory into subdirectories, for example one for each day; the indexer then reads it by itself.',
  }
  health.report(`entries ${path}`, error === tooManyEntries ? problem : undefined)
}

/** Reports a directory whose change the catalogue refused, until it is written. */
export function reportRefused(
  health: Pick<Health, 'report'>,
  path: string,
  error: Error | undefined,
): void {
  const problem = error && {
    text: `${path}/ cannot be catalogued: ${error.message}`,
    advice:
      'Run `rinex-catalogue check`, and search the log of the indexer for this directory; the indexer tries again by itself.',
  }
  health.report(`directory ${path}`, problem)
}
