/** The list of the stations that the file names contain. */
import type { FastifyInstance } from 'fastify'
import type { StationOrdering } from '../../catalogue/filter.ts'
import { stationOrderKeys } from '../../catalogue/filter.ts'
import { readableNumber } from '../../runtime/readable.ts'
import type { StationPlaces } from '../../series/station-places.ts'
import { isInBox } from '../../series/station-places.ts'
import type { State } from '../../series/station-states.ts'
import { severityOf, states } from '../../series/station-states.ts'
import type { Format } from '../http/formats.ts'
import type { Requester } from '../http/limits.ts'
import type { Links } from '../http/links.ts'
import { csvText } from '../http/send.ts'
import type { Child } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { boxParameter } from '../parameters/bbox.ts'
import { stationFilters } from '../parameters/file-filters.ts'
import type { Parameter } from '../parameters/parameter.ts'
import { anyText, choices, ordering } from '../parameters/parameter.ts'
import type { RequestOf } from '../resources/answer.ts'
import type { CollectionState, Found } from '../resources/collection.ts'
import { addCollection } from '../resources/collection.ts'
import type { Wire } from '../resources/fields.ts'
import { serialise } from '../resources/fields.ts'
import type { NetworkStatus } from '../series/known-series.ts'
import type { NetworkContext } from '../series/network-context.ts'
import { stateOf } from '../series/network-context.ts'
import { geoJsonSchema, stationsGeoJson } from './geojson.ts'
import { knownStations } from './known-stations.ts'
import { stationColumns, stripLegend } from './list-table.ts'
import type { ListedStation } from './station-fields.ts'
import { stationFields, stationItem } from './station-fields.ts'

const wordPattern = /^[A-Za-z0-9]{1,9}\*?$/

/** The states of stations in words. */
const stateTexts: Readonly<Record<State, string>> = {
  down: 'down',
  late: 'late',
  present: 'delivers',
  silent: 'not expected',
  ended: 'ended',
  unknown: 'not known',
}

/** Codes or their beginnings, in upper case. */
const stationWords: Parameter<readonly string[]> = {
  schema: {
    type: 'array',
    description:
      'Stations by their codes, in upper or lower case, or the beginnings of codes, such as `GR*`. On the page, several are compared.',
    items: { type: 'string', pattern: wordPattern.source },
    examples: [['GRAZ', 'MATE']],
  },
  takes: 'words',
  field: { label: 'Stations', hint: 'GRAZ, MATE, GR*' },
  read: (words) =>
    words.every((word) => wordPattern.test(word))
      ? { value: words.map((word) => word.replace('*', '').toUpperCase()) }
      : { fault: 'Enter station codes, or their beginnings with an asterisk, such as GRAZ, GR*.' },
}

/** Sort keys that the catalogue does not know. */
const stateKeys = ['worst', 'state', 'completeness'] as const

const parameters = {
  station: stationWords,
  search: anyText({
    meaning: 'Part of a station code, in upper or lower case.',
    example: 'gr',
  }),
  bbox: boxParameter('Only stations'),
  state: choices(states, {
    meaning:
      'Only stations in one of these states. A station has the worst state of its series, in the order `down`, `late`, `present`, `silent`, `ended`. The response then depends on the clock.',
    example: 'late',
    label: 'State',
    textOf: (state) => stateTexts[state],
  }),
  ordering: ordering([...stationOrderKeys, ...stateKeys], {
    default: 'code',
    missing:
      'Stations without a country, a state or a completeness come last. `state` has the worst first; `worst` too, those with gaps in 28 days before the others that deliver, and of equal ones the least complete first: the page has this order without the parameter. `completeness` is that of the main series in 28 days: the hourly observation files, or the daily ones if only these are expected, or if there are no hourly ones. With these three the response depends on the clock.',
    example: '-count',
  }),
}

interface StationsState extends CollectionState {
  /** The states of the series; `undefined` if the answer does not show them. */
  readonly known: NetworkStatus | undefined
  /** Where the stations are; `undefined` if the answer does not need it. */
  readonly places: StationPlaces | undefined
}

export function addStations(app: FastifyInstance, context: NetworkContext): void {
  addCollection(app, context, {
    name: 'station',
    item: stationItem,
    filters: stationFilters(context.settings.layout),
    parameters,
    state: (asked) => stationsState(context, asked),
    find: (asked, state, requester) => findStations(context, asked, state, requester),
    whole: {
      csv: stationsCsv,
      geojson: ({ items, links }) => stationsGeoJson(items, links),
    },
    wholeBodies: { geojson: geoJsonSchema },
    page: {
      noun: ['station', 'stations'],
      section: 'station',
      form: ['station', 'country', 'state'],
      rows: 100,
      ordering: 'worst',
      className: 'cards',
      caption: 'Times in UTC. 28 days: the share of the hours that were possible, or of the days',
    },
    operation: {
      id: 'listStations',
      tag: 'Stations',
      name: 'Station List',
      summary: 'List stations',
      about: 'The stations of the files, with their first and last dates, a page at a time.',
      description: 'One row per site, by default sorted by code.',
      samples: ['station/?country={country}'],
    },
  })
}

/** The fields of the JSON; numbers by value are words such as `obs 22 nrt 24`. */
function stationsCsv({ items, links }: { items: readonly ListedStation[]; links: Links }): string {
  const rows = items.map((item) =>
    Object.values(serialise(stationFields, item, links)).map(csvCell),
  )
  return csvText(Object.keys(stationFields), rows)
}

function csvCell(value: Wire<typeof stationFields>[keyof typeof stationFields]) {
  if (typeof value === 'boolean') return String(value)
  if (typeof value !== 'object' || value === null) return value
  return (Array.isArray(value) ? value : Object.entries(value).flat()).join(' ')
}

type StationRequest = RequestOf<typeof parameters, Format>

async function stationsState(
  { reader, network, places: allPlaces }: NetworkContext,
  { values, format, kept }: StationRequest,
): Promise<StationsState> {
  // A page that asks for no state and no order shows states only if they are in memory.
  const isSorted = stateKeyOf(values.ordering) !== undefined
  const isAsked = isSorted && (format !== 'html' || kept.some(([name]) => name === 'ordering'))
  const needsStates = format === 'geojson' || values.state.length > 0 || isAsked
  const shown = format === 'html' ? network.ifLoaded() : undefined
  const known = await (needsStates ? network.current() : shown)
  const head = known?.head ?? (await reader.head())
  const hasMap = format === 'geojson' || (format === 'html' && known !== undefined)
  const details = hasMap || values.bbox !== undefined
  const places = details ? await allPlaces.at(head) : undefined
  if (known === undefined) return { version: head, details, known, places }
  const { version, headers, banner } = stateOf(known)
  return { version, headers, banner, known, places }
}

async function findStations(
  { reader, map }: NetworkContext,
  { values, filter, range, format }: StationRequest,
  { known, places }: StationsState,
  requester: Requester,
): Promise<Found<ListedStation>> {
  const { countries, areas } = filter
  const { key, descending } = values.ordering
  const { limit, offset } = range
  const { bbox: box } = values
  const codes = values.state.length > 0 && codesIn(values.state, known?.stations ?? new Map())
  const stateKey = stateKeyOf(values.ordering)
  const query = {
    ...(countries && { countries }),
    ...(areas && { areas }),
    ...(codes && { codes }),
    ...(values.station.length > 0 && { starts: values.station }),
    ...(stateKey === undefined && {
      ordering: { key: key as StationOrdering['key'], descending },
    }),
    search: values.search.toUpperCase(),
  }
  const isWhole = format === 'csv' || format === 'geojson'
  if (known === undefined && !isWhole && box === undefined) {
    const { stations, count, head } = await reader.stations({ ...query, limit, offset }, requester)
    return { count, items: stations, version: head, columns: stationColumns(undefined, false) }
  }
  // The catalogue knows no states, so all stations are read and sorted here.
  const all = await reader.stations({ ...query, limit: maxStations, offset: 0 }, requester)
  await requester.turn()
  const ofNetwork = known && knownStations(known)
  const listed = all.stations
    .map((station) => {
      const { code } = station
      return { ...station, ...ofNetwork?.get(code), place: places?.of(code) }
    })
    .filter(({ place }) => box === undefined || (place !== undefined && isInBox(place, box)))
  if (stateKey !== undefined) listed.sort(byState(stateKey, descending))
  if (isWhole) return { items: listed }
  const items = listed.slice(offset, offset + limit)
  const isCompared = values.station.length > 1 || (values.station.length > 0 && listed.length > 1)
  return {
    count: listed.length,
    items,
    ...(known && {
      extra: headlineOf(listed, values.ordering),
      columns: stationColumns(known.asOf.seconds, isCompared),
      below: [stripLegend(items), mapOf(map, listed, known.asOf.seconds !== undefined)],
    }),
  }
}

/** All that were found, not only those of the page. */
function mapOf(
  map: NetworkContext['map'],
  stations: readonly ListedStation[],
  isKnown: boolean,
): Child {
  const onMap = stations.map(({ code, known, place }) => ({ code, state: known?.delivery, place }))
  const drawn = map.of(onMap, '../', isKnown)
  return drawn && html`<section>\n<h2>Where they are</h2>\n${drawn}</section>\n`
}

/** Maximum number of stations that are sorted by their states; a network may have thousands. */
const maxStations = 20_000

function stateKeyOf({ key }: { readonly key: string }) {
  return stateKeys.find((each) => each === key)
}

/** `10 down, 1 late, 4 ended; the worst first` */
function headlineOf(
  stations: readonly ListedStation[],
  { key, descending }: StationRequest['values']['ordering'],
): string {
  const counts = (['down', 'late', 'silent', 'ended'] as const).flatMap((state) => {
    const count = stations.filter(({ known }) => known?.state === state).length
    return count === 0 ? [] : [`${readableNumber(count)} ${stateTexts[state]}`]
  })
  const isWorst = key === 'worst' && !descending && counts.length > 0
  return `${counts.join(', ')}${isWorst ? '; the worst first' : ''}`
}

/** Stations without a value come last in both directions, equal ones are sorted by code. */
function byState(key: (typeof stateKeys)[number], descending: boolean) {
  const valueOf = ({ series, known }: ListedStation): number | undefined => {
    const { ended = true, completeness = 1 } = series?.summary ?? {}
    if (key === 'completeness') return ended ? undefined : series?.summary.completeness
    if (known === undefined) return undefined
    const severity = severityOf(known.state) * 10
    if (key === 'state') return severity
    return severity + (known.delivery === 'delivers' ? 5 : 0) + (ended ? 1 : completeness)
  }
  return (a: ListedStation, b: ListedStation): number => {
    const [first, second] = [valueOf(a), valueOf(b)]
    if (first !== second) {
      if (first === undefined || second === undefined) return first === undefined ? 1 : -1
      return first < second === descending ? 1 : -1
    }
    return a.code < b.code ? -1 : 1
  }
}

function codesIn(
  wanted: readonly State[],
  stations: ReadonlyMap<string, State>,
): readonly string[] {
  return [...stations].filter(([, state]) => wanted.includes(state)).map(([code]) => code)
}
