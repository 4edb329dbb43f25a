/**
 * Answers requests for a single record: as JSON, or as a page with the latest change of the file
 * and links to related files.
 */
import type { RouteHandlerMethod } from 'fastify'
import type { FileFilter } from '../../catalogue/filter.ts'
import type { CatalogueReader } from '../../catalogue/reader.ts'
import type { FileRecord, ListedFile } from '../../catalogue/records.ts'
import { parseFilename } from '../../parse/filename.ts'
import type { FileDuration } from '../../parse/types.ts'
import { isFresh, sendHtml, sendJson, sendNotModified } from '../http/context.ts'
import type { ApiContext, Requester } from '../http/context.ts'
import { badFields, notFound } from '../http/errors.ts'
import { ignoredHeader } from '../http/headers.ts'
import { changesUrl } from '../http/links.ts'
import type { Links } from '../http/links.ts'
import { negotiate } from '../http/negotiate.ts'
import type { Query } from '../http/query.ts'
import { everywhere, findUnknown } from '../parameters/unknown.ts'
import type { Faults } from '../parameters/unknown.ts'
import { renderRecord } from './record-page.ts'
import type { FilesBeside, RecordHistory } from './record-page.ts'
import { readExpand, serialiseRecord } from './serialise.ts'
import { microsecondsToIso } from '../http/times.ts'

export function showFile({
  reader,
  links,
  tag,
  limits,
  settings,
}: Pick<ApiContext, 'reader' | 'links' | 'tag' | 'limits' | 'settings'>): RouteHandlerMethod {
  const willBeHashed = {
    all: () => true,
    arriving: (id: number) => reader.awaitsChecksum(id),
    none: () => false,
  }[settings.checksums]
  return async (request, reply) => {
    const representation = negotiate(request, reply)
    const id = Number((request.params as { readonly id: string }).id)
    if (!Number.isSafeInteger(id)) throw notFound()
    const { ignored, ...expand } = parseRecordRequest(request.query as Query)
    reply.headers(ignoredHeader(ignored))
    // The HTML page shows all details.
    const details = expand.details || representation === 'html'
    const head = await reader.head()
    if (isFresh(request, reply, tag(head, representation, { details })))
      return sendNotModified(reply)
    const requester = representation === 'html' ? await limits.page(request, reply) : undefined
    const record = await reader.record({ id, details })
    if (record === undefined) throw notFound()
    const wire = serialiseRecord(record, links())
    if (requester === undefined) return sendJson(reply, wire)
    const [beside, history, isWaiting] = await Promise.all([
      filesBeside({ reader, requester }, record, links()),
      readHistory(reader, record, links()),
      wire.file?.sha256 === null && willBeHashed(id),
    ])
    return sendHtml(reply, renderRecord(wire, { beside, history, isWaiting }))
  }
}

/** @throws HttpError 400 with all faults */
function parseRecordRequest(query: Query) {
  const faults: Faults = new Map()
  const ignored = findUnknown(query, [...everywhere, 'expand'], faults)
  const expand = readExpand(query)
  if ('fault' in expand) faults.set('expand', [expand.fault])
  if ('fault' in expand || faults.size > 0) throw badFields(Object.fromEntries(faults))
  return { ignored, ...expand }
}

/** Maximum number of files of the same time that the page shows. */
const maxFiles = 12

/** Number of days before and after a file in which its neighbours are searched. */
const rangeDays: Readonly<Record<FileDuration, number>> = { m: 1, h: 1, d: 7, y: 1000, u: 7 }

/**
 * Finds the files of the same station at the same time, and the files of the same series before and
 * after.
 */
async function filesBeside(
  { reader, requester }: { reader: Pick<CatalogueReader, 'page'>; requester: Requester },
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
    const query = { filter, ordering, limit, offset: 0, details: false }
    const { records } = await reader.page(query, requester)
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

/** Reads the latest change of a record with one lookup by its seq. */
async function readHistory(
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
