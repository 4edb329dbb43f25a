/** Serves one station: its facts as JSON, and its page with what its series deliver. */
import type { FastifyInstance } from 'fastify'
import type { SeriesArrivals } from '../../catalogue/series-queries.ts'
import type { Currency } from '../../series/currency.ts'
import type { Period } from '../../series/series.ts'
import type { Requester } from '../http/context.ts'
import { addAnswer } from '../resources/answer.ts'
import type { State } from '../resources/answer.ts'
import { componentOf, exampleOf, serialise } from '../resources/fields.ts'
import type { NetworkStatus } from '../series/known-series.ts'
import { networkState } from '../series/network-context.ts'
import type { NetworkContext } from '../series/network-context.ts'
import { renderStation } from './page.ts'
import type { StationSection } from './page.ts'
import { calendarSvg, dotsSvg } from './pictures.ts'
import { serialiseLatency } from './series-formats.ts'
import type { SeriesAvailability, WireLatency } from './series-formats.ts'
import { availabilitySentence, latencySentence } from './series-pages.ts'
import { daysOfAvailability, daysOfLatency } from './series-parameters.ts'
import { readArrivals, readAvailability } from './series-routes.ts'
import { codeOf, stationParams, stationPath, unknownStation } from './station-code.ts'
import { stationFields, stationItem } from './station-fields.ts'

/** The page has states, so all of it is as current as they are; the JSON has none. */
interface StationState extends State {
  readonly banner?: readonly string[]
  readonly network?: NetworkStatus
}

export function addStation(app: FastifyInstance, context: NetworkContext): void {
  const { reader, links, nowUs } = context
  addAnswer(app, context, {
    path: stationPath,
    formats: ['json', 'html'],
    accepts: { parameters: {} },
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
    state: async ({ format }): Promise<StationState> => {
      if (format === 'json') return { version: await reader.head() }
      const network = await networkState(context)
      return { ...network, network }
    },
    read: async ({ request, format }, { network, banner = [] }, requester) => {
      const code = codeOf(request)
      const { head, station } = await reader.station(code)
      if (station === undefined) throw await unknownStation(reader, code, requester)
      const wire = serialise(stationFields, station, links())
      const json = () => wire
      if (format === 'json' || network === undefined)
        return { version: head, bodies: { json, html: () => '' } }
      const { currency, states } = network
      const nowSeconds = currency.asOf ?? nowUs() / 1e6
      const sections = await readSections(context, code, { currency, nowSeconds, requester })
      const own = states.filter(
        (each) => each.station === code || station.codes.includes(each.station),
      )
      const html = () => renderStation(wire, { sections, states: own, nowSeconds, banner })
      return { bodies: { json, html } }
    },
  })
}

interface SectionsOf {
  readonly currency: Currency
  readonly nowSeconds: number
  readonly requester: Requester
}

/**
 * Reads the sections of a station's page: the calendar of daily files, the calendar of hourly files
 * of the last four weeks, and the latencies of these hourly files. A section with nothing to show
 * is left out.
 */
async function readSections(
  context: NetworkContext,
  code: string,
  { currency, nowSeconds, requester }: SectionsOf,
): Promise<readonly StationSection[]> {
  const days = { file_type: 'o', from: undefined, to: undefined } as const
  const availability = (period: Period) => {
    const request = daysOfAvailability({ ...days, period, measure: 'archived' }, nowSeconds)
    return readAvailability(context, { ...request, code, asker: requester }, currency)
  }
  const request = {
    ...daysOfLatency({ ...days, period: '01H' }, nowSeconds),
    station: code,
    currency,
  }
  const [daily, hourly, arrivals] = await Promise.all([
    availability('01D'),
    availability('01H'),
    readArrivals(context.reader, { ...request, code, asker: requester }, nowSeconds),
  ])
  return [
    ...calendarSection(daily, 'Daily observation files'),
    ...calendarSection(hourly, 'Hourly observation files of the last four weeks'),
    ...(arrivals === undefined || arrivals.arrivals.length === 0
      ? []
      : [latencySection(serialiseLatency(request, arrivals), arrivals.arrivals)]),
  ]
}

function calendarSection(series: SeriesAvailability | undefined, title: string): StationSection[] {
  if (series === undefined) return []
  const { availability, period } = series
  const isEmpty = availability.runs.every(({ state }) =>
    ['silent', 'future', 'unknown', 'due'].includes(state),
  )
  if (isEmpty) return []
  const href = `availability/?period=${period}&format=api`
  const sentence = availabilitySentence(availability)
  return [{ title, sentence, href, picture: calendarSvg(series) }]
}

function latencySection(wire: WireLatency, arrivals: SeriesArrivals['arrivals']): StationSection {
  const title = 'Arrival of hourly observation files'
  const href = 'latency/?format=api'
  return { title, sentence: latencySentence(wire), href, picture: dotsSvg(wire, arrivals) }
}
