/** Serves the change feed: pages and long polls. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import { isFresh, sendNotModified } from '../http/conditional-requests.ts'
import type { ApiContext } from '../http/context.ts'
import type { FormState } from '../http/errors.ts'
import { negotiate } from '../http/formats.ts'
import { linkUnlessTooLong, pageUrl } from '../http/links.ts'
import { addResource } from '../http/resource.ts'
import { send, sendJson } from '../http/send.ts'
import { layOut } from '../pages/layout.ts'
import type { FilterParameters } from '../parameters/file-filters.ts'
import { changesFilters, isExpanded } from '../parameters/file-filters.ts'
import type { Query } from '../parameters/request.ts'
import type { Asking } from '../resources/answer.ts'
import { keepingPage } from '../resources/answer.ts'
import type { FeedPage } from './feed.ts'
import { readFeedPage, readLatestChanges, waitForFeedPage } from './feed.ts'
import { renderChanges } from './page.ts'
import { momentOf, numberBefore } from './past-time.ts'
import type { ChangesRequest } from './schema.ts'
import * as schemas from './schema.ts'
import { parseChangesRequest } from './schema.ts'
import { serialiseChanges } from './serialise.ts'
import type { LongPolls } from './waiting.ts'
import { HeadWatch, openLongPolls } from './waiting.ts'

/** Milliseconds by which the idle timeout of a connection exceeds the wait of its long poll. */
const idleMarginMs = 10_000

const formats = ['json', 'html'] as const

interface FeedParts {
  readonly context: ApiContext
  readonly filters: FilterParameters
  readonly longPolls: LongPolls
  readonly watch: HeadWatch
}

export function addChanges(app: FastifyInstance, context: ApiContext): void {
  const { keepRemovalsDays, layout } = context.settings
  const filters = changesFilters(layout)
  const feed = {
    context,
    filters,
    longPolls: openLongPolls(),
    watch: new HeadWatch(context.reader),
  }
  app.addHook('preClose', (done) => {
    feed.longPolls.close()
    done()
  })
  addResource(app, {
    path: `${context.apiPath}changes/`,
    schema: schemas.listChanges(keepRemovalsDays, filters),
    formats,
    get: (request, reply) => {
      const asking = { format: negotiate(formats, request, reply), request, reply }
      return keepingPage(asking, request.query as Query, (_asking, query, refused) =>
        sendPage(feed, asking, { query, refused }),
      )
    },
  })
}

async function sendPage(
  feed: FeedParts,
  { format, request, reply }: Asking<(typeof formats)[number]>,
  { query, refused }: { readonly query: Query; readonly refused: FormState | undefined },
) {
  const { context, filters } = feed
  const { reader } = context
  const asked = parseChangesRequest(query, filters, format)
  // The page shows the sizes of files.
  const feedRequest = { ...asked, refused, details: asked.details || format === 'html' }
  const { sinceTime } = feedRequest
  if (feedRequest.waitSeconds > 0 && request.method === 'GET' && sinceTime === undefined) {
    const { turn } = context.limits.wait(request, reply)
    const signal = feed.longPolls.enter(reply)
    request.raw.socket.setTimeout(feedRequest.waitSeconds * 1000 + idleMarginMs)
    const feedPage = await waitForFeedPage({ reader, watch: feed.watch, turn }, feedRequest, signal)
    return answer({ context, filters, feedRequest, feedPage, format }, reply)
  }
  const tag = context.tag(await reader.head(), format, { details: isExpanded(feedRequest) })
  // What is since yesterday changes with the clock too.
  const isSame = sinceTime === undefined && refused === undefined
  if (isSame && isFresh(request, reply, tag)) return sendNotModified(reply)
  const { turn } = await context.limits.page(request, reply)
  if (sinceTime !== undefined) {
    const since = await numberBefore(reader, momentOf(sinceTime, context.nowUs()))
    const fromTime = { ...feedRequest, since, joined: Infinity }
    const feedPage = await readFeedPage({ reader, turn }, fromTime)
    return answer({ context, filters, feedRequest: fromTime, feedPage, format }, reply)
  }
  const isLatest = format === 'html' && feedRequest.since === undefined
  const read = isLatest ? readLatestChanges : readFeedPage
  const feedPage = await read({ reader, turn }, feedRequest)
  return answer({ context, filters, feedRequest, feedPage, format }, reply)
}

interface FeedAnswer {
  readonly context: ApiContext
  readonly filters: FilterParameters
  readonly feedRequest: ChangesRequest
  readonly feedPage: FeedPage
  readonly format: (typeof formats)[number]
}

function answer(
  { context, filters, feedRequest, feedPage, format }: FeedAnswer,
  reply: FastifyReply,
) {
  const links = context.links()
  const { head, throughSeq, joinedSeq } = feedPage
  const next = pageUrl(links, 'changes', [
    ...feedRequest.kept,
    ['epoch', head.epoch],
    ...(throughSeq < joinedSeq ? [['joined', String(joinedSeq)] as const] : []),
    ['since', String(throughSeq)],
  ])
  const headers = linkUnlessTooLong(`<${next}>; rel="next"`)
  const isTagged = feedRequest.refused === undefined
  const etag = context.tag(head, format, { details: isExpanded(feedRequest) })
  reply.headers({ ...(isTagged && { etag }), ...headers })
  if (format === 'json')
    return sendJson(reply, serialiseChanges(feedPage, next, links, context.settings.layout))
  const site = context.site()
  const page = renderChanges({
    feedPage,
    feedRequest,
    next,
    links,
    filters,
    countries: site.countries,
  })
  return send(reply, format, layOut(page, site))
}
