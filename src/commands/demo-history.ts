/** Writes what the demo says of its past into its catalogue, before its indexer starts. */
import { openWriter } from '../catalogue/engines/engine.ts'
import type { DirectoryChange } from '../catalogue/updates/change.ts'
import { emptyChange } from '../catalogue/updates/change.ts'
import type { CatalogueWriter } from '../catalogue/updates/writer.ts'
import type { PastFile, PastTime } from '../demo/history.ts'
import type { LayoutLists } from '../parse/layout.ts'

/**
 * @param lists the layout of the archive
 * @param since when watching began (seconds since 1970)
 */
export async function writeHistory(
  database: string,
  lists: LayoutLists,
  { times, since }: { readonly times: readonly PastTime[]; readonly since: number },
): Promise<void> {
  // The clock of the catalogue stands in the past, and goes with it.
  let nowSeconds = since
  const writer = await openWriter({ database }, () => nowSeconds * 1e6)
  try {
    await writer.adoptLayout(lists)
    // They are built afterwards, which is faster.
    await writer.deferIndexes()
    for (const { endsAt, files, purged } of times) {
      nowSeconds = endsAt
      const arrived = Map.groupBy(files, ({ directory }) => directory)
      const changes = [
        ...Array.from(arrived, ([path, own]) => changeOf(path, { added: own.map(newFile) })),
        ...(await Promise.all(purged.map((path) => removalOf(writer, path)))),
      ]
      const { refused } = await writer.apply(changes)
      for (const { path, error } of refused) throw new Error(`${path}: ${error.message}`)
    }
    while ((await writer.buildIndexes()).left > 0);
  } finally {
    writer.close()
  }
}

function newFile({ name, size, modifiedAt, arrivesAt, isSeen, fault }: PastFile) {
  return {
    name,
    size,
    mtimeUs: modifiedAt * 1e6,
    arrivalUs: isSeen ? arrivesAt * 1e6 : undefined,
    // What is changed within is found when its checksum is made.
    incomplete: fault === 'cut',
  }
}

async function removalOf(writer: CatalogueWriter, path: string): Promise<DirectoryChange> {
  const known = await writer.directory(path)
  return changeOf(path, {
    gone: true,
    removed: Array.from(known?.files.values() ?? [], ({ id }) => id),
  })
}

/** A change without a stamp: the first scan reads the directory. */
function changeOf(path: string, change: Partial<DirectoryChange>): DirectoryChange {
  return { ...emptyChange(path), ...change }
}
