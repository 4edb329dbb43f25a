/** A single record: as JSON, or as a page with its latest change and links to related files. */
import type { FastifyInstance } from 'fastify'
import type { FileFilter } from '../../catalogue/filter.ts'
import type { SingleRecord } from '../../catalogue/questions/files.ts'
import type { FileRecord, ListedFile } from '../../catalogue/records.ts'
import { microsecondsToIso } from '../../parse/calendar.ts'
import { parseFilename } from '../../parse/filename.ts'
import type { FileDuration } from '../../parse/types.ts'
import type { ApiContext } from '../http/context.ts'
import { notFound } from '../http/errors.ts'
import type { Format } from '../http/formats.ts'
import type { Requester } from '../http/limits.ts'
import { pageUrl } from '../http/links.ts'
import * as schema from '../openapi/schema.ts'
import { layOut } from '../pages/layout.ts'
import { expand } from '../parameters/file-filters.ts'
import type { RequestOf } from '../resources/answer.ts'
import { addAnswer } from '../resources/answer.ts'
import type { FilesBeside, RecordHistory } from './record-page.ts'
import { renderRecord } from './record-page.ts'
import type { Arrival } from './record-words.ts'
import { recordSchema } from './schema.ts'
import { serialiseRecord } from './serialise.ts'

export function addRecord(app: FastifyInstance, context: ApiContext): void {
  const { reader, links, settings } = context
  const willBeHashed = {
    all: () => true,
    arriving: (id: number) => reader.awaitsChecksum(id),
    none: () => false,
  }[settings.checksums]
  addAnswer(app, context, {
    path: 'rinex-file/:id(^[0-9]+$)/',
    formats: ['json', 'html'],
    accepts: { parameters: { expand } },
    operation: {
      id: 'getFile',
      tag: 'Files',
      name: 'Rinex File Instance',
      summary: 'Get a file',
      about: 'One RINEX file of the archive.',
      returns: 'The record.',
      params: { id: schema.integer('Id of the record.', 1, { minimum: 1 }) },
      samples: ['rinex-file/{id}/'],
    },
    bodies: { json: recordSchema },
    state: async (asked) => {
      if (!Number.isSafeInteger(idOf(asked))) throw notFound()
      return { version: await reader.head(), details: withDetails(asked) }
    },
    read: async (asked, _state, requester) => {
      const id = idOf(asked)
      const record = await reader.record({ id, details: withDetails(asked) })
      if (record === undefined) throw notFound()
      const wire = serialiseRecord(record, links())
      const html = async () => {
        const [beside, history, isWaiting] = await Promise.all([
          filesBeside(context, record, requester),
          readHistory(context, record),
          wire.file?.sha256 === null && willBeHashed(id),
        ])
        const page = renderRecord(wire, { beside, history, isWaiting, arrival: arrivalOf(record) })
        return layOut(page, context.site())
      }
      return { bodies: { json: () => wire, html } }
    },
  })
}

function arrivalOf({ name, arrivalUs }: SingleRecord): Arrival | undefined {
  const parsed = parseFilename(name)
  if (parsed.kind !== 'parsed') return undefined
  return { arrivalUs, ...parsed }
}

type RecordRequest = RequestOf<{ readonly expand: typeof expand }, Format>

function idOf({ request }: RecordRequest): number {
  return Number((request.params as { readonly id: string }).id)
}

/** The HTML page shows all details. */
function withDetails({ values, format }: RecordRequest): boolean {
  return values.expand || format === 'html'
}

/** Maximum number of files of the same time that the page shows. */
const maxFiles = 12

/** Number of days before and after a file in which its neighbours are searched. */
const rangeDays: Readonly<Record<FileDuration, number>> = { m: 1, h: 1, d: 7, y: 1000, u: 7 }

/** The files of the station at the same time, and those of the same series before and after. */
async function filesBeside(
  { reader, links }: ApiContext,
  file: ListedFile,
  requester: Requester,
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
    const query = { filter, ordering, limit, offset: 0, details: false }
    const { records } = await reader.page(query, requester)
    return records
      .filter(({ id }) => id !== file.id)
      .map((record) => serialiseRecord(record, links()))
  }
  const [sameTime, before, after] = await Promise.all([
    read({ stations, start: { fromUs: startUs, toUs: startUs } }, false, maxFiles),
    read({ ...series, start: { fromUs: startUs - rangeUs, toUs: startUs - 1e6 } }, true, 3),
    read({ ...series, start: { fromUs: startUs + 1e6, toUs: startUs + rangeUs } }, false, 3),
  ])
  return { sameTime, before, after }
}

/** Reads the latest change of a record with one lookup by its seq. */
async function readHistory(
  { reader, links }: ApiContext,
  { id, name, seq }: FileRecord,
): Promise<RecordHistory> {
  const { changes } = await reader.changes({ since: seq - 1, limit: 1, filters: {} })
  const change = changes.find((each) => each.seq === seq && each.record.id === id)
  if (change === undefined) return { seq, change: undefined, href: undefined }
  return {
    seq,
    change: { kind: change.change, at: microsecondsToIso(change.atUs) },
    // With `limit=1` the feed stops at this change, however many follow.
    href: pageUrl(links(), 'changes', [
      ['filename', name],
      ['limit', '1'],
      ['since', String(seq - 1)],
    ]),
  }
}
