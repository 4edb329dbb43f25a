/** Serves how large the archive is, and the space on its disks. */
import type { FastifyInstance } from 'fastify'
import { NotBuilt } from '../../catalogue/errors.ts'
import type { ApiContext } from '../http/context.ts'
import { digest } from '../http/context.ts'
import { html } from '../pages/html.ts'
import { layOut } from '../pages/layout.ts'
import { addAnswer } from '../resources/answer.ts'
import { halfCount } from '../series/half-slots.ts'
import type { NetworkStatusCache } from '../series/network-status.ts'
import type { ArchiveReader, ArchiveState } from './archive-reader.ts'
import { renderArchive } from './page.ts'
import { archiveSchema } from './schema.ts'
import { archiveCsv, serialiseArchive } from './serialise.ts'
import { serviceLines } from './service-lines.ts'

export interface ArchiveContext extends ApiContext {
  readonly archive: ArchiveReader
  readonly network: Pick<NetworkStatusCache, 'halfAt'>
}

export function addArchive(app: FastifyInstance, context: ArchiveContext): void {
  const { archive } = context
  const { layout } = context.settings
  addAnswer(app, context, {
    path: 'archive/',
    formats: ['json', 'html', 'csv'],
    operation: {
      id: 'getArchive',
      tag: 'Service',
      name: 'Archive',
      summary: 'Size of the archive',
      about: 'How large the archive is, by year, area, type, period and day, and its disks.',
      description:
        'The files that are listed now, by the time of their data: files that were removed do not count, and a file that arrives late counts on the day of its data. So the figures are right from the end of the first scan on. The CSV has a line for each year, area, type and period.',
      returns: 'The archive. Its `ETag` changes with the catalogue, the day and the free space.',
      samples: ['archive/', 'archive/?format=csv'],
    },
    bodies: { json: archiveSchema },
    state: async ({ format }) => {
      const [state, service] = await Promise.all([
        archive.state(),
        format === 'html' ? readService(context) : [],
      ])
      const all = { ...state, service, half: await readHalf(context, state) }
      return { ...all, version: versionOf(all) }
    },
    read: async ({ ignored }, state, requester) => {
      const { disks, today, service, half } = state
      const volumes = await archive.volumes(state, requester)
      const wire = () => serialiseArchive({ volumes, disks, today, half })
      return {
        version: versionOf({ ...state, head: volumes.head }, volumes.months !== undefined),
        bodies: {
          json: wire,
          csv: () => archiveCsv(wire()),
          html: () => {
            const page = renderArchive({ volumes, layout, disks, today, service, half, ignored })
            return layOut(page, context.site())
          },
        },
      }
    },
  })
}

type Service = ReturnType<typeof serviceLines>

/** What the version of an answer follows from. */
interface ShownState extends ArchiveState {
  readonly service: Service
  readonly half: number | undefined
}

/** Number of the slots that are half now; `undefined` until the first scan has ended. */
async function readHalf(
  { network, nowUs }: ArchiveContext,
  { head }: Pick<ArchiveState, 'head'>,
): Promise<number | undefined> {
  try {
    return halfCount(await network.halfAt(head), nowUs() / 1e6)
  } catch (error) {
    if (error instanceof NotBuilt) return undefined
    throw error
  }
}

/** What the service does, for the page. */
async function readService(context: ArchiveContext): Promise<Service> {
  const { archive, reader, indexerStatus, settings } = context
  const [summary, indexer, recent] = await Promise.all([
    reader.summary(undefined),
    indexerStatus(),
    archive.flags.read(),
  ])
  return serviceLines(summary, indexer, { recent, isPublic: settings.problems === 'public' })
}

/** A text that changes whenever the answer does. */
function versionOf({ head, disks, today, service, half }: ShownState, isCounted = true): string {
  const { epoch, seq, detailsSeq } = head
  const from = [
    isCounted,
    disks,
    today,
    half,
    ...service.map(({ value }) => html`${value}`.toString()),
  ]
  return [epoch, seq, `d${detailsSeq}`, digest(JSON.stringify(from)).slice(0, 8)].join('-')
}
