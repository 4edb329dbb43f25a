/** The files beside a file: the same station at the same time, and the same series before and after. */
import type { CatalogueReader } from '../../catalogue/reader.ts'
import type { ListedFile } from '../../catalogue/records.ts'
import type { FileFilter } from '../../catalogue/filter.ts'
import { parseFilename } from '../../parse/filename.ts'
import type { FileDuration } from '../../parse/types.ts'
import type { Links } from '../http/links.ts'
import type { FilesBeside } from './record-page.ts'
import { serialiseRecord } from './serialise.ts'

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
