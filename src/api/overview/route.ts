/** Serves the root of the API: the list of its resources, and the start page for people. */
import type { FastifyInstance } from 'fastify'
import type { ArchiveContext } from '../archive/route.ts'
import type { ApiContext, Links } from '../http/context.ts'
import { resourceNames, resourceUrl } from '../http/context.ts'
import { notFound } from '../http/errors.ts'
import { negotiate, sendJson } from '../http/formats.ts'
import type { Format } from '../http/formats.ts'
import { relativeUrl } from '../http/http-server.ts'
import { addResource } from '../http/resource.ts'
import { exampleLinks } from '../openapi/openapi.ts'
import * as schema from '../openapi/schema.ts'
import { notScanned } from '../../series/currency.ts'
import { layOut } from '../pages/layout.ts'
import { addAnswer } from '../resources/answer.ts'
import type { State } from '../resources/answer.ts'
import { networkState, standstillOf, stateOf } from '../series/network-context.ts'
import type { NetworkContext, NetworkState } from '../series/network-context.ts'
import { ifReadable, readFacts } from './facts.ts'
import { renderOverview } from './page.ts'

const rootSchema = schema.component(
  'Root',
  'The URLs of the resources.',
  Object.fromEntries(
    resourceNames.map((name) => [
      name,
      schema.url(`The resource \`${name}\`.`, resourceUrl(exampleLinks, name)),
    ]),
  ),
)

const urlsOf = (links: Links) =>
  Object.fromEntries(resourceNames.map((name) => [name, resourceUrl(links, name)]))

interface RootState extends State {
  /** `undefined` for JSON, and if the states of the series cannot be read at this moment. */
  readonly network: NetworkState | undefined
  /** Why they cannot be read. */
  readonly reason?: string | undefined
}

export function addRoot(app: FastifyInstance, context: NetworkContext & ArchiveContext): void {
  const { apiPath, links, settings, site } = context
  const described = (name: string, url: string) => {
    const resource = app.resources.find(({ path }) => path === `${apiPath}${name}/`)
    return { name, url, description: resource?.schema?.about?.description }
  }
  addAnswer(app, context, {
    path: '',
    formats: ['json', 'html'],
    operation: {
      id: 'getRoot',
      tag: 'Service',
      name: 'Api Root',
      summary: 'List the resources',
      about: 'The resources of this service.',
      description: 'The HTML page is the start page of the archive.',
      returns: 'The URLs of the resources.',
      errors: [],
      samples: [''],
    },
    bodies: { json: rootSchema },
    state: ({ format }) => rootState(context, format),
    read: async ({ format }, { network, reason }, requester) => {
      const urls = urlsOf(links())
      if (format === 'json') return { bodies: { json: () => urls, html: () => '' } }
      const facts = await readFacts(context, network, requester)
      const resources = Object.entries(urls).map(([name, url]) => described(name, url))
      const { identity } = settings
      const overview = { identity, facts, reason, links: links(), resources }
      return { bodies: { json: () => urls, html: () => layOut(renderOverview(overview), site()) } }
    },
  })
}

/** The JSON does not depend on the catalogue; the page says what it can read. */
async function rootState(context: NetworkContext, format: Format): Promise<RootState> {
  if (format === 'json') return { version: 'root', network: undefined }
  const network = await ifReadable(networkState(context))
  if (network === undefined) return unreadState(context)
  const { version, head } = network
  return { version: `root-${version}-d${head.detailsSeq}`, network }
}

/** The states cannot be read before the first scan has ended; its problems may be known. */
async function unreadState({ reader, currency }: NetworkContext): Promise<RootState> {
  const head = await ifReadable(reader.head())
  const known = head && (await currency.of(head))
  const { notCurrent = notScanned } = known ?? {}
  const isSaid = known === undefined || notCurrent === notScanned
  const reason = isSaid ? undefined : standstillOf({ ...known, asOf: undefined })
  const { version = 'unreadable' } = head && known ? stateOf({ head, currency: known }) : {}
  return { version: `root-unread-${version}-d${head?.detailsSeq}`, network: undefined, reason }
}

/** `/` and the dataset prefix lead browsers to the start page; other clients get the root there. */
export function addEntrances(app: FastifyInstance, { apiPath, settings, links }: ApiContext): void {
  for (const path of ['/', `/${settings.datasetPrefix}/`])
    addResource(app, {
      path,
      get: (request, reply) => {
        // The router takes the target `*` for `/`.
        if (request.raw.url === '*') throw notFound()
        reply.header('vary', 'Accept')
        const format = negotiate(['json', 'html'], request, reply)
        if (format === 'json') return sendJson(reply, urlsOf(links()))
        const location = relativeUrl(request.originalUrl, `${apiPath}?format=api`)
        return reply.code(303).header('location', location).send()
      },
    })
}
