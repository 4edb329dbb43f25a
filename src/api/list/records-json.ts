/**
 * Records as JSON, many in a row. Neighbours of a list differ in little but id and station: each is set as a copy of the one
 * before it with the same ending, in which those are changed. To put the text of each together takes four times as long.
 */
import type { ListedFile } from '../../catalogue/catalogue.ts'
import { endingOf } from '../../parse/ending.ts'
import type { Links } from '../links.ts'
import { recordJson, timesJson } from './record-text.ts'

/** A text of ASCII that was set, and where in it stands what the next record like it has of its own. */
interface Setting {
  readonly directory: string
  readonly ending: string
  /** Ids with as many digits. */
  readonly lowestId: number
  readonly highestId: number
  readonly idDigits: number
  readonly length: number
  readonly urlIdAt: number
  readonly nameAt: number
  readonly pathNameAt: number
  readonly timesAt: number
  /** The latest that was set: where it begins, and its times. */
  at: number
  createdUs: number
  modifiedUs: number
}

/** Texts are set here, and taken when it is full. */
const tray = Buffer.allocUnsafeSlow(64 * 1024)

/**
 * The texts of `recordJson`, one behind the other, all of it ASCII.
 * @param separator stands between them
 */
export function recordsJson(
  records: readonly ListedFile[],
  links: Links,
  separator: ',' | '\n' = ',',
): string {
  const settings = new Map<string, Setting>()
  let last: Setting | undefined
  let text = ''
  let end = 0
  const take = (): string => {
    const taken = tray.toString('latin1', 0, end)
    settings.clear()
    last = undefined
    end = 0
    return taken
  }
  for (const record of records) {
    if (text !== '' || end > 0) tray[end++] = separator.charCodeAt(0)
    if (end + longestSet >= tray.length) text += take()
    const ending = endingOf(record.name)
    const like = last?.ending === ending ? last : settings.get(ending ?? '')
    if (like !== undefined && isLike(like, record)) {
      setLike(like, record, end)
      last = like
    } else {
      const json = recordJson(record, links)
      last = settingOf(record, { json, ending, links })
      if (last === undefined) text += take() + escaped(json)
      else {
        settings.set(last.ending, last)
        tray.write(json, end, 'latin1')
        last.at = end
      }
    }
    end += last?.length ?? 0
  }
  return text + take()
}

/** Longer texts are not set. */
const longestSet = 4096

/** JSON in ASCII. */
function escaped(json: string): string {
  return json.replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** How a text that is set for the first time is told apart; `undefined` of one that cannot be set. */
function settingOf(
  { id, name, directory, createdUs, modifiedUs }: ListedFile,
  { json, ending, links }: { json: string; ending: string | undefined; links: Links },
): Setting | undefined {
  const { length } = json
  if (ending === undefined || length > longestSet || Buffer.byteLength(json) > length)
    return undefined
  const digits = String(id)
  const timesAt = length - timesJson(createdUs, modifiedUs).length
  const pathNameAt = timesAt - `${name}",`.length
  // These two are looked for where nothing like them stands before.
  const urlIdAt = json.indexOf(digits, `{"id":${digits},"url":"`.length + links.api.length)
  const nameAt = json.indexOf(name, urlIdAt)
  if (nameAt < 0 || !json.startsWith(name, pathNameAt)) return undefined
  const lowestId = 10 ** (digits.length - 1)
  return {
    directory,
    ending,
    lowestId,
    highestId: lowestId * 10 - 1,
    idDigits: digits.length,
    length,
    urlIdAt,
    nameAt,
    pathNameAt,
    timesAt,
    at: 0,
    createdUs,
    modifiedUs,
  }
}

function isLike(setting: Setting, { id, directory }: ListedFile): boolean {
  return setting.directory === directory && id >= setting.lowestId && id <= setting.highestId
}

const idAt = '{"id":'.length

function setLike(setting: Setting, record: ListedFile, at: number): void {
  const { length, idDigits, urlIdAt, nameAt, pathNameAt, timesAt, ending } = setting
  const { id, name, createdUs, modifiedUs } = record
  tray.copyWithin(at, setting.at, setting.at + length)
  for (let rest = id, digit = idDigits - 1; digit >= 0; digit--) {
    const tens = Math.floor(rest / 10)
    tray[at + idAt + digit] = tray[at + urlIdAt + digit] = 0x30 + (rest - tens * 10)
    rest = tens
  }
  for (let index = name.length - ending.length - 1; index >= 0; index--)
    tray[at + nameAt + index] = tray[at + pathNameAt + index] = name.charCodeAt(index)
  if (createdUs !== setting.createdUs || modifiedUs !== setting.modifiedUs)
    tray.write(timesJson(createdUs, modifiedUs), at + timesAt, 'latin1')
  setting.at = at
  setting.createdUs = createdUs
  setting.modifiedUs = modifiedUs
}
