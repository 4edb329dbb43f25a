/** Serves one station: its facts as JSON, and its page with what its series deliver. */
import type { FastifyInstance } from 'fastify'
import { dayToIso } from '../../parse/calendar.ts'
import { readableNumber, readableShare } from '../../runtime/readable.ts'
import { part } from '../../series/availability.ts'
import { recentDays } from '../../series/series.ts'
import type { Requester } from '../http/limits.ts'
import { layOut } from '../pages/layout.ts'
import type { AnswerState } from '../resources/answer.ts'
import { addAnswer } from '../resources/answer.ts'
import { componentOf, serialise } from '../resources/fields.ts'
import type { SeriesStatus } from '../series/known-series.ts'
import type { NetworkContext, NetworkState } from '../series/network-context.ts'
import { networkState } from '../series/network-context.ts'
import { arrivalsSvg } from './latency-pictures.ts'
import type { StationSection } from './page.ts'
import { renderStation } from './page.ts'
import { calendarSvg, daysOf, yearsSvg } from './pictures.ts'
import type { PortraitAnswer, SeriesPortrait } from './portrait.ts'
import { readLastFiles, readSeriesPortrait } from './portrait.ts'
import { serialiseLatency } from './serialise.ts'
import { latencySentence } from './series-pages.ts'
import type { SeriesLatencies } from './series-reader.ts'
import { readLatencies } from './series-reader.ts'
import {
  codeOf,
  filesUrl,
  stationFields,
  stationItem,
  stationParams,
  stationPath,
  unknownStation,
} from './station-fields.ts'
import { seriesOfStation, seriesWords, shownCode } from './station-head.ts'

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
  { asOf, states }: NetworkState,
) {
  const present = { asOf, nowSeconds: asOf.seconds ?? context.nowUs() / 1e6 }
  const [daily, hourly, latencies] = await Promise.all([
    readSeriesPortrait(context, station, '01D', present),
    readSeriesPortrait(context, station, '01H', present),
    readLatencies(context, { ...station, values: lastWeeks }, present),
  ])
  const { codes, ambiguous } = daily
  const own = seriesOfStation(states, { code: station.code, codes })
  const portrait = longest(daily.portrait, hourly.portrait)
  return {
    ...present,
    codes,
    ambiguous,
    states: own,
    portrait,
    sections: [
      ...(portrait === undefined ? [] : [yearsSection(portrait, { code: station.code, codes })]),
      ...hoursSection(hourly, station.code, own),
      ...latencySection(latencies),
    ],
    files: await readLastFiles(context, codes, own, station.asker),
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

/** All days of a series. */
function yearsSection(
  { period, runs, first, last }: SeriesPortrait,
  station: { readonly code: string; readonly codes: readonly string[] },
): StationSection {
  const days = daysOf(
    runs.flatMap((run) => part(run, first, last)),
    period,
  )
  const [label, code] = ['Days by year', shownCode(station)]
  const hrefOf = (firstDay: number, lastDay: number) =>
    filesUrl({ api: '../../' }, station.codes, [
      ['data_date__gte', dayToIso(firstDay)],
      ['data_date__lt', dayToIso(lastDay + 1)],
    ])
  return {
    label,
    sentence: `The ${seriesWords({ fileType: 'o', period })} of each day. Days lead to their files.`,
    href: `availability/?period=${period}&format=api`,
    svg: yearsSvg(`${label} of ${code}`, days, hrefOf),
  }
}

/** The hours of the last four weeks; nothing if no file came in them. */
function hoursSection(
  { portrait }: PortraitAnswer,
  station: string,
  states: readonly SeriesStatus[],
): StationSection[] {
  if (portrait === undefined || portrait.ended) return []
  const [last, first] = [Math.floor(portrait.last / 24), Math.floor(portrait.first / 24)]
  const begin = Math.max(first, last - recentDays + 1) * 24
  const runs = portrait.runs.flatMap((run) => part(run, begin, last * 24 + 23))
  const own = states.find(({ fileType, period }) => fileType === 'o' && period === '01H')
  const { completeness, delivered = 0, possible = 0 } = own?.summary ?? {}
  return [
    {
      label: 'Hours of the last four weeks',
      sentence: `${readableShare(completeness)} complete: ${readableNumber(delivered)} of ${readableNumber(possible)} hourly observation files.`,
      href: 'availability/?period=01H&format=api',
      svg: calendarSvg({ station, fileType: 'o', period: '01H', availability: { runs } }),
    },
  ]
}

function latencySection(series: SeriesLatencies): StationSection[] {
  if (series.arrivals.length === 0) return []
  const label = 'Arrival of hourly observation files'
  const href = 'latency/?format=api'
  const wire = serialiseLatency(series)
  return [
    {
      label,
      sentence: latencySentence(wire),
      href,
      svg: arrivalsSvg(label, { ...series, lateAfter: wire.late_after_s }),
    },
  ]
}
