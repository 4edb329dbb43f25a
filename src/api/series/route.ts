/**
 * Serves the list of series. `answerList` answers it and the list of missing files: in pages, or
 * all rows at once as CSV.
 */
import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import { seriesStates } from '../../series/slot-states.ts'
import { csvText } from '../http/csv.ts'
import { isFresh, sendCsv, sendNotModified } from '../http/context.ts'
import type { ApiContext, Requester } from '../http/context.ts'
import { badFields } from '../http/errors.ts'
import { ignoredHeader } from '../http/headers.ts'
import type { CollectionName } from '../http/links.ts'
import { mediaTypes, negotiateFormat } from '../http/negotiate.ts'
import { catalogueOffset, parsePageRange } from '../http/query.ts'
import type { Query } from '../http/query.ts'
import { addResource } from '../http/resource.ts'
import { renderCollection, sendCollection } from '../pages/collection.ts'
import type { CollectionPage, CollectionView } from '../pages/collection.ts'
import { bannerOf } from './banner.ts'
import { currencyHeaders, serialiseCurrency, statesTag } from './known-series.ts'
import type { NetworkStatus } from './known-series.ts'
import type { NetworkStatusCache } from './network-status.ts'
import { seriesView } from './page.ts'
import * as schemas from './schema.ts'
import { matchesSeries, parseSeriesList, serialiseSeries, sortSeries } from './series-list.ts'

/**
 * Dependencies of the routes that answer from the states of all series: series, missing files,
 * weekly report, network and alerts.
 */
export interface NetworkContext extends Pick<
  ApiContext,
  'apiPath' | 'settings' | 'links' | 'tag' | 'limits' | 'nowUs'
> {
  readonly network: Pick<NetworkStatusCache, 'currentFor' | 'days'>
}

type ListRequest = Required<Pick<CollectionPage<unknown>, 'kept' | 'ignored' | 'ordering'>>

/**
 * Defines a list whose items are computed from the states of all series: how its items are found,
 * serialised and shown.
 */
interface NetworkList<Request extends ListRequest, Item, Wire, Key extends string> {
  readonly name: CollectionName
  readonly view: CollectionView<Wire, Key>
  readonly csvColumns: readonly (keyof Wire & string)[]
  /** @throws HttpError 400 with all faults */
  readonly parse: (query: Query, nowSeconds: number) => Request
  /** Finds all items of the list, in the requested order. */
  readonly find: (
    current: NetworkStatus,
    request: Request,
    requester: Requester,
  ) => Promise<readonly Item[]>
  readonly serialise: (item: Item) => Wire
}

/** Maximum number of rows of a CSV. */
const maxRows = 100_000

export function answerList<Request extends ListRequest, Item, Wire, Key extends string>(
  { network, settings, links, tag, limits, nowUs }: NetworkContext,
  { name, view, csvColumns, parse, find, serialise }: NetworkList<Request, Item, Wire, Key>,
): RouteHandlerMethod {
  return async (request, reply) => {
    const format = negotiateFormat(['csv'], request, reply)
    const query = request.query as Query
    const listRequest = parse(query, nowUs() / 1e6)
    const { kept, ignored, ordering } = listRequest
    reply.headers(ignoredHeader(ignored))
    const requester = await limits.page(request, reply)
    const current = await network.currentFor(requester)
    const { head, currency } = current
    reply.headers(currencyHeaders(currency))
    if (isFresh(request, reply, tag(`${statesTag(head, currency)}-${format}`, 'text')))
      return sendNotModified(reply)
    const found = await find(current, listRequest, requester)
    const count = found.length
    if (format === 'csv') {
      if (count > maxRows)
        throw badFields({ format: [`A CSV has at most ${maxRows} rows; these are ${count}.`] })
      const rows = found.map(serialise).map((row) => csvColumns.map((key) => row[key]))
      return sendCsv(reply, csvText(csvColumns, rows as (string | number | null)[][]))
    }
    const range = parsePageRange(query, settings.maxLimit)
    const offset = catalogueOffset(range.offset)
    const results = found.slice(offset, offset + range.limit).map(serialise)
    const further = serialiseCurrency(currency)
    const list = { name, count, range, kept, ignored, results, ordering, further }
    return sendCollection(
      reply,
      links(),
      list,
      format === 'html'
        ? (page) => renderCollection(view, page, { banner: bannerOf(currency) })
        : undefined,
    )
  }
}

export function addSeries(app: FastifyInstance, context: NetworkContext): void {
  app.addSchema(schemas.seriesSchema).addSchema(schemas.seriesPageSchema)
  addResource(app, {
    path: `${context.apiPath}series/`,
    get: answerList(context, {
      name: 'series',
      view: seriesView,
      csvColumns: schemas.seriesColumns,
      parse: (query) =>
        parseSeriesList(query, {
          states: seriesStates,
          orderKeys: schemas.seriesOrderKeys,
          defaultOrdering: 'station',
        }),
      find: ({ states }, request) => {
        const found = states.filter(
          (each) =>
            request.states.includes(each.summary.state) && matchesSeries(each, request.filter),
        )
        return Promise.resolve(sortSeries(found.map(serialiseSeries), request.ordering))
      },
      serialise: (series) => series,
    }),
    schema: schemas.listSeries(context.settings.maxLimit),
    config: { faultForm: seriesView },
    renders: [mediaTypes.json, mediaTypes.html, 'text/csv'],
    about: {
      name: 'Series List',
      description: 'The state of each series now, and what it delivered in the last 28 days.',
    },
  })
}
