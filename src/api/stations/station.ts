/** Serves one station: its facts as JSON, and its page with what its series deliver. */
import type { FastifyInstance } from 'fastify'
import type { Currency } from '../../series/currency.ts'
import type { Period } from '../../series/series.ts'
import type { Requester } from '../http/limits.ts'
import { addAnswer } from '../resources/answer.ts'
import type { State } from '../resources/answer.ts'
import { componentOf, exampleOf, serialise } from '../resources/fields.ts'
import { networkState } from '../series/network-context.ts'
import type { NetworkContext, NetworkState } from '../series/network-context.ts'
import { renderStation } from './page.ts'
import type { StationSection } from './page.ts'
import { calendarSvg, dotsSvg } from './pictures.ts'
import { serialiseLatency } from './series-formats.ts'
import { availabilitySentence, latencySentence } from './series-pages.ts'
import { readAvailability, readLatencies } from './series-reader.ts'
import type { SeriesAvailability, SeriesLatencies } from './series-reader.ts'
import {
  codeOf,
  stationParams,
  stationPath,
  unknownStation,
  stationFields,
  stationItem,
} from './station-fields.ts'

export function addStation(app: FastifyInstance, context: NetworkContext): void {
  const { reader, links, nowUs } = context
  addAnswer(app, context, {
    path: stationPath,
    formats: ['json', 'html'],
    operation: {
      id: 'getStation',
      tag: 'Stations',
      name: 'Station Instance',
      summary: 'Get a station',
      about:
        'A code of 4 characters matches both forms of file names, a code of 9 characters only itself.',
      returns: 'The station.',
      params: stationParams,
      samples: ['station/GRAZ/'],
    },
    bodies: { json: { schema: componentOf(stationItem), example: exampleOf(stationFields) } },
    // The page has states, so all of it is as current as they are; the JSON has none.
    state: async ({ format }): Promise<State | NetworkState> =>
      format === 'json' ? { version: await reader.head() } : networkState(context),
    read: async ({ request, format }, state, requester) => {
      const code = codeOf(request)
      const { head, station } = await reader.station(code)
      if (station === undefined) throw await unknownStation(reader, code, requester)
      const wire = serialise(stationFields, station, links())
      const html = async () => {
        const shown = 'states' in state ? state : await networkState(context)
        const { currency, states, banner } = shown
        const present = { currency, nowSeconds: currency.asOf ?? nowUs() / 1e6 }
        const sections = await readSections(context, { code, asker: requester }, present)
        const own = states.filter(
          (each) => each.station === code || station.codes.includes(each.station),
        )
        return renderStation(wire, { sections, states: own, banner, ...present })
      }
      return { ...(format === 'json' && { version: head }), bodies: { json: () => wire, html } }
    },
  })
}

/**
 * The calendars of daily files and of hourly ones of four weeks, and the latencies of these. A
 * section with nothing to show is left out.
 */
async function readSections(
  context: NetworkContext,
  station: { readonly code: string; readonly asker: Requester },
  present: { readonly currency: Currency; readonly nowSeconds: number },
): Promise<readonly StationSection[]> {
  const usual = { file_type: 'o', from: undefined, to: undefined, measure: 'archived' } as const
  const availability = (period: Period) =>
    readAvailability(context, { ...station, values: { ...usual, period } }, present)
  const [daily, hourly, latencies] = await Promise.all([
    availability('01D'),
    availability('01H'),
    readLatencies(context, { ...station, values: { ...usual, period: '01H' } }, present),
  ])
  return [
    ...calendarSection(daily, 'Daily observation files'),
    ...calendarSection(hourly, 'Hourly observation files of the last four weeks'),
    ...latencySection(latencies),
  ]
}

function calendarSection(series: SeriesAvailability, label: string): StationSection[] {
  const { availability, period } = series
  const isEmpty = availability.runs.every(({ state }) =>
    ['silent', 'future', 'unknown', 'due'].includes(state),
  )
  if (isEmpty) return []
  const href = `availability/?period=${period}&format=api`
  const sentence = availabilitySentence(availability)
  return [{ label, sentence, href, svg: calendarSvg(series) }]
}

function latencySection(series: SeriesLatencies): StationSection[] {
  if (series.arrivals.length === 0) return []
  const label = 'Arrival of hourly observation files'
  const href = 'latency/?format=api'
  const wire = serialiseLatency(series)
  return [{ label, sentence: latencySentence(wire), href, svg: dotsSvg(wire, series.arrivals) }]
}
