/** The files of series, in the order of the questions, those of a series by time. */
import { CatalogueUnavailable } from '../../catalogue/errors.ts'
import type { ChunkCursor } from '../../catalogue/filter.ts'
import type { CatalogueReader } from '../../catalogue/questions/reader.ts'
import type { ListedFile } from '../../catalogue/records.ts'
import { secondsPerDay } from '../../parse/calendar.ts'
import { knownSuffixes, parseFilename } from '../../parse/filename.ts'
import type { FileDuration } from '../../parse/types.ts'
import type { DayRange, Period } from '../../series/series.ts'
import { seriesOf } from '../../series/series.ts'
import type { Requester } from '../http/limits.ts'
import type { AskedSeries, KnownSites } from './asked-series.ts'

/** Files that are read at a time. */
const filesAtOnce = 250

const durations: Readonly<Record<Period, FileDuration>> = { '01D': 'd', '01H': 'h', '15M': 'm' }

interface FilesSource {
  readonly reader: Pick<CatalogueReader, 'records'>
  readonly sites: KnownSites
  readonly requester: Requester
  /** Later files do not count, in seconds since 1970. */
  readonly until: number
  /** Epoch of the catalogue in which the request began. */
  readonly epoch: string
}

/** Yields the files in chunks, each file once, also if several questions ask for it. */
export async function* filesOfSeries(
  asked: readonly AskedSeries[],
  reading: FilesSource,
): AsyncGenerator<readonly ListedFile[]> {
  const bySeries = Map.groupBy(asked, ({ station, fileType, period }) =>
    [reading.sites.siteOf(station), fileType, period].join(),
  )
  for (const [series, ...others] of bySeries.values())
    if (series !== undefined)
      for (const days of joined([series, ...others]))
        yield* filesOf({ ...series, ...days }, reading)
}

/** Ranges of days by time; those that have days in common are one. */
function joined(ranges: readonly DayRange[]): readonly DayRange[] {
  const all: { fromDay: number; toDay: number }[] = []
  for (const { fromDay, toDay } of ranges.toSorted((a, b) => a.fromDay - b.fromDay)) {
    const last = all.at(-1)
    if (last !== undefined && fromDay <= last.toDay) last.toDay = Math.max(last.toDay, toDay)
    else all.push({ fromDay, toDay })
  }
  return all
}

async function* filesOf(
  { station, fileType, period, fromDay, toDay }: AskedSeries,
  { reader, sites, requester, until, epoch }: FilesSource,
): AsyncGenerator<readonly ListedFile[]> {
  const site = sites.siteOf(station)
  const lastSecond = Math.min((toDay + 1) * secondsPerDay - 1, until)
  const query = {
    filter: {
      stations: sites.codesOf(site),
      types: [fileType],
      durations: [durations[period]],
      start: { fromUs: fromDay * secondsPerDay * 1e6, toUs: lastSecond * 1e6 },
    },
    ordering: { key: 'data_date', descending: false } as const,
    limit: filesAtOnce,
  }
  // The filter by durations, and by short codes, finds files of other series too.
  const isOwn = (file: ListedFile): boolean => {
    const name = parseFilename(file.name, knownSuffixes)
    return (
      name.kind === 'parsed' &&
      seriesOf(name)?.period === period &&
      sites.siteOf(name.station) === site
    )
  }
  let after: ChunkCursor | undefined
  do {
    await requester.turn()
    const chunk = await reader.records({ ...query, ...(after && { after }) }, requester)
    if (chunk.epoch !== epoch) throw new CatalogueUnavailable('the catalogue was rebuilt meanwhile')
    await requester.turn()
    yield chunk.records.filter(isOwn)
    after = chunk.next
  } while (after !== undefined)
}
