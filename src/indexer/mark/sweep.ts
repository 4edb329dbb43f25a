/** A sweep: finds the directories that have changed since they were read. */
import type { DirectoryStamp } from '../../catalogue/updates/change.ts'
import type { IndexerContext } from '../state/context.ts'
import { hotDirectories, mostByName, newestOf } from '../state/hot-window.ts'
import { sameStamp, sameTimes } from '../state/sure-stamps.ts'

/**
 * Maximum number of directories in one request to the tree worker, so that other requests do not
 * wait long.
 */
const timesPerRequest = 2000
const stampsPerRequest = 50

type SweepContext = Pick<
  IndexerContext,
  | 'writer'
  | 'tree'
  | 'known'
  | 'layout'
  | 'window'
  | 'nowUs'
  | 'stamps'
  | 'silentFileSystems'
  | 'asOf'
>

/**
 * Finds the directories whose stamp differs from the one in the catalogue, because they may have
 * changed since they were read. Those in which files are expected are compared by their times and
 * names, all others by their times alone, because a thousand of them take only a few milliseconds.
 * On a silent file system the newest others are compared by their names too. A directory that will
 * be read again because its stamp is not sure is left to that read, unless it changes meanwhile.
 */
export async function findChanged(context: SweepContext): Promise<string[]> {
  const { writer, tree, layout, nowUs, stamps, silentFileSystems, asOf } = context
  const expected = new Map<string, DirectoryStamp | undefined>()
  for (const { path, stamp } of await writer.directories())
    expected.set(path, stamps.awaited(path) ?? stamp)
  // An area that is not in the catalogue may have appeared; it has no parent directory whose stamp
  // shows this.
  for (const root of layout.roots) if (!expected.has(root)) expected.set(root, undefined)
  const differing: string[] = []
  const compareNames = (paths: readonly string[]): Promise<void> =>
    inRequests(paths, { of: stampsPerRequest, request: tree.stamps }, (path, stamp) => {
      if (!sameStamp(stamp, expected.get(path))) differing.push(path)
    })
  const hot = newestOf(layout, hotDirectories(context, nowUs() / 1000), mostByName)
  await compareNames(hot)
  const byName = new Set(hot)
  const others = [...expected.keys()].filter((path) => !byName.has(path))
  const silent: string[] = []
  await inRequests(others, { of: timesPerRequest, request: tree.times }, (path, times) => {
    if (!sameTimes(times, expected.get(path))) differing.push(path)
    else if (times !== undefined && silentFileSystems.has(times.device)) silent.push(path)
  })
  const newest = newestOf(layout, silent, mostByName - hot.length)
  await compareNames(newest)
  silentFileSystems.swept(new Set([...hot, ...newest]), asOf.now())
  return differing
}

/** Calls `compare` with each path and what is found there, in requests of so many paths. */
async function inRequests<Found>(
  paths: readonly string[],
  by: {
    readonly of: number
    readonly request: (paths: readonly string[]) => Promise<readonly Found[]>
  },
  compare: (path: string, found: Found | undefined) => void,
): Promise<void> {
  for (let start = 0; start < paths.length; start += by.of) {
    const chunk = paths.slice(start, start + by.of)
    const found = await by.request(chunk)
    for (const [index, path] of chunk.entries()) compare(path, found[index])
  }
}
