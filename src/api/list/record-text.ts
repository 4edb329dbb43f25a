/** Records as JSON and CSV, made from their parts. */
import type { ListedFile } from '../../catalogue/catalogue.ts'
import { parseFilename } from '../../parse/filename.ts'
import type { Links } from '../links.ts'
import { downloadUrl, recordUrl } from '../links.ts'
import { inOnePiece } from '../one-piece.ts'
import { microsecondsToIso, secondsToIso, serialiseRecord, wireFields } from '../serialise.ts'

/** Remembers the last text: records that follow each other share their times. */
function remembering(make: (one: number, other: number) => string) {
  let [lastOne, lastOther, text] = [NaN, NaN, '']
  return (one: number, other = 0): string => {
    if (one !== lastOne || other !== lastOther) {
      text = inOnePiece(make(one, other))
      lastOne = one
      lastOther = other
    }
    return text
  }
}

const dataDate = remembering(secondsToIso)
/** The end of a record's JSON; up to the year 9999 always of the same length. `records-json.ts` writes it over others. */
export const timesJson = remembering((createdUs, modifiedUs) => {
  const created = microsecondsToIso(createdUs)
  const modified = modifiedUs === createdUs ? created : microsecondsToIso(modifiedUs)
  return `"created":"${created}","modified":"${modified}"}`
})
const timesCsv = remembering(
  (createdUs, modifiedUs) => `${microsecondsToIso(createdUs)},${microsecondsToIso(modifiedUs)}`,
)

/** The same text as that of `serialiseRecord`. */
export function recordJson(record: ListedFile, links: Links): string {
  const { id, name, directory } = record
  const parsed = parseFilename(name)
  // Names that are read, directories and URLs hold no character that JSON would escape.
  if (parsed.kind === 'rejected') return JSON.stringify(serialiseRecord(record, links))
  const number = String(id)
  return (
    `{"id":${number},"url":"${recordUrl(links, number)}","filename":"${name}",` +
    `"data_date":"${dataDate(parsed.startSeconds)}","file_duration":"${parsed.duration}",` +
    `"file_version":"${parsed.version}","file_type":"${parsed.type}",` +
    `"download_path":"${downloadUrl(links, directory, name)}",` +
    timesJson(record.createdUs, record.modifiedUs)
  )
}

/** The fields that `wireFields` names, in their order, separated by commas (RFC 4180). */
export function recordCsv(record: ListedFile, links: Links): string {
  const { id, name, directory } = record
  const parsed = parseFilename(name)
  if (parsed.kind === 'rejected') {
    const wire = serialiseRecord(record, links)
    return wireFields.map((field) => csvValue(wire[field])).join()
  }
  // Nothing but what a base URL begins with may have to be quoted.
  return (
    `${id},${csvValue(recordUrl(links, id))},${name},` +
    `${dataDate(parsed.startSeconds)},${parsed.duration},${parsed.version},${parsed.type},` +
    `${csvValue(downloadUrl(links, directory, name))},` +
    timesCsv(record.createdUs, record.modifiedUs)
  )
}

/** A value as RFC 4180 has it. */
function csvValue(value: string | number | null): string {
  const text = String(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
