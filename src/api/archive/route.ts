/** Serves how large the archive is, and the space on its disks. */
import type { FastifyInstance } from 'fastify'
import type { ApiContext } from '../http/context.ts'
import { digest } from '../http/context.ts'
import { layOut } from '../pages/layout.ts'
import { addAnswer } from '../resources/answer.ts'
import type { ArchiveReader, ArchiveState } from './archive-reader.ts'
import { renderArchive } from './page.ts'
import { archiveSchema } from './schema.ts'
import { archiveCsv, serialiseArchive } from './serialise.ts'

export interface ArchiveContext extends ApiContext {
  readonly archive: ArchiveReader
}

export function addArchive(app: FastifyInstance, context: ArchiveContext): void {
  const { archive } = context
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
    state: async () => {
      const state = await archive.state()
      return { ...state, version: versionOf(state) }
    },
    read: async ({ ignored }, state, requester) => {
      const { disks, today } = state
      const volumes = await archive.volumes(state, requester)
      const wire = serialiseArchive({ volumes, disks, today })
      return {
        version: versionOf({ ...state, head: volumes.head }, volumes.months !== undefined),
        bodies: {
          json: () => wire,
          csv: () => archiveCsv(wire),
          html: () => layOut(renderArchive(wire, ignored), context.site()),
        },
      }
    },
  })
}

/** A text that changes whenever the answer does. */
function versionOf({ head, disks, today }: ArchiveState, isCounted = true): string {
  const { epoch, seq, detailsSeq } = head
  const from = [isCounted, disks, today]
  return [epoch, seq, `d${detailsSeq}`, digest(JSON.stringify(from)).slice(0, 8)].join('-')
}
