/**
 * Records as JSON, many in a row. A record that has directory and end of the name in common with an earlier one is a copy of its
 * bytes, with id, station and times written over. To put the text of each together takes up to twice as long.
 */
import type { ListedFile } from '../../catalogue/catalogue.ts'
import { endingOf } from '../../parse/ending.ts'
import type { Links } from '../links.ts'
import { recordJson, timesJson } from './record-text.ts'

/** A record in the tray, of which the next like it is a copy. */
interface Model {
  readonly ending: string
  /** Bytes, as many in each copy. */
  readonly length: number
  /** Known as soon as a second record has the same ending. */
  layout: Layout | undefined
  /** The latest copy, and where it begins. */
  record: ListedFile
  at: number
}

/** Where in the text of a record stands what is its own; the id stands at `idAt` as well. */
interface Layout {
  readonly urlIdAt: number
  readonly nameAt: number
  readonly pathNameAt: number
  readonly timesAt: number
  /** Ids from the lowest to the highest have as many digits as this one. */
  readonly digits: number
  readonly lowestId: number
  readonly highestId: number
}

/** What lies there is taken as text when there may be no room for another record. */
const tray = Buffer.allocUnsafeSlow(64 * 1024)

/** Bytes; longer records are not laid there. */
const longestLaid = 4096

const idAt = '{"id":'.length

/**
 * As `recordJson` has them, one behind the other, and all of it ASCII: other characters are escaped.
 * @param separator stands between them
 */
export function recordsJson(
  records: readonly ListedFile[],
  links: Links,
  separator: ',' | '\n' = ',',
): string {
  const models = new Map<string, Model>()
  let last: Model | undefined
  let text = ''
  let end = 0
  const take = (): string => {
    const taken = tray.toString('latin1', 0, end)
    models.clear()
    last = undefined
    end = 0
    return taken
  }
  for (const record of records) {
    if (text !== '' || end > 0) tray[end++] = separator.charCodeAt(0)
    if (end + longestLaid >= tray.length) text += take()
    const ending = endingOf(record.name)
    if (last?.ending !== ending) last = ending === undefined ? undefined : models.get(ending)
    if (last === undefined || !copied(last, { record, at: end, links })) {
      const json = recordJson(record, links)
      if (ending !== undefined && json.length <= longestLaid && isAscii(json)) {
        tray.write(json, end, 'latin1')
        last = { ending, length: json.length, layout: undefined, record, at: end }
        models.set(ending, last)
      } else text += take() + escaped(json)
    }
    end += last?.length ?? 0
  }
  return text + take()
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length
}

/** JSON in ASCII. */
function escaped(json: string): string {
  return json.replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Lays a copy of the model at `at`, if the record is like it in all but id, station and times. */
function copied(
  model: Model,
  { record, at, links }: { record: ListedFile; at: number; links: Links },
): boolean {
  const { id, name, directory, createdUs, modifiedUs } = record
  const { ending, length, record: before } = model
  if (before.directory !== directory) return false
  const layout = (model.layout ??= layoutOf(model, links))
  if (id < layout.lowestId || id > layout.highestId) return false
  const isOfOtherTimes = createdUs !== before.createdUs || modifiedUs !== before.modifiedUs
  const times = isOfOtherTimes ? timesJson(createdUs, modifiedUs) : ''
  if (isOfOtherTimes && layout.timesAt + times.length !== length) return false

  tray.copyWithin(at, model.at, model.at + length)
  for (let rest = id, digit = layout.digits - 1; digit >= 0; digit--) {
    const tens = Math.floor(rest / 10)
    tray[at + idAt + digit] = tray[at + layout.urlIdAt + digit] = 0x30 + (rest - tens * 10)
    rest = tens
  }
  for (let index = name.length - ending.length - 1; index >= 0; index--) {
    const code = name.charCodeAt(index)
    tray[at + layout.nameAt + index] = tray[at + layout.pathNameAt + index] = code
  }
  if (isOfOtherTimes) tray.write(times, at + layout.timesAt, 'latin1')
  model.record = record
  model.at = at
  return true
}

function layoutOf({ record, at, length }: Model, links: Links): Layout {
  const { id, name, createdUs, modifiedUs } = record
  const json = tray.toString('latin1', at, at + length)
  const digits = String(id)
  // These two are looked for where nothing like them stands before.
  const urlIdAt = json.indexOf(digits, `{"id":${digits},"url":"`.length + links.api.length)
  const nameAt = json.indexOf(name, urlIdAt)
  const timesAt = length - timesJson(createdUs, modifiedUs).length
  const lowestId = 10 ** (digits.length - 1)
  return {
    urlIdAt,
    nameAt,
    pathNameAt: timesAt - `${name}",`.length,
    timesAt,
    digits: digits.length,
    lowestId,
    highestId: lowestId * 10 - 1,
  }
}
