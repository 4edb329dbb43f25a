/** A file as pages show it, and the cells of tables that show files. Pure. */
import { isDamage } from '../../catalogue/filter.ts'
import type { FileDetails, ListedFile } from '../../catalogue/records.ts'
import { microsecondsToIso, secondsToIso } from '../../parse/calendar.ts'
import { knownSuffixes, parseFilename } from '../../parse/filename.ts'
import type { ParsedName } from '../../parse/types.ts'
import { readableTime } from '../../runtime/readable.ts'
import type { Links } from '../http/links.ts'
import { downloadUrl, recordUrl } from '../http/links.ts'
import type { Child } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { slotMark } from '../pages/marks.ts'
import { timeCell } from '../pages/table.ts'
import { faultWord, kindWords, startWords } from './file-words.ts'

/** A file with the parts of its name and the addresses of its page and its download. */
export interface FileView
  extends
    FileDetails,
    Pick<
      ListedFile,
      'id' | 'directory' | 'name' | 'createdUs' | 'modifiedUs' | 'facts' | 'damaging'
    > {
  /** `undefined` until the next scan removes a name that this release rejects. */
  readonly parsed: ParsedName | undefined
  readonly href: string
  readonly download: string
}

export function viewOf({ details, ...file }: ListedFile, links: Links): FileView {
  if (details === undefined) throw new Error('a page was given a file without its details')
  const parsed = parseFilename(file.name, knownSuffixes)
  return {
    ...file,
    ...details,
    parsed: parsed.kind === 'parsed' ? parsed : undefined,
    href: recordUrl(links, file.id),
    download: downloadUrl(links, file.directory, file.name),
  }
}

/** What is wrong with the file, on a line below its name, so that the table becomes no wider. */
export function faultMark(file: FileView): Child {
  const word = faultWord(file)
  return (
    word !== undefined &&
    html`<br><small>${isDamage(file.problem) && slotMark('damaged')} ${word}</small>`
  )
}

/** The start of the data, with its hour unless the file has whole days. */
export function startCell({ parsed }: FileView): Child {
  return parsed && timeCell(secondsToIso(parsed.startSeconds), startWords(parsed))
}

/** `observation, day, 30 s` */
export function kindCell({ parsed }: FileView): Child {
  return parsed && kindWords(parsed)
}

/** When it arrived, if that was seen; otherwise it was found, with the time of the file itself. */
export function arrivedCell({ arrivalUs, mtimeUs }: FileView, thisYear: number): Child {
  const iso = microsecondsToIso(arrivalUs ?? mtimeUs)
  const time = timeCell(iso, readableTime(iso, 'minute', thisYear))
  return arrivalUs === undefined
    ? html`<i title="It was not seen arriving: the time is that of the file itself">found, written</i> ${time}`
    : time
}
