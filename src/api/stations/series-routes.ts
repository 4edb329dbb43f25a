/** Serves the availability and the latency of a station's series. */
import type { FastifyInstance } from 'fastify'
import type { Format } from '../http/formats.ts'
import { layOut } from '../pages/layout.ts'
import { addAnswer } from '../resources/answer.ts'
import type { NetworkContext } from '../series/network-context.ts'
import { asOfMembers } from '../series/network-context.ts'
import {
  availabilityCsv,
  latencyCsv,
  serialiseAvailability,
  serialiseLatency,
} from './serialise.ts'
import { renderAvailability, renderLatency } from './series-pages.ts'
import {
  availabilityParameters,
  daysOfAvailability,
  daysOfLatency,
  latencyParameters,
  presentOf,
  rangeCheck,
  readAvailability,
  readLatencies,
} from './series-reader.ts'
import * as described from './series-schema.ts'
import { codeOf, stationParams, stationPath } from './station-fields.ts'

export function addAvailability(app: FastifyInstance, context: NetworkContext): void {
  const { nowUs } = context
  addAnswer(app, context, {
    path: `${stationPath}availability/`,
    formats: ['json', 'html', 'csv'],
    accepts: {
      parameters: availabilityParameters,
      check: rangeCheck(nowUs, daysOfAvailability),
    },
    hasForm: true,
    operation: {
      id: 'getAvailability',
      tag: 'Stations',
      name: 'Availability',
      summary: 'Availability of a station',
      about: 'Which slots of a series are there, missing or late.',
      description: `Also as CSV (a line for each run of slots in the same state). ${asOfMembers.clock} Caches may keep the CSV until the end of the running minute (\`Cache-Control: public, max-age=…\`).`,
      returns: 'The availability.',
      headers: asOfMembers.headers,
      params: stationParams,
      samples: [
        'station/{station}/availability/?from={from}',
        'station/{station}/availability/?period=01H&format=csv',
      ],
    },
    bodies: described.availabilityBodies,
    state: async ({ format }) => {
      const present = await presentOf(context, format)
      const headers = { ...present.headers, ...cacheForMinute(format, nowUs() / 1e6) }
      return { ...present, headers }
    },
    read: async ({ request, values, ignored, refused }, present, asker) => {
      const code = codeOf(request)
      const [wanted, url] = [{ code, values, asker }, `${context.links().api}station/${code}/`]
      const said = { ignored, refused, url, ...present }
      const series = await readAvailability(context, wanted, present)
      return {
        bodies: {
          json: () => serialiseAvailability(series),
          html: () => layOut(renderAvailability(series, said), context.site()),
          csv: () => availabilityCsv(series),
        },
      }
    },
  })
}

export function addLatency(app: FastifyInstance, context: NetworkContext): void {
  const { nowUs } = context
  addAnswer(app, context, {
    path: `${stationPath}latency/`,
    formats: ['json', 'html', 'csv'],
    accepts: { parameters: latencyParameters, check: rangeCheck(nowUs, daysOfLatency) },
    hasForm: true,
    operation: {
      id: 'getLatency',
      tag: 'Stations',
      name: 'Latency',
      summary: 'Latency of a station',
      about: 'How long after the end of their slots the files of a series arrive.',
      description: `The latency is the time from the end of a slot until its first file arrives, 0 if it came before. Files that were not seen arriving do not count. The CSV has a line for each day with arrivals. ${asOfMembers.clock}`,
      returns: 'The latencies.',
      headers: asOfMembers.headers,
      params: stationParams,
      samples: ['station/{station}/latency/?from={from}'],
    },
    bodies: described.latencyBodies,
    state: ({ format }) => presentOf(context, format),
    read: async ({ request, values, ignored, refused }, present, asker) => {
      const code = codeOf(request)
      const [wanted, url] = [{ code, values, asker }, `${context.links().api}station/${code}/`]
      const said = { ignored, refused, url, ...present }
      const series = await readLatencies(context, wanted, present)
      const wire = serialiseLatency(series)
      return {
        bodies: {
          json: () => wire,
          html: () => layOut(renderLatency(series, said), context.site()),
          csv: () => latencyCsv(wire),
        },
      }
    },
  })
}

/** Lets caches keep a response until the minute ends, except JSON and HTML. */
function cacheForMinute(format: Format, nowSeconds: number): Readonly<Record<string, string>> {
  if (format === 'json' || format === 'html') return {}
  const seconds = Math.floor(60 - (nowSeconds % 60))
  return { 'cache-control': `public, max-age=${seconds}` }
}
