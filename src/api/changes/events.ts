/** Changes as server-sent events (WHATWG HTML, 9.2). */
import type { CatalogueReader } from '../../catalogue/reader.ts'
import type { Change } from '../../catalogue/records.ts'
import { readFeedPage } from './feed.ts'
import type { FeedPage } from './feed.ts'
import type { ChangeNotifier } from './change-notifier.ts'
import type { ChangesRequest } from './request.ts'

/** Maximum time without an event, so that proxies and clients keep the connection open. */
const keepAliveMs = 15_000

export interface EventDeps {
  readonly reader: CatalogueReader
  readonly notifier: ChangeNotifier
  /** Returns JSON. */
  readonly serialise: (change: Change) => string
}

/**
 * The changes of a first page and all that follow, until the signal. The id of an event is the number of its change. An id
 * without data is stored by clients and not shown. It tells them the current number before the first event, and while filters
 * match nothing.
 */
export async function* changeEvents(
  { reader, notifier, serialise }: EventDeps,
  request: ChangesRequest & { readonly first: FeedPage },
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let feedPage = request.first
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
      await notifier.changed(feedPage.head, { ms: Math.max(ms, 0), signal })
    }
    if (signal.aborted) return
    const { epoch } = feedPage.head
    feedPage = await readFeedPage(reader, { ...request, since: feedPage.throughSeq, epoch }, signal)
  }
}
