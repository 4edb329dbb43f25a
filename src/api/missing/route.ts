/** The files that are expected and not there, a page at a time or all as CSV. */
import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import { learningDays } from '../../insight/series.ts'
import { secondsPerDay } from '../../parse/calendar.ts'
import { isFresh, sendCsv, sendHtml, sendJson, sendNotModified } from '../http/context.ts'
import type { ApiContext } from '../http/context.ts'
import { badFields } from '../http/errors.ts'
import { ignoredHeader } from '../http/headers.ts'
import { mediaTypes, negotiateFormat } from '../http/negotiate.ts'
import { catalogueOffset, linkHeader, pageLinks, parsePageRange } from '../http/query.ts'
import type { Query } from '../http/query.ts'
import { addResource } from '../http/resource.ts'
import { networkTag } from '../series/network-states.ts'
import type { Network } from '../series/network-states.ts'
import type { NetworkContext } from '../series/route.ts'
import { matchesSeries } from '../series/series-filter.ts'
import { missingCsv, missingSlots, serialiseMissing, sortMissing } from './missing-rows.ts'
import type { DayRange, MissingSlot } from './missing-rows.ts'
import { renderMissing } from './page.ts'
import { parseMissing } from './request.ts'
import * as schemas from './schema.ts'

type MissingContext = NetworkContext & Pick<ApiContext, 'nowUs'>

/** Most rows of a CSV. */
const maxRows = 100_000

export function addMissing(app: FastifyInstance, context: MissingContext): void {
  app.addSchema(schemas.missingSchema).addSchema(schemas.missingPageSchema)
  addResource(app, {
    path: `${context.apiPath}missing/`,
    get: listMissing(context),
    schema: schemas.listMissing(context.settings.maxLimit),
    renders: [mediaTypes.json, mediaTypes.html, 'text/csv'],
    about: {
      name: 'Missing File List',
      description: 'The slots that are expected and not delivered.',
    },
  })
}

function listMissing(context: MissingContext): RouteHandlerMethod {
  const { network, settings, links, tag, limits, nowUs } = context
  return async (request, reply) => {
    const format = negotiateFormat(['csv'], request, reply)
    const query = request.query as Query
    const missingRequest = parseMissing(query, nowUs() / 1e6)
    const { states, ordering, kept, ignored } = missingRequest
    reply.headers(ignoredHeader(ignored))
    await limits.page(request, reply)
    const current = await network.current()
    if (isFresh(request, reply, tag(`${networkTag(current)}-${format}`, 'text')))
      return sendNotModified(reply)
    const found = await readMissing(context, current, missingRequest)
    const sorted = sortMissing(
      found.filter(({ state }) => states.includes(state)),
      ordering,
    )
    const count = sorted.length
    if (format === 'csv') {
      if (count > maxRows)
        throw badFields({ from: [`A CSV has at most ${maxRows} rows; these are ${count}.`] })
      return sendCsv(reply, missingCsv(sorted.map(serialiseMissing)))
    }
    const range = parsePageRange(query, settings.maxLimit)
    const offset = catalogueOffset(range.offset)
    const results = sorted.slice(offset, offset + range.limit).map(serialiseMissing)
    const pages = pageLinks(links(), range, { name: 'missing', kept, count })
    reply.headers(linkHeader(pages))
    return format === 'html'
      ? sendHtml(reply, renderMissing({ count, range, kept, ignored, pages, results, ordering }))
      : sendJson(reply, { count, next: pages.next, previous: pages.previous, results })
  }
}

async function readMissing(
  { network }: MissingContext,
  current: Network,
  { range, filter }: ReturnType<typeof parseMissing>,
): Promise<readonly MissingSlot[]> {
  if (isRecent(current, range))
    return current.states
      .filter((each) => matchesSeries(each, filter))
      .flatMap((each) => missingSlots(each, each.summary.runs, range))
  const { series } = await network.days(range.fromDay, range.toDay)
  return series
    .filter((each) => matchesSeries(each, filter))
    .flatMap((each) => missingSlots(each, each.slots.runs, range))
}

/** Whether the summaries of the last 28 days cover the range. */
function isRecent({ nowSeconds }: Network, { fromDay }: DayRange): boolean {
  return fromDay * secondsPerDay >= nowSeconds - learningDays * secondsPerDay
}
