/** A single record: as JSON, or as a page with its latest change and links to related files. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { FileFilter, TimeRange } from '../../catalogue/filter.ts'
import type { FileRecord } from '../../catalogue/records.ts'
import type { FileDuration } from '../../parse/types.ts'
import type { ApiContext } from '../http/context.ts'
import { notFound } from '../http/errors.ts'
import type { Format } from '../http/formats.ts'
import type { Requester } from '../http/limits.ts'
import { pageUrl } from '../http/links.ts'
import * as schema from '../openapi/schema.ts'
import { layOut } from '../pages/layout.ts'
import type { Expansion } from '../parameters/file-filters.ts'
import { expand, isExpanded } from '../parameters/file-filters.ts'
import type { RequestOf } from '../resources/answer.ts'
import { addAnswer } from '../resources/answer.ts'
import type { FileView } from './file-view.ts'
import { viewOf } from './file-view.ts'
import type { FilesBeside, LatestChange } from './record-page.ts'
import { renderRecord } from './record-page.ts'
import { recordSchema } from './schema.ts'
import { serialiseRecord } from './serialise.ts'

export const recordPath = 'rinex-file/:id(^[0-9]+$)/'

export const recordParams = {
  id: schema.integer('Id of the record.', 1, { minimum: 1 }),
}

export function addRecord(app: FastifyInstance, context: ApiContext): void {
  const { reader, links, settings } = context
  const willBeHashed = {
    all: () => true,
    arriving: (id: number) => reader.awaitsChecksum(id),
    none: () => false,
  }[settings.checksums]
  addAnswer(app, context, {
    path: recordPath,
    formats: ['json', 'html'],
    accepts: { parameters: { expand } },
    operation: {
      id: 'getFile',
      tag: 'Files',
      name: 'Rinex File Instance',
      summary: 'Get a file',
      about: 'One RINEX file of the archive.',
      returns: 'The record.',
      params: recordParams,
      samples: ['rinex-file/{id}/', 'rinex-file/{id}/?expand=file,facts'],
    },
    bodies: { json: recordSchema },
    state: async (asked) => {
      idOf(asked.request)
      return { version: await reader.head(), details: isExpanded(expansionOf(asked)) }
    },
    read: async (asked, _state, requester) => {
      const id = idOf(asked.request)
      const record = await reader.record({ id, ...expansionOf(asked) })
      if (record === undefined) throw notFound()
      const html = async () => {
        const file = viewOf(record, links())
        const [beside, change, isWaiting] = await Promise.all([
          filesBeside(context, file, requester),
          latestChange(context, record),
          file.sha256 === undefined && willBeHashed(id),
        ])
        return layOut(renderRecord(file, { beside, change, isWaiting }), context.site())
      }
      return { bodies: { json: () => serialiseRecord(record, links(), settings.layout), html } }
    },
  })
}

type RecordRequest = RequestOf<{ readonly expand: typeof expand }, Format>

/** The id in the path of a request. @throws HttpError 404 for a number that is no id */
export function idOf({ params }: FastifyRequest): number {
  const id = Number((params as { readonly id: string }).id)
  if (!Number.isSafeInteger(id)) throw notFound()
  return id
}

/** The HTML page shows all that is known. */
function expansionOf({ values, format }: RecordRequest): Expansion {
  return format === 'html' ? { details: true, facts: true } : values.expand
}

/** Maximum numbers of files that the page compares or shows. */
const most = { sameTime: 12, beside: 12, alike: 3 }

/** Number of days before and after a file in which its neighbours are searched. */
const rangeDays: Readonly<Record<FileDuration, number>> = { m: 1, h: 1, d: 7, y: 1000, u: 7 }

/** The files of the station at the same time, and those of the same series before and after. */
async function filesBeside(
  { reader, links }: ApiContext,
  { id, parsed }: FileView,
  requester: Requester,
): Promise<FilesBeside> {
  if (parsed === undefined) return { sameTime: [], before: [], after: [] }
  const { station, duration, type, version, content, interval } = parsed
  const startUs = parsed.startSeconds * 1e6
  const rangeUs = rangeDays[duration] * 86_400e6
  const stations = [station.slice(0, 4)]
  const series = { stations, durations: [duration], types: [type] }
  const read = async (filter: FileFilter, descending: boolean, limit: number) => {
    const ordering = { key: 'data_date', descending } as const
    const query = { filter, ordering, limit, offset: 0, details: true }
    const { records } = await reader.page(query, requester)
    return records.filter((each) => each.id !== id).map((each) => viewOf(each, links()))
  }
  /** Those with the same content and interval, or all if there is none. */
  const readSeries = async (start: TimeRange, descending: boolean) => {
    const files = await read({ ...series, start }, descending, most.beside)
    const alike = files.filter(
      ({ parsed: other }) =>
        other?.version === version && other.content === content && other.interval === interval,
    )
    return (alike.length > 0 ? alike : files).slice(0, most.alike)
  }
  const [sameTime, before, after] = await Promise.all([
    read({ stations, start: { fromUs: startUs, toUs: startUs } }, false, most.sameTime),
    readSeries({ fromUs: startUs - rangeUs, toUs: startUs - 1e6 }, true),
    readSeries({ fromUs: startUs + 1e6, toUs: startUs + rangeUs }, false),
  ])
  return { sameTime, before, after }
}

/** Reads the latest change of a record with one lookup by its seq. */
async function latestChange(
  { reader, links }: ApiContext,
  { id, name, seq }: FileRecord,
): Promise<LatestChange | undefined> {
  const { changes } = await reader.changes({ since: seq - 1, limit: 1, filters: {} })
  const found = changes.find((each) => each.seq === seq && each.record.id === id)
  if (found === undefined) return undefined
  // With `limit=1` the feed stops at this change, however many follow.
  const href = pageUrl(links(), 'changes', [
    ['filename', name],
    ['limit', '1'],
    ['since', String(seq - 1)],
  ])
  return { kind: found.change, atUs: found.atUs, href }
}
