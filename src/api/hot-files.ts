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
import { isLocalFile } from './local-file.ts'
import { openTurnMemory, whenKnown } from './known.ts'
import type { Known } from './known.ts'
import type { Press } from './press/press.ts'
import { headerList, readyAnswer } from './ready-answers.ts'
import type { ReadyAnswer, ReadyAnswers } from './ready-answers.ts'

/** A record is asked for again after this time, though nothing has changed: its checksum may be known by then. */
const confirmMs = 10_000
/** A file may be written to within one tick of its clock and keep its times: so old it has to be when it is read. */
const longestTickMs = 2000

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

/** The answer with which a file is sent. */
export interface FileAnswer {
  readonly request: IncomingMessage
  /** Pattern of the route that gives it. */
  readonly route: string
  readonly headers: Readonly<Record<string, string>>
}

/** A file as it was read, whole. */
export interface ReadFile {
  readonly record: FoundFile
  readonly stats: Stats
  readonly body: Buffer
}

/** A file in memory. */
interface HotFile extends ReadyAnswer {
  /** Whether it is still the one on disk and in the catalogue. */
  holds(): Known<boolean>
}

export interface HotFiles extends ReadyAnswers {
  /** Keeps a file that is sent, if it may be: what cannot be looked at any more is not. Never rejects. */
  keep(answer: FileAnswer, file: ReadFile): Promise<void>
}

/** With these a request may want something else than the file, its headers, or to hear that it is the same. */
const conditions = ['range', 'if-match', 'if-modified-since', 'if-unmodified-since'] as const

export function openHotFiles(deps: HotFilesDeps): HotFiles {
  const { reader, archive, mostBytes, nowMs = Date.now } = deps
  const shelf = openByteShelf<HotFile>(mostBytes)
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
      const isKnown = known?.seq === now.seq && known.epoch === now.epoch
      return isKnown && performance.now() < untilMs ? true : askAgain(now)
    }
    return () => whenKnown(head(), isSameAt)
  }
  const keepLater = async (target: string, hot: ReadyAnswer, file: ReadFile) => {
    const { directory, name } = file.record
    const path = join(archive, directory, name)
    const isSameRecord = watchRecord(file.record)
    // Where that waits for nobody, a look of our own costs a tenth of one by another thread.
    const look = (await isLocalFile(path)) ? () => statSync(path) : () => stat(path)
    const isSame = (): Known<boolean> =>
      whenKnown<Stats, boolean>(look(), (now) => isSameVersion(file.stats, now) && isSameRecord())
    const holds = (): Known<boolean> =>
      whenKnown(orFalse(isSame), (stays) => {
        if (!stays) shelf.delete(target)
        return stays
      })
    shelf.put(target, Object.assign(hot, { holds: oncePerTurn(holds) }))
  }
  return {
    find(request) {
      const hot = isPlain(request) ? shelf.get(request.url ?? '') : undefined
      return hot && whenKnown(hot.holds(), (holds) => (holds ? hot : undefined))
    },
    async keep({ request, route, headers }, file) {
      const { stats, body, record } = file
      const { url = '' } = request
      const isSettled = nowMs() - Math.max(stats.mtimeMs, stats.ctimeMs) > longestTickMs
      if (request.method !== 'GET' || !isPlain(request) || url.includes('?')) return
      if (!isSettled || !isAsCatalogued(record, stats)) return
      const given = { tag: headers['etag'] ?? '', headers: headerList(headers), body, route }
      const hot = readyAnswer(deps.press, given)
      await keepLater(url, hot, file).catch(() => undefined)
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

function isPlain({ method, headers }: IncomingMessage): boolean {
  const isRead = method === 'GET' || method === 'HEAD'
  return isRead && conditions.every((name) => headers[name] === undefined)
}
