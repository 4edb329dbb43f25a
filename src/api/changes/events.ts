/** Changes as server-sent events (WHATWG HTML, 9.2). */
import type { CatalogueReader } from '../../catalogue/reader.ts'
import type { Change } from '../../catalogue/records.ts'
import { readFeedPage } from './feed.ts'
import type { FeedPage } from './feed.ts'
import type { ChangeNotifier } from './change-notifier.ts'
import type { ChangesRequest } from './request.ts'

/** A sign of life at least so often, so that nobody on the way takes the connection for dead. */
const signOfLifeMs = 15_000

export interface EventSource {
  readonly reader: CatalogueReader
  readonly notifier: ChangeNotifier
  /** As JSON. */
  readonly serialise: (change: Change) => string
}

/**
 * The changes of a first passage and all that follow, until the signal. Each event's id is its number. An id
 * without data, which clients note and do not show, tells where they stand before the first event and where
 * filters leave everything out.
 */
export async function* changeEvents(
  { reader, notifier, serialise }: EventSource,
  request: ChangesRequest & { readonly first: FeedPage },
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let feedPage = request.first
  let saidMs = -Infinity
  for (;;) {
    const events = feedPage.changes.map((each) => `id: ${each.seq}\ndata: ${serialise(each)}\n\n`)
    const isQuiet = performance.now() - saidMs >= signOfLifeMs
    if (events.length === 0 && isQuiet) events.push(`:\nid: ${feedPage.throughSeq}\n\n`)
    if (events.length > 0) {
      saidMs = performance.now()
      yield Buffer.from(events.join(''))
    }
    if (feedPage.throughSeq === feedPage.head.seq) {
      const ms = saidMs + signOfLifeMs - performance.now()
      await notifier.changed(feedPage.head, { ms: Math.max(ms, 0), signal })
    }
    if (signal.aborted) return
    const { epoch } = feedPage.head
    feedPage = await readFeedPage(reader, { ...request, since: feedPage.throughSeq, epoch }, signal)
  }
}
