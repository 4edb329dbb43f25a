/** Serves the equipment of a station over time. */
import type { FastifyInstance } from 'fastify'
import { layOut } from '../pages/layout.ts'
import type { AnswerState } from '../resources/answer.ts'
import { addAnswer } from '../resources/answer.ts'
import type { NetworkContext } from '../series/network-context.ts'
import { networkState } from '../series/network-context.ts'
import { codeOf, stationParams, stationPath, unknownStation } from '../stations/station-fields.ts'
import { stationsWith } from '../stations/station-head.ts'
import { equipmentBodies, equipmentCsv, serialiseEquipment } from './fields.ts'
import { renderEquipment } from './page.ts'

export function addEquipment(app: FastifyInstance, context: NetworkContext): void {
  const { reader, links } = context
  addAnswer(app, context, {
    path: `${stationPath}equipment/`,
    formats: ['json', 'html', 'csv'],
    operation: {
      id: 'getEquipment',
      tag: 'Stations',
      name: 'Equipment',
      summary: 'Equipment of a station',
      about: 'When receiver, antenna, marker or position of a station changed, by its headers.',
      description:
        'One observation file a day counts: the one with the longest period, then undamaged, of source `R` before `S` before `U`, with a long before a short name, with the earliest start, by name. Days with the same receiver, antenna and marker, and a position within 100 m of that of their first file, are a stretch. The CSV has a line for each stretch. Files whose headers have not been read do not count.',
      returns: 'The equipment.',
      params: stationParams,
      samples: ['station/{station}/equipment/', 'station/{station}/equipment/?format=csv'],
    },
    bodies: equipmentBodies,
    state: async ({ format }): Promise<AnswerState> => {
      if (format !== 'html') return { version: await reader.head(), details: true }
      const { version, headers } = await networkState(context)
      return { version, headers }
    },
    read: async ({ request, ignored, format }, _state, requester) => {
      const station = codeOf(request)
      const found = await reader.equipment(station, requester)
      if (found === undefined) throw await unknownStation(reader, station, requester)
      const wire = () => serialiseEquipment({ ...found, station }, links())
      const html = async () => {
        const network = await networkState(context)
        const known = stationsWith(network, { code: station, codes: found.codes })
        const url = `${links().api}station/${station}/`
        const { banner } = network
        const page = renderEquipment({ ...found, station, known, ignored, url, banner })
        return layOut(page, context.site())
      }
      return {
        ...(format !== 'html' && { version: found.head }),
        bodies: { json: wire, html, csv: () => equipmentCsv(wire()) },
      }
    },
  })
}
