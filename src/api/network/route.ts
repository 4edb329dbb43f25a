/**
 * The network at a glance: stations by state, what is lost, arrivals. Its page is the start page,
 * which says what it can read.
 */
import type { FastifyInstance } from 'fastify'
import { notScanned } from '../../series/as-of.ts'
import type { ArchiveContext } from '../archive/route.ts'
import { layOut } from '../pages/layout.ts'
import type { AnswerState } from '../resources/answer.ts'
import { addAnswer } from '../resources/answer.ts'
import type { NetworkContext, NetworkState } from '../series/network-context.ts'
import { asOfMembers, networkState, standstillOf, stateOf } from '../series/network-context.ts'
import { ifReadable, readArchiveFacts } from './archive-facts.ts'
import { damageWords } from './damage.ts'
import { figuresOf } from './figures.ts'
import { renderNetwork } from './page.ts'
import { networkSchema } from './schema.ts'
import { serialiseNetwork } from './serialise.ts'

export function addNetwork(app: FastifyInstance, context: NetworkContext & ArchiveContext): void {
  addAnswer(app, context, {
    path: 'network/',
    formats: ['json', 'html'],
    operation: {
      id: 'getNetwork',
      tag: 'Stations',
      name: 'Network',
      summary: 'The network at a glance',
      about: 'The number of stations by state, what is late or down, and what arrived.',
      description: `The HTML page is the start page; it also shows 28 days and 24 hours of each station. ${asOfMembers.clock}`,
      returns: 'The network.',
      headers: asOfMembers.headers,
      samples: ['network/'],
    },
    bodies: { json: networkSchema },
    state: ({ format }) => (format === 'html' ? pageState(context) : stateOfJson(context)),
    read: ({ ignored }, { network, reason }, requester) => {
      const known = network && { network, figures: figuresOf(network, context.nowUs() / 1e6) }
      return {
        bodies: {
          json: () => known && serialiseNetwork(known, context.links()),
          html: async () => {
            const archive = await readArchiveFacts(context, requester)
            const damage = network && (await ifReadable(damageWords(context, network, requester)))
            const places = network && (await ifReadable(context.places.at(network.head)))
            // What was read for several pages may have come at once.
            await requester.turn()
            const { settings } = context
            const site = context.site()
            const page = renderNetwork({
              title: site.title,
              archive,
              damage,
              layout: settings.layout,
              folder: settings.problems === 'public' ? settings.archive : undefined,
              map: context.map,
              places,
              api: context.links().api,
              today: context.archive.today(),
              known,
              reason,
              ignored,
            })
            // This page says itself where files are expected.
            const isEmpty = archive.total?.files === 0 && network?.asOf.seconds !== undefined
            return layOut(page, isEmpty ? { ...site, progress: undefined } : site)
          },
        },
      }
    },
  })
}

interface NetworkPageState extends AnswerState {
  /** `undefined` for a page, if the states of the series cannot be read at this moment. */
  readonly network: NetworkState | undefined
  /** Why they cannot be read. */
  readonly reason?: string | undefined
}

async function stateOfJson(context: NetworkContext): Promise<NetworkPageState> {
  const network = await networkState(context)
  return { ...network, network }
}

async function pageState(context: NetworkContext): Promise<NetworkPageState> {
  const network = await ifReadable(networkState(context))
  if (network === undefined) return unreadState(context)
  return { version: network.version, headers: network.headers, network }
}

/** The states cannot be read before the first scan has ended; its problems may be known. */
async function unreadState({ reader, asOfReader }: NetworkContext): Promise<NetworkPageState> {
  const head = await ifReadable(reader.head())
  const known = head && (await asOfReader.of(head))
  const { notCurrent = notScanned } = known ?? {}
  const isSaid = known === undefined || notCurrent === notScanned
  const reason = isSaid ? undefined : standstillOf({ ...known, seconds: undefined })
  const { version = 'unreadable' } = head && known ? stateOf({ head, asOf: known }) : {}
  return { version: `unread-${version}`, network: undefined, reason }
}
