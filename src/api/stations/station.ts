/** Serves one station: its facts as JSON, and its page with what its series deliver. */
import type { FastifyInstance } from 'fastify'
import type { Requester } from '../http/limits.ts'
import { layOut } from '../pages/layout.ts'
import type { AnswerState } from '../resources/answer.ts'
import { addAnswer } from '../resources/answer.ts'
import { componentOf, serialise } from '../resources/fields.ts'
import type { NetworkContext, NetworkState } from '../series/network-context.ts'
import { networkState } from '../series/network-context.ts'
import { renderStation } from './page.ts'
import type { SeriesPortrait } from './portrait.ts'
import { readLastFiles, readSeriesPortrait } from './portrait.ts'
import { readLatencies } from './series-reader.ts'
import {
  codeOf,
  stationFields,
  stationItem,
  stationParams,
  stationPath,
  unknownStation,
} from './station-fields.ts'
import { shownCode, stationsWith } from './station-head.ts'

export function addStation(app: FastifyInstance, context: NetworkContext): void {
  const { reader, links } = context
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
      samples: ['station/{station}/'],
    },
    bodies: { json: componentOf(stationItem) },
    // The page has states, so all of it is as current as they are; the JSON has none.
    state: async ({ format }): Promise<AnswerState | NetworkState> =>
      format === 'json' ? { version: await reader.head() } : networkState(context),
    read: async ({ request, format }, state, requester) => {
      const code = codeOf(request)
      const { head, station } = await reader.station(code)
      if (station === undefined) throw await unknownStation(reader, code, requester)
      const wire = serialise(stationFields, station, links())
      const html = async () => {
        const shown = 'states' in state ? state : await networkState(context)
        const portrait = await readPortrait(context, { code, asker: requester }, shown)
        // The series of the page have the files of the short code too, if it belongs to this one.
        const [short] = portrait.codes.filter((each) => each.length === 4 && each !== code)
        const site = short === undefined ? undefined : (await reader.station(short)).station
        const { banner } = shown
        const shownWire = site === undefined ? wire : serialise(stationFields, site, links())
        return layOut(renderStation(shownWire, { ...portrait, code, banner }), context.site())
      }
      return { ...(format === 'json' && { version: head }), bodies: { json: () => wire, html } }
    },
  })
}

/** What the page shows, beside the facts. */
async function readPortrait(
  context: NetworkContext,
  station: { readonly code: string; readonly asker: Requester },
  network: NetworkState,
) {
  const { asOf } = network
  const present = { asOf, nowSeconds: asOf.seconds ?? context.nowUs() / 1e6 }
  const [daily, hourly, latencies, equipment, places] = await Promise.all([
    readSeriesPortrait(context, station, '01D', present),
    readSeriesPortrait(context, station, '01H', present),
    readLatencies(context, { ...station, values: lastWeeks }, present),
    context.reader.equipment(station.code, station.asker),
    context.places.at(network.head),
  ])
  const { codes, ambiguous } = daily
  const known = stationsWith(network, { code: station.code, codes })
  return {
    ...present,
    codes,
    ambiguous,
    known,
    portrait: longest(daily.portrait, hourly.portrait),
    hours: hourly.portrait,
    latencies,
    stretches: equipment?.stretches ?? [],
    place: places.of(shownCode({ code: station.code, codes })),
    files: await readLastFiles(context, codes, present.nowSeconds, station.asker),
    stationLink: context.settings.identity.stationLink,
  }
}

const lastWeeks = { file_type: 'o', period: '01H', from: undefined, to: undefined } as const

/** The series that says most of the past: one that goes on, then the one that began first. */
function longest(
  daily: SeriesPortrait | undefined,
  hourly: SeriesPortrait | undefined,
): SeriesPortrait | undefined {
  if (daily === undefined || hourly === undefined) return daily ?? hourly
  if (daily.ended !== hourly.ended) return daily.ended ? hourly : daily
  return Math.floor(hourly.first / 24) < daily.first ? hourly : daily
}
