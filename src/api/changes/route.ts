/** Serves the change feed: pages and long polls. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ChangeCounts } from '../../catalogue/questions/changes.ts'
import type { Head } from '../../catalogue/records.ts'
import { countLastHour, readFeedPage, readLatestChanges, waitForFeedPage } from './feed.ts'
import type { FeedPage } from './feed.ts'
import { parseChangesRequest, parsePageRequest } from './schema.ts'
import type { ChangesRequest } from './schema.ts'
import * as schemas from './schema.ts'
import { HeadWatch, openLongPolls } from './waiting.ts'
import type { LongPolls } from './waiting.ts'
import { isFresh, sendNotModified } from '../http/conditional-requests.ts'
import { layOut } from '../pages/layout.ts'
import type { ApiContext } from '../http/context.ts'
import { linkUnlessTooLong, pageUrl } from '../http/context.ts'
import { negotiate, send, sendJson } from '../http/formats.ts'
import { changesForm, renderChanges } from './page.ts'
import type { Query } from '../parameters/request.ts'
import { addResource } from '../http/resource.ts'

/** Milliseconds by which the idle timeout of a connection exceeds the wait of its long poll. */
const idleMarginMs = 10_000

const formats = ['json', 'html'] as const
type PageFormat = (typeof formats)[number]

interface FeedParts {
  readonly context: ApiContext
  readonly longPolls: LongPolls
  readonly watch: HeadWatch
}

export function addChanges(app: FastifyInstance, context: ApiContext): void {
  const feed = {
    context,
    longPolls: openLongPolls(),
    watch: new HeadWatch(context.reader),
  }
  app.addHook('preClose', (done) => {
    feed.longPolls.close()
    done()
  })
  addResource(app, {
    path: `${context.apiPath}changes/`,
    schema: schemas.listChanges(context.settings.keepRemovalsDays),
    config: { faultForm: changesForm },
    formats,
    get: (request, reply) => sendPage(feed, request, reply),
  })
}

async function sendPage(feed: FeedParts, request: FastifyRequest, reply: FastifyReply) {
  const { context } = feed
  const format = negotiate(formats, request, reply)
  const parse = format === 'html' ? parsePageRequest : parseChangesRequest
  const feedRequest = parse(request.query as Query)
  if (feedRequest.waitSeconds > 0 && request.method === 'GET') {
    const { turn } = context.limits.wait(request, reply)
    const signal = feed.longPolls.enter(reply)
    request.raw.socket.setTimeout(feedRequest.waitSeconds * 1000 + idleMarginMs)
    const source = { reader: context.reader, watch: feed.watch, turn }
    const feedPage = await waitForFeedPage(source, feedRequest, signal)
    return answer({ context, feedRequest, feedPage, format }, reply)
  }
  const head = await context.reader.head()
  const tag = tagOf({ context, feedRequest, format }, head)
  if (isFresh(request, reply, tag)) return sendNotModified(reply)
  const { turn } = await context.limits.page(request, reply)
  const source = { reader: context.reader, turn }
  if (!isLatest({ feedRequest, format })) {
    const feedPage = await readFeedPage(source, feedRequest)
    return answer({ context, feedRequest, feedPage, format }, reply)
  }
  const lastHour = await countLastHour(source, feedRequest, context.nowUs())
  const feedPage = await readLatestChanges(source, feedRequest)
  return answer({ context, feedRequest, feedPage, format, lastHour }, reply)
}

interface Answer {
  readonly context: ApiContext
  readonly feedRequest: ChangesRequest
  readonly feedPage: FeedPage
  readonly format: PageFormat
  /** What changed in the last hour; only for the page of the latest changes. */
  readonly lastHour?: ChangeCounts
}

/** True for the page of the latest changes. */
function isLatest({ feedRequest, format }: Pick<Answer, 'feedRequest' | 'format'>): boolean {
  return format === 'html' && feedRequest.since === undefined
}

/** What the page says of the last hour depends on the clock. */
function tagOf(
  { context, feedRequest, format }: Pick<Answer, 'context' | 'feedRequest' | 'format'>,
  head: Head,
): string {
  if (!isLatest({ feedRequest, format })) return context.tag(head, format, feedRequest)
  const { epoch, seq, detailsSeq } = head
  const minute = Math.floor(context.nowUs() / 60e6)
  return context.tag([epoch, seq, `d${detailsSeq}`, minute].join('-'), format)
}

function answer(found: Answer, reply: FastifyReply) {
  const { context, feedRequest, feedPage, format, lastHour } = found
  const links = context.links()
  const { head, changes, throughSeq, purgedSeq, joinedSeq } = feedPage
  const pageFrom = (since: number): string =>
    pageUrl(links, 'changes', [
      ...feedRequest.kept,
      ['epoch', head.epoch],
      ...(since < joinedSeq ? [['joined', String(joinedSeq)] as const] : []),
      ['since', String(since)],
    ])
  const next = pageFrom(throughSeq)
  const etag = tagOf(found, head)
  const headers = linkUnlessTooLong(`<${next}>; rel="next"`)
  reply.headers({ etag, ...headers })
  const results = changes.map((change) => schemas.serialiseChange(change, links))
  if (format === 'json') return sendJson(reply, { last_seq: head.seq, next, results })
  const since = feedPage.since
  const before = since > purgedSeq ? Math.max(purgedSeq, since - feedRequest.limit) : undefined
  const earlierSince = feedPage.earlier ?? before
  const earlier = earlierSince === undefined ? null : pageFrom(earlierSince)
  const { kept, limit } = feedRequest
  const place = { since, throughSeq, next, earlier, lastHour, isLatest: isLatest(found) }
  const page = renderChanges({ head, ...place, headers, kept, limit, results })
  return send(reply, format, layOut(page, context.site()))
}
