import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { CatalogueReader, ChangesPage } from '../../catalogue/reader.ts'
import type { Change, Head } from '../../catalogue/records.ts'
import { HttpError } from '../http/errors.ts'
import type { ChangeNotifier } from './change-notifier.ts'
import type { ChangesRequest } from './request.ts'

/** The changes after `since`, up to and including `throughSeq`. */
export interface FeedPage {
  readonly since: number
  readonly head: Head
  readonly changes: readonly Change[]
  readonly throughSeq: number
  /** Tombstones up to this number are purged. */
  readonly purgedSeq: number
}

/**
 * Reads changes until the page is full or the head is reached. Where filters match little this takes many reads, and yields to
 * the event loop between them.
 * @throws HttpError 410 when the catalogue does not have all changes after `since`
 */
export async function readFeedPage(
  reader: CatalogueReader,
  request: ChangesRequest,
  signal?: AbortSignal,
): Promise<FeedPage> {
  const { filter, limit, epoch, details } = request
  const changes: Change[] = []
  const first = request.since ?? (await reader.head()).seq
  for (let since = first; ;) {
    const rest = limit - changes.length
    const page = await reader.changes({ since, limit: rest, filters: filter, details })
    checkResumable(page, since, epoch)
    changes.push(...page.changes)
    const { head, throughSeq, purgedSeq } = page
    const isComplete = changes.length >= limit || throughSeq >= head.seq
    if (isComplete || signal?.aborted === true)
      return { since: first, head, changes, throughSeq, purgedSeq }
    since = throughSeq
    await yieldToEventLoop()
  }
}

/** How far back the latest changes that match filters are looked for, in numbers. */
const maxLookBack = 10_000

/** The latest changes, at most `limit`: without filters of the latest `limit` numbers, with filters of the latest 10,000. */
export async function readLatestChanges(
  reader: CatalogueReader,
  request: ChangesRequest,
): Promise<FeedPage> {
  const { limit, filter } = request
  const head = await reader.head()
  const { purgedSeq } = await reader.changes({
    since: head.seq,
    limit: 1,
    filters: {},
    details: false,
  })
  const lookBack = Object.keys(filter).length === 0 ? limit : maxLookBack
  const since = Math.max(purgedSeq, head.seq - lookBack)
  const page = await readFeedPage(reader, { ...request, since, limit: maxLookBack })
  return { ...page, changes: page.changes.slice(-limit) }
}

function checkResumable(page: ChangesPage, since: number, epoch: string | undefined): void {
  const { head, purgedSeq } = page
  const restart = 'start again with the whole list.'
  if (epoch !== undefined && epoch !== head.epoch)
    throw gone(`The catalogue was rebuilt, and its numbers are new: ${restart}`)
  if (since < purgedSeq) throw gone(`Removals up to number ${purgedSeq} were purged: ${restart}`)
  if (since > head.seq)
    throw gone(`The latest number is ${head.seq}, which is lower than since: ${restart}`)
}

function gone(detail: string): HttpError {
  return new HttpError(410, detail)
}

/** Long poll: delays an empty page until a change, the timeout or the signal. */
export async function waitForFeedPage(
  { reader, notifier }: { readonly reader: CatalogueReader; readonly notifier: ChangeNotifier },
  request: ChangesRequest,
  signal: AbortSignal,
): Promise<FeedPage> {
  const endMs = performance.now() + request.waitSeconds * 1000
  for (let feedPage = await readFeedPage(reader, request, signal); ;) {
    const ms = endMs - performance.now()
    if (feedPage.changes.length > 0 || ms <= 0 || signal.aborted) return feedPage
    await notifier.changed(feedPage.head, { ms, signal })
    const { epoch } = feedPage.head
    feedPage = await readFeedPage(reader, { ...request, since: feedPage.throughSeq, epoch }, signal)
  }
}
