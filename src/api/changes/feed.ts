/** Reads the change feed: a page, the latest changes, a long poll. */
import type { Change, ChangesPage } from '../../catalogue/questions/changes.ts'
import type { CatalogueReader } from '../../catalogue/questions/reader.ts'
import type { Head } from '../../catalogue/records.ts'
import { HttpError, notYet } from '../http/errors.ts'
import type { Requester } from '../http/limits.ts'
import type { ChangesRequest } from './schema.ts'
import type { HeadWatch } from './waiting.ts'

/** The changes after `since` up to `throughSeq` that match the filters, or the last of them. */
export interface FeedPage {
  readonly since: number
  readonly head: Head
  readonly changes: readonly Change[]
  readonly throughSeq: number
  /** The latest number at which files entered or left the countries (see `ChangesPage`). */
  readonly joinedSeq: number
}

/** Changes that one read asks for if only some kinds of them are wanted. */
const changesPerRead = 1000

/** What a read of the feed needs besides the request. */
interface FeedSource {
  readonly reader: CatalogueReader
  /** Waits for the client's turn; each read is done in a turn. */
  readonly turn: Requester['turn']
}

/** A source that can also wait for changes. */
interface WatchedSource extends FeedSource {
  readonly watch: HeadWatch
}

/**
 * Reads changes until the page is full, the head is reached or the signal aborts; if few match, in
 * many reads, each in a turn.
 * @throws HttpError 410 when the catalogue was rebuilt since the client got `since`, lacks changes
 * after it, or files entered or left the countries of the filter
 */
export async function readFeedPage(
  { reader, turn }: FeedSource,
  request: ChangesRequest,
  signal?: AbortSignal,
): Promise<FeedPage> {
  const { filter, limit, epoch, details, facts, kinds } = request
  const isWanted = ({ change }: Change) => kinds.length === 0 || kinds.includes(change)
  const changes: Change[] = []
  const first = request.since ?? (await reader.head()).seq
  let { joined } = request
  for (let since = first; ;) {
    const rest = limit - changes.length
    await turn()
    const query = { since, filters: filter, details, facts }
    const page = await reader.changes({ ...query, limit: kinds.length > 0 ? changesPerRead : rest })
    checkResumable(page, { since, joined, epoch })
    const found = page.changes.filter(isWanted)
    changes.push(...found.slice(0, rest))
    const { head, joinedSeq } = page
    const throughSeq = found.length > rest ? (changes.at(-1)?.seq ?? since) : page.throughSeq
    const isComplete = changes.length >= limit || throughSeq >= head.seq
    if (isComplete || signal?.aborted === true)
      return { since: first, head, changes, throughSeq, joinedSeq }
    since = throughSeq
    joined = joinedSeq
  }
}

/** Change numbers before the head in which the latest changes are searched with filters. */
const maxLookBack = 10_000

/** Reads at most `limit` latest changes: of as many numbers, or with filters of 10,000. */
export async function readLatestChanges(
  source: FeedSource,
  request: ChangesRequest,
): Promise<FeedPage> {
  const { reader } = source
  const { limit, filter, kinds } = request
  const head = await reader.head()
  const { purgedSeq } = await reader.changes({
    since: head.seq,
    limit: 1,
    filters: {},
    details: false,
  })
  const isFiltered = kinds.length > 0 || Object.keys(filter).length > 0
  const lookBack = isFiltered ? maxLookBack : limit
  const since = Math.max(purgedSeq, head.seq - lookBack)
  const all = { ...request, since, joined: Infinity, limit: maxLookBack }
  const page = await readFeedPage(source, all)
  const { changes } = page
  return { ...page, since: changes.at(-limit - 1)?.seq ?? since, changes: changes.slice(-limit) }
}

function checkResumable(
  { head, purgedSeq, joinedSeq }: ChangesPage,
  { since, joined = 0, epoch }: Pick<ChangesRequest, 'joined' | 'epoch'> & { since: number },
): void {
  const restart = 'start again with the whole list.'
  if (epoch !== undefined && epoch !== head.epoch)
    throw gone(`The catalogue was rebuilt, and its numbers are new: ${restart}`)
  if (since < purgedSeq) throw gone(`Removals up to number ${purgedSeq} were purged: ${restart}`)
  // The client has seen this number of the same history, so this host is behind another one.
  if (since > head.seq && epoch !== undefined) throw notYet(since)
  if (since > head.seq)
    throw gone(`The latest number is ${head.seq}, which is lower than since: ${restart}`)
  // A client that has no files yet misses nothing.
  if (since > 0 && Math.max(since, joined) < joinedSeq)
    throw gone(
      `Files with short names entered or left the countries up to number ${joinedSeq}: ${restart}`,
    )
}

function gone(detail: string): HttpError {
  return new HttpError(410, detail)
}

/** Long poll: if the page is empty, waits for a change, the time or the signal. */
export async function waitForFeedPage(
  source: WatchedSource,
  request: ChangesRequest,
  signal: AbortSignal,
): Promise<FeedPage> {
  const endMs = performance.now() + request.waitSeconds * 1000
  for (let feedPage = await readFeedPage(source, request, signal); ;) {
    const ms = endMs - performance.now()
    if (feedPage.changes.length > 0 || ms <= 0 || signal.aborted) return feedPage
    await source.watch.untilChanged(feedPage.head, { ms, signal })
    feedPage = await readFeedPage(source, { ...request, ...after(feedPage) }, signal)
  }
}

/** The parameters with which the feed continues after a page. */
function after(page: FeedPage): Pick<ChangesRequest, 'since' | 'joined' | 'epoch'> {
  return { since: page.throughSeq, joined: page.joinedSeq, epoch: page.head.epoch }
}
