/** Changes as server-sent events (WHATWG HTML, 9.2). */
import type { CatalogueReader } from '../../catalogue/reader.ts'
import type { Change } from '../../catalogue/records.ts'
import { readPassage } from './feed.ts'
import type { Passage } from './feed.ts'
import type { HeadWatch } from './change-notifier.ts'
import type { ChangesRequest } from './request.ts'

/** A sign of life at least so often, so that nobody on the way takes the connection for dead. */
const signOfLifeMs = 15_000

export interface EventSource {
  readonly reader: CatalogueReader
  readonly watch: HeadWatch
  /** As JSON. */
  readonly serialise: (change: Change) => string
}

/**
 * The changes of a first passage and all that follow, until the signal. Each event's id is its number. An id
 * without data, which clients note and do not show, tells where they stand before the first event and where
 * filters leave everything out.
 */
export async function* changeEvents(
  { reader, watch, serialise }: EventSource,
  request: ChangesRequest & { readonly first: Passage },
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let passage = request.first
  let saidMs = -Infinity
  for (;;) {
    const events = passage.changes.map((each) => `id: ${each.seq}\ndata: ${serialise(each)}\n\n`)
    const isQuiet = performance.now() - saidMs >= signOfLifeMs
    if (events.length === 0 && isQuiet) events.push(`:\nid: ${passage.throughSeq}\n\n`)
    if (events.length > 0) {
      saidMs = performance.now()
      yield Buffer.from(events.join(''))
    }
    if (passage.throughSeq === passage.head.seq) {
      const ms = saidMs + signOfLifeMs - performance.now()
      await watch.changed(passage.head, { ms: Math.max(ms, 0), signal })
    }
    if (signal.aborted) return
    const { epoch } = passage.head
    passage = await readPassage(reader, { ...request, since: passage.throughSeq, epoch }, signal)
  }
}
