/**
 * Small files that are asked for again and again: the newest hour's, which everybody fetches within minutes. They are
 * sent from memory while the file on disk is the one that was read, which is asked for every request.
 */
import { statSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { CatalogueReader, FoundFile, Head } from '../catalogue/catalogue.ts'
import { openByteShelf } from './byte-shelf.ts'
import { isAsCatalogued, isSameVersion } from './file-version.ts'
import { openLocalDevices } from './local-file.ts'
import { openTurnMemory, whenKnown } from './known.ts'
import type { Known } from './known.ts'
import { pieceBytes } from './pieces.ts'
import type { Press } from './press/press.ts'
import { headerList, isKnown, readyAnswer } from './ready-answers.ts'
import type { ReadyAnswer, ReadyAnswers } from './ready-answers.ts'
import { openRequestMemory } from './request-memory.ts'

/** A record is asked for again after this time, though nothing has changed: its checksum may be known by then. */
const confirmMs = 10_000
/** A file may be written to within one tick of its clock and keep its times: so old it has to be when it is read. */
const longestTickMs = 2000
/** What the kernel was asked of a file so lately is still in its memory; later it may have to ask the disk. */
const inMemoryMs = 60_000
/**
 * One that was asked for so lately stays, whatever else is wanted. Were it driven out, files that are fetched in turn,
 * more than there is room for, would all be gone again before they are asked for a second time.
 */
const stayMs = 10_000
/** Requests for files remembered at least: a day of a large network, hour by hour. */
const requestsRemembered = 20_000

/** Of all memory, for the headers of files whose bytes are not there: who polls many files drives out none. */
const bareShare = 1 / 8

export interface HotFilesDeps {
  readonly reader: CatalogueReader
  readonly press: Press
  /** Absolute path of the archive root. */
  readonly archive: string
  /** Of all files together. */
  readonly mostBytes: number
  /** The clock: milliseconds since 1970. */
  readonly nowMs?: () => number
}

/** What a request is known by here. */
type Asked = Pick<IncomingMessage, 'method' | 'url' | 'headers'>

/** The answer with which a file is sent. */
export interface FileAnswer {
  readonly request: IncomingMessage
  /** Pattern of the route that gives it. */
  readonly route: string
  readonly headers: Readonly<Record<string, string>>
}

/** A file as it was opened. */
export interface OpenedFile {
  readonly record: FoundFile
  readonly stats: Stats
}

/** And as it was read, whole; or not at all, where nobody wants more of it than its headers. */
export interface ReadFile extends OpenedFile {
  readonly body: Buffer | undefined
}

/** The answer with a file, or with its headers alone. */
interface FileReady extends ReadyAnswer {
  readonly lastModified: string
  readonly isWhole: boolean
}

/** A file in memory. */
interface HotFile extends FileReady {
  /** Whether it is still the one on disk and in the catalogue. */
  holds(): Known<boolean>
  /** When it was asked for last. */
  askedMs: number
}

export interface HotFiles extends ReadyAnswers {
  /**
   * Whether a file that is asked for is to be kept, for which it is read at once, into memory of its own: not one that is
   * asked for the first time, and not in the place of what others ask for now.
   */
  wants(request: Asked, file: OpenedFile): boolean
  /** Keeps what it wants, or the headers alone of what was sent without a body. */
  keep(answer: FileAnswer, file: ReadFile): void
}

/** With these a request may want something else than the file, its headers, or to hear that it is the same. */
const conditions = ['range', 'if-match', 'if-unmodified-since'] as const

export function openHotFiles(deps: HotFilesDeps): HotFiles {
  const { reader, archive, mostBytes, nowMs = Date.now } = deps
  const whole = openByteShelf<HotFile>(mostBytes * (1 - bareShare))
  const bare = openByteShelf<HotFile>(mostBytes * bareShare)
  const there = (url: string): HotFile | undefined => whole.get(url) ?? bare.get(url)
  const asked = openRequestMemory(requestsRemembered)
  const isLocal = openLocalDevices()
  const oncePerTurn = openTurnMemory()
  const head = oncePerTurn(() => reader.head())
  /** Whether a record is still the same; asked for when the catalogue has changed, and now and then. */
  const watchRecord = (record: FoundFile): (() => Known<boolean>) => {
    let known: Head | undefined
    let untilMs = 0
    const askAgain = async (now: Head): Promise<boolean> => {
      const found = await reader.file(record.directory, record.name)
      if (found?.seq !== record.seq || found.sha256?.join() !== record.sha256?.join()) return false
      known = now
      untilMs = performance.now() + confirmMs
      return true
    }
    const isSameAt = (now: Head): Known<boolean> => {
      const isLatest = known?.seq === now.seq && known.epoch === now.epoch
      return isLatest && performance.now() < untilMs ? true : askAgain(now)
    }
    return () => whenKnown(head(), isSameAt)
  }
  const put = (target: string, hot: FileReady, file: OpenedFile): void => {
    const { directory, name } = file.record
    const path = join(archive, directory, name)
    const isSameRecord = watchRecord(file.record)
    const { dev } = file.stats
    const look = (): Known<Stats> => {
      const now = nowMs()
      const isRecent = Math.abs(now - kept.askedMs) < inMemoryMs
      kept.askedMs = now
      // Where that waits for nobody, a look of our own costs a tenth of one by another thread.
      return isRecent && isLocal(dev, path) ? statSync(path) : stat(path)
    }
    const isSame = (): Known<boolean> =>
      whenKnown<Stats, boolean>(look(), (now) => isSameVersion(file.stats, now) && isSameRecord())
    const holds = (): Known<boolean> =>
      whenKnown(orFalse(isSame), (stays) => {
        if (!stays) shelf.delete(target)
        return stays
      })
    const kept: HotFile = { ...hot, holds: oncePerTurn(holds), askedMs: nowMs() }
    const shelf = hot.isWhole ? whole : bare
    bare.delete(target)
    shelf.put(target, kept)
  }
  /**
   * Whether it may be kept as it is, and was asked for before in this way, whole or without its body, of which the next
   * request hears.
   */
  const isWanted = (
    request: Asked,
    { record, stats }: OpenedFile,
    shelf: typeof whole,
    bytes = 0,
  ): boolean => {
    const { url = '' } = request
    if (!isPlain(request) || url.includes('?') || bytes > mostBytes) return false
    // It may have been there, and not been the answer, because of a date.
    if (whole.peek(url) !== undefined) return false
    const isSettled = nowMs() - Math.max(stats.mtimeMs, stats.ctimeMs) > longestTickMs
    if (!isSettled || !isAsCatalogued(record, stats)) return false
    const isSecond = asked.before(`${shelf === whole ? 'whole' : 'bare'} ${url}`)
    const isLeft = ({ askedMs }: HotFile): boolean => Math.abs(nowMs() - askedMs) > stayMs
    return isSecond && shelf.leaving(url, bytes).every(isLeft)
  }
  return {
    find(request) {
      const hot = isPlain(request) ? there(request.url ?? '') : undefined
      if (hot === undefined || !isAnswerTo(request, hot)) return undefined
      return whenKnown(hot.holds(), (holds) => (holds ? hot : undefined))
    },
    wants(request, file) {
      const { size } = file.stats
      return request.method === 'GET' && size <= pieceBytes && isWanted(request, file, whole, size)
    },
    keep({ request, route, headers }, { body, ...file }) {
      const { url = '' } = request
      const isWhole = body !== undefined
      if (!isWhole && !isWanted(request, file, bare)) return
      const tag = headers['etag'] ?? ''
      const given = { tag, headers: headerList(headers), body: body ?? '', route }
      const lastModified = headers['last-modified'] ?? ''
      const hot = { ...readyAnswer(deps.press, given), lastModified, isWhole }
      put(url, hot, file)
    },
  }
}

function orFalse(ask: () => Known<boolean>): Known<boolean> {
  try {
    const answer = ask()
    return answer instanceof Promise ? answer.catch(() => false) : answer
  } catch {
    return false
  }
}

function isPlain({ method, headers }: Asked): boolean {
  const isRead = method === 'GET' || method === 'HEAD'
  return isRead && conditions.every((name) => headers[name] === undefined)
}

/** Whether it can be answered with this. A client that has some other date has to be told what that means. */
function isAnswerTo({ method, headers }: Asked, hot: FileReady): boolean {
  if (isKnown(headers, hot)) return true
  const isDated = headers['if-modified-since'] !== undefined
  if (isDated && headers['if-none-match'] === undefined) return false
  return hot.isWhole || method === 'HEAD'
}
