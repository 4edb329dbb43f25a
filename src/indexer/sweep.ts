import type { CatalogueWriter } from '../catalogue/writer.ts'
import { areas } from '../parse/archive-path.ts'
import { sameStamp } from './reconcile.ts'
import type { TreeReader } from './tree/tree-reader.ts'

/** So many stamps are taken at a time that other requests never wait long for the thread that reads. */
const chunkSize = 2000

/**
 * Finds the directories that may have changed since they were read: those whose stamp differs from the one in the
 * catalogue. A thousand directories cost a few milliseconds, so all of them are compared, whatever their date.
 */
export async function sweep(writer: CatalogueWriter, tree: TreeReader): Promise<string[]> {
  const known = new Map(
    (await writer.directories()).map(({ path, stamp }) => [path, stamp] as const),
  )
  // An area that is not known yet may have appeared, and nothing above it would tell.
  for (const area of areas) if (!known.has(area)) known.set(area, undefined)
  const paths = [...known.keys()]
  const differing: string[] = []
  for (let start = 0; start < paths.length; start += chunkSize) {
    const chunk = paths.slice(start, start + chunkSize)
    const stamps = await tree.stamps(chunk)
    chunk.forEach((path, index) => {
      if (!sameStamp(stamps[index], known.get(path))) differing.push(path)
    })
  }
  return differing
}
