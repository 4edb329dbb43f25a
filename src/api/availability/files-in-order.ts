/** The files of series in the order of time: one source for each key and range, merged. */
import { CatalogueUnavailable } from '../../catalogue/reader-errors.ts'
import type { CatalogueReader } from '../../catalogue/questions/reader.ts'
import type { ChunkCursor, FileFilter } from '../../catalogue/filter.ts'
import type { ListedFile } from '../../catalogue/records.ts'
import { parseFilename } from '../../parse/filename.ts'
import type { FileDuration } from '../../parse/types.ts'
import { secondsPerDay } from '../../parse/calendar.ts'
import { seriesOf } from '../../series/series.ts'
import type { DayRange, Period, SeriesKey } from '../../series/series.ts'
import type { Requester } from '../http/limits.ts'
import type { AskedSeries, KnownSites } from './asked-series.ts'

/** Files that all sources together keep in memory, and that one reads at a time. */
const most = { inMemory: 10_000, atOnce: 250 }

const durations: Readonly<Record<Period, FileDuration>> = { '01D': 'd', '01H': 'h', '15M': 'm' }

/** Series with the same key and the same days. */
interface Group extends SeriesKey, DayRange {
  readonly sites: ReadonlySet<string>
}

interface TimedFile {
  readonly file: ListedFile
  readonly start: number
}

interface Reading {
  readonly reader: Pick<CatalogueReader, 'records'>
  readonly sites: KnownSites
  readonly requester: Requester
  /** Later files do not count, in seconds since 1970. */
  readonly until: number
  /** Epoch of the catalogue in which the request began. */
  readonly epoch: string
}

/** Yields each file once, by its start and then its id. */
export async function* filesInOrder(
  asked: readonly AskedSeries[],
  reading: Reading,
): AsyncGenerator<ListedFile> {
  const waiting = groupsOf(asked, reading.sites)
  const limit = Math.max(1, Math.min(most.atOnce, Math.floor(most.inMemory / waiting.length)))
  // The source with the next file is the last one. A source is opened when its time has come.
  const open: Source[] = []
  const put = (source: Source): void => {
    let place = open.length
    while (place > 0 && isBefore(open[place - 1]?.head, source.head)) place--
    if (source.head !== undefined) open.splice(place, 0, source)
  }
  let [start, seen] = [-Infinity, new Set<number>()]
  for (;;) {
    const opens = (waiting.at(-1)?.fromDay ?? Infinity) * secondsPerDay
    if (opens < Infinity && opens <= (open.at(-1)?.head?.start ?? Infinity)) {
      const source = new Source(waiting.pop() as Group, reading, limit)
      await source.fill()
      put(source)
      continue
    }
    const source = open.pop()
    const next = source?.head
    if (source === undefined || next === undefined) return
    if (next.start !== start) [start, seen] = [next.start, new Set()]
    if (!seen.has(next.file.id)) yield next.file
    seen.add(next.file.id)
    await source.advance()
    put(source)
  }
}

/** True if a file comes before another one; those at the end of the list come first. */
function isBefore(a: TimedFile | undefined, b: TimedFile | undefined): boolean {
  if (a === undefined || b === undefined) return false
  return a.start < b.start || (a.start === b.start && a.file.id < b.file.id)
}

/** The groups, the one that begins first at the end. */
function groupsOf(asked: readonly AskedSeries[], sites: KnownSites): Group[] {
  const groups = new Map<string, Group & { readonly sites: Set<string> }>()
  for (const { station, fileType, period, fromDay, toDay } of asked) {
    const key = [fileType, period, fromDay, toDay].join()
    const group = groups.get(key) ?? { fileType, period, fromDay, toDay, sites: new Set() }
    groups.set(key, group)
    group.sites.add(sites.siteOf(station))
  }
  return [...groups.values()].sort((a, b) => b.fromDay - a.fromDay)
}

/** The files of a group, read in chunks. */
class Source {
  readonly #group: Group
  readonly #reading: Reading
  readonly #limit: number
  readonly #filter: FileFilter
  #files: readonly TimedFile[] = []
  #index = 0
  #after: ChunkCursor | undefined
  #isAtEnd = false

  constructor(group: Group, reading: Reading, limit: number) {
    this.#group = group
    this.#reading = reading
    this.#limit = limit
    const { fileType, period, fromDay, toDay, sites } = group
    const lastSecond = Math.min((toDay + 1) * secondsPerDay - 1, reading.until)
    this.#filter = {
      stations: [...sites].flatMap((site) => reading.sites.codesOf(site)),
      types: [fileType],
      durations: [durations[period]],
      dataDate: { fromUs: fromDay * secondsPerDay * 1e6, toUs: lastSecond * 1e6 },
    }
  }

  get head(): TimedFile | undefined {
    return this.#files[this.#index]
  }

  async advance(): Promise<void> {
    this.#index++
    if (this.head === undefined) await this.fill()
  }

  /** Reads chunks until one has a file of the group. */
  async fill(): Promise<void> {
    const { reader, requester } = this.#reading
    while (this.head === undefined && !this.#isAtEnd) {
      await requester.turn()
      const query = {
        filter: this.#filter,
        ordering: { key: 'data_date', descending: false } as const,
        limit: this.#limit,
        ...(this.#after && { after: this.#after }),
      }
      const { epoch, records, next } = await reader.records(query, requester)
      if (epoch !== this.#reading.epoch)
        throw new CatalogueUnavailable('the catalogue was rebuilt meanwhile')
      await requester.turn()
      this.#files = records.flatMap((file) => this.#timed(file))
      this.#index = 0
      this.#after = next
      this.#isAtEnd = next === undefined
    }
  }

  /** The filter by durations, and by short codes, finds files of other series too. */
  #timed(file: ListedFile): readonly TimedFile[] {
    const name = parseFilename(file.name)
    if (name.kind !== 'parsed') return []
    const { period, sites } = this.#group
    const isOwn = seriesOf(name)?.period === period
    const isOfSite = sites.has(this.#reading.sites.siteOf(name.station))
    return isOwn && isOfSite ? [{ file, start: name.startSeconds }] : []
  }
}
