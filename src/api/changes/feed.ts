import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { CatalogueReader, ChangesPage } from '../../catalogue/reader.ts'
import type { Change, Head } from '../../catalogue/records.ts'
import { HttpError } from '../http/errors.ts'
import type { ChangeNotifier } from './change-notifier.ts'
import type { ChangesRequest } from './request.ts'

/** Changes after a number up to another. */
export interface FeedPage {
  readonly head: Head
  readonly changes: readonly Change[]
  readonly throughSeq: number
  /** The number from which changes can still be told. */
  readonly purgedSeq: number
}

/**
 * Reads on from where a client stands, to a full page or the head. Where filters match little that takes many looks,
 * and others are served in between.
 * @throws HttpError 410 when the catalogue cannot tell any more what came after
 */
export async function readFeedPage(
  reader: CatalogueReader,
  request: ChangesRequest,
  signal?: AbortSignal,
): Promise<FeedPage> {
  const { filter, limit, epoch, details } = request
  const changes: Change[] = []
  for (let since = request.since ?? (await reader.head()).seq; ;) {
    const asked = { limit: limit - changes.length, filters: filter, details }
    const page = await reader.changes({ since, ...asked })
    checkFollows(page, since, epoch)
    changes.push(...page.changes)
    const { head, throughSeq, purgedSeq } = page
    const isWhole = changes.length >= limit || throughSeq >= head.seq
    if (isWhole || signal?.aborted === true) return { head, changes, throughSeq, purgedSeq }
    since = throughSeq
    await yieldToOthers()
  }
}

function checkFollows(page: ChangesPage, since: number, epoch: string | undefined): void {
  const { head, purgedSeq } = page
  const again = 'start again with the whole list.'
  if (epoch !== undefined && epoch !== head.epoch)
    throw gone(`The catalogue was rebuilt since these numbers were given: ${again}`)
  if (since < purgedSeq)
    throw gone(`Removals up to number ${purgedSeq} are not kept any more: ${again}`)
  if (since > head.seq)
    throw gone(`The latest number is ${head.seq}, a later one was not given here: ${again}`)
}

function gone(detail: string): HttpError {
  return new HttpError(410, detail)
}

/** Holds an empty answer back until there is something, the time is over or nobody waits any more. */
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
