/** What a record's page shows beside the record: files of the same station, and the latest change. */
import type { CatalogueReader } from '../../catalogue/reader.ts'
import type { ChangeKind, FileRecord, ListedFile } from '../../catalogue/records.ts'
import type { FileFilter } from '../../catalogue/filter.ts'
import { parseFilename } from '../../parse/filename.ts'
import type { FileDuration } from '../../parse/types.ts'
import { changesUrl } from '../http/links.ts'
import type { Links } from '../http/links.ts'
import { microsecondsToIso, serialiseRecord } from './serialise.ts'
import type { WireRecord } from './serialise.ts'

/** Files of the same station: at the same time, and the same series before and after. */
export interface FilesBeside {
  readonly sameTime: readonly WireRecord[]
  readonly before: readonly WireRecord[]
  readonly after: readonly WireRecord[]
}

/** Most files of a group. */
const maxFiles = 12

/** How far from the file its neighbours are looked for, in days. */
const rangeDays: Readonly<Record<FileDuration, number>> = { m: 1, h: 1, d: 7, y: 1000, u: 7 }

export async function filesBeside(
  reader: Pick<CatalogueReader, 'page'>,
  file: ListedFile,
  links: Links,
): Promise<FilesBeside> {
  const name = parseFilename(file.name)
  if (name.kind !== 'parsed') return { sameTime: [], before: [], after: [] }
  const { station, duration, type } = name
  const startUs = name.startSeconds * 1e6
  const rangeUs = rangeDays[duration] * 86_400e6
  const stations = [station.slice(0, 4)]
  const series = { stations, durations: [duration], types: [type] }
  const read = async (filter: FileFilter, descending: boolean, limit: number) => {
    const ordering = { key: 'data_date', descending } as const
    const { records } = await reader.page({ filter, ordering, limit, offset: 0, details: false })
    return records
      .filter(({ id }) => id !== file.id)
      .map((record) => serialiseRecord(record, links))
  }
  const [sameTime, before, after] = await Promise.all([
    read({ stations, dataDate: { fromUs: startUs, toUs: startUs } }, false, maxFiles),
    read({ ...series, dataDate: { fromUs: startUs - rangeUs, toUs: startUs - 1e6 } }, true, 3),
    read({ ...series, dataDate: { fromUs: startUs + 1e6, toUs: startUs + rangeUs } }, false, 3),
  ])
  return { sameTime, before, after }
}

/** The latest change of a record, as the change feed has it. */
export interface RecordHistory {
  /** Seq of the latest change. */
  readonly seq: number
  /** `undefined` if the change feed does not reach back to this change. */
  readonly change: { readonly kind: ChangeKind; readonly at: string } | undefined
  /** The page of the change feed with this change alone; `undefined` without it. */
  readonly href: string | undefined
}

/** Reads the latest change of a record with one lookup by its seq. */
export async function readHistory(
  reader: Pick<CatalogueReader, 'changes'>,
  { id, name, seq }: Pick<FileRecord, 'id' | 'name' | 'seq'>,
  links: Links,
): Promise<RecordHistory> {
  const { changes } = await reader.changes({ since: seq - 1, limit: 1, filters: {} })
  const change = changes.find((each) => each.seq === seq && each.record.id === id)
  if (change === undefined) return { seq, change: undefined, href: undefined }
  return {
    seq,
    change: { kind: change.change, at: microsecondsToIso(change.atUs) },
    // With `limit=1` the feed stops at this change, however many follow.
    href: changesUrl(links, [
      ['filename', name],
      ['limit', '1'],
      ['since', String(seq - 1)],
    ]),
  }
}
