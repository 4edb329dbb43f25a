/** Reads the change feed: a page, the latest changes, a long poll, server-sent events. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { CatalogueReader, ChangesPage } from '../../catalogue/reader.ts'
import type { Change, Head } from '../../catalogue/records.ts'
import { HttpError } from '../http/errors.ts'
import { waitForChange } from './long-polls.ts'
import type { ChangesRequest } from './request.ts'

/** Maximum time without an event, so that proxies and clients keep the connection open. */
const keepAliveMs = 15_000

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
  reader: CatalogueReader,
  request: ChangesRequest,
  signal: AbortSignal,
): Promise<FeedPage> {
  const endMs = performance.now() + request.waitSeconds * 1000
  for (let feedPage = await readFeedPage(reader, request, signal); ;) {
    const ms = endMs - performance.now()
    if (feedPage.changes.length > 0 || ms <= 0 || signal.aborted) return feedPage
    await waitForChange(reader, feedPage.head, { ms, signal })
    feedPage = await readFeedPage(reader, { ...request, ...after(feedPage) }, signal)
  }
}

interface EventsRequest extends ChangesRequest {
  readonly first: FeedPage
  /** Returns JSON. */
  readonly serialise: (change: Change) => string
}

/**
 * The changes of a first page and all that follow, until the signal, as server-sent events (WHATWG HTML, 9.2). The id of an event
 * is the number of its change. An id without data is stored by clients and not shown. It tells them the current number before
 * the first event, and while filters match nothing.
 */
export async function* changeEvents(
  reader: CatalogueReader,
  { first, serialise, ...request }: EventsRequest,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let feedPage = first
  let lastSentMs = -Infinity
  for (;;) {
    const events = feedPage.changes.map(
      (change) => `id: ${change.seq}\ndata: ${serialise(change)}\n\n`,
    )
    const isDue = performance.now() - lastSentMs >= keepAliveMs
    if (events.length === 0 && isDue) events.push(`:\nid: ${feedPage.throughSeq}\n\n`)
    if (events.length > 0) {
      lastSentMs = performance.now()
      yield Buffer.from(events.join(''))
    }
    if (feedPage.throughSeq === feedPage.head.seq) {
      const ms = lastSentMs + keepAliveMs - performance.now()
      await waitForChange(reader, feedPage.head, { ms, signal })
    }
    if (signal.aborted) return
    feedPage = await readFeedPage(reader, { ...request, ...after(feedPage) }, signal)
  }
}

/** The place in the feed after a page. */
function after({ throughSeq, head }: FeedPage): Pick<ChangesRequest, 'since' | 'epoch'> {
  return { since: throughSeq, epoch: head.epoch }
}
