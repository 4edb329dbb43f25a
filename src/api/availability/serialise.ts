/** Writes the stretches of many series as JSON and CSV, piece by piece. */
import { secondsPerDay, secondsToIso } from '../../parse/calendar.ts'
import { csvValue } from '../http/send.ts'
import type { SpansOfSeries } from './asked-series.ts'
import type { WireSpans } from './schema.ts'
import { csvColumns } from './schema.ts'

/** Series, a few at a time. */
type SpansInParts = AsyncGenerator<readonly SpansOfSeries[]>

/** @param further members of the answer before the series */
export async function* spansAsJson(parts: SpansInParts, further: object): AsyncGenerator<Buffer> {
  let before = `${JSON.stringify(further).slice(0, -1)},"series":[`
  for await (const part of parts) {
    if (part.length === 0) continue
    yield Buffer.from(before + part.map((each) => JSON.stringify(serialise(each))).join(','))
    before = ','
  }
  yield Buffer.from(before === ',' ? ']}' : `${before}]}`)
}

function serialise({ series, delivered, spans }: SpansOfSeries): WireSpans {
  const { station, fileType, period, fromDay, toDay } = series
  return {
    station,
    file_type: fileType,
    period,
    from: secondsToIso(fromDay * secondsPerDay),
    to: secondsToIso((toDay + 1) * secondsPerDay),
    delivered,
    spans: spans.map(([start, end]) => [secondsToIso(start), secondsToIso(end)] as const),
  }
}

/** A row for each stretch. */
export async function* spansAsCsv(parts: SpansInParts): AsyncGenerator<Buffer> {
  let before = `${csvColumns.join()}\r\n`
  for await (const part of parts) {
    const rows = part
      .map(serialise)
      .flatMap(({ station, file_type, period, spans }) =>
        spans.map(([start, end]) => [station, file_type, period, start, end]),
      )
    const lines = rows.map((row) => `${row.map(csvValue).join()}\r\n`).join('')
    if (before + lines !== '') yield Buffer.from(before + lines)
    before = ''
  }
  if (before !== '') yield Buffer.from(before)
}
