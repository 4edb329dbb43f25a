/** The list of the stations that the file names contain. */
import type { FastifyInstance } from 'fastify'
import type { StationOrdering } from '../../catalogue/filter.ts'
import { stationOrderKeys } from '../../catalogue/filter.ts'
import type { StationSummary } from '../../catalogue/questions/stations.ts'
import type { State } from '../../series/station-states.ts'
import { severityOf, states } from '../../series/station-states.ts'
import type { Format } from '../http/formats.ts'
import type { Requester } from '../http/limits.ts'
import { shareCell, stateCell } from '../pages/table.ts'
import { stationFilters } from '../parameters/file-filters.ts'
import { anyText, choices, ordering } from '../parameters/parameter.ts'
import type { RequestOf } from '../resources/answer.ts'
import type { CollectionState, Found } from '../resources/collection.ts'
import { addCollection } from '../resources/collection.ts'
import type { NetworkStatus } from '../series/known-series.ts'
import { mainSeries } from '../series/known-series.ts'
import type { NetworkContext } from '../series/network-context.ts'
import { stateOf } from '../series/network-context.ts'
import { geoJsonSchema, stationsGeoJson } from './geojson.ts'
import type { ListedStation } from './station-fields.ts'
import { stationItem } from './station-fields.ts'

/** Sort keys that the catalogue does not know. */
const stateKeys = ['state', 'completeness'] as const

const parameters = {
  search: anyText({
    meaning: 'Part of a station code, in upper or lower case.',
    example: 'gr',
    field: { label: 'Code or part of it', hint: 'GRAZ' },
  }),
  state: choices(states, {
    meaning:
      'Only stations in one of these states. A station has the worst state of its series, in the order `down`, `late`, `present`, `silent`, `ended`. The response then depends on the clock.',
    example: 'late',
    label: 'State',
  }),
  ordering: ordering([...stationOrderKeys, ...stateKeys], {
    default: 'code',
    missing:
      'Stations without a country, a state or a completeness come last. `state` has the worst first. `completeness` is that of the main series in 28 days: the hourly observation files, or the daily ones if only these are expected, or if there are no hourly ones. With both the response depends on the clock.',
    example: '-count',
  }),
}

interface StationsState extends CollectionState {
  /** The states of the series; `undefined` if the answer does not show them. */
  readonly known: NetworkStatus | undefined
}

export function addStations(app: FastifyInstance, context: NetworkContext): void {
  addCollection(app, context, {
    name: 'station',
    item: stationItem,
    filters: stationFilters,
    parameters,
    state: (asked) => stationsState(context, asked),
    find: (asked, state, requester) => findStations(context, asked, state, requester),
    whole: {
      geojson: ({ items, links }) => stationsGeoJson(items, context.places, links),
    },
    wholeBodies: { geojson: geoJsonSchema },
    page: {
      noun: ['station', 'stations'],
      section: 'station',
      form: ['search', 'country', 'state', 'area'],
      rows: 100,
      sizes: [20, 50, 100, 500],
      className: 'stations cards',
      caption:
        'Dates of the data in UTC; (022) is the day of the year. The state is the worst one of its files; the completeness is that of the hourly observation files, or of the daily ones',
      columnsBefore: {
        first_data_date: [
          { label: 'Now', key: 'state', first: 'ascending', cell: nowCell },
          {
            label: 'Complete in 28 days',
            isNumber: true,
            key: 'completeness',
            first: 'ascending',
            cell: completeCell,
          },
        ],
      },
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

type StationRequest = RequestOf<typeof parameters, Format>

async function stationsState(
  { reader, network }: NetworkContext,
  { values, format }: StationRequest,
): Promise<StationsState> {
  // The page shows the states of the series only if they are in memory; a filter or an order by
  // state waits for them.
  const needsStates =
    format === 'geojson' || values.state.length > 0 || stateKeyOf(values.ordering) !== undefined
  const shown = format === 'html' ? network.ifLoaded() : undefined
  const known = await (needsStates ? network.current() : shown)
  if (known === undefined) return { version: await reader.head(), known }
  const { version, headers, banner } = stateOf(known)
  return { version, headers, banner, known }
}

async function findStations(
  { reader }: NetworkContext,
  { values, filter, range, format }: StationRequest,
  { known }: StationsState,
  requester: Requester,
): Promise<Found<ListedStation>> {
  const series = mainSeries(known?.states ?? [])
  const ownStates = known?.stations ?? new Map<string, State>()
  const { countries, areas } = filter
  const { key, descending } = values.ordering
  const { limit, offset } = range
  const query = {
    ...(countries && { countries }),
    ...(areas && { areas }),
    ...(values.state.length > 0 && { codes: codesIn(values.state, ownStates) }),
    search: values.search.toUpperCase(),
  }
  const withSeries = (station: StationSummary): ListedStation => ({
    ...station,
    series: series.get(station.code),
    state: ownStates.get(station.code),
  })
  const stateKey = stateKeyOf(values.ordering)
  if (stateKey === undefined && format !== 'geojson') {
    const ordering = { key: key as StationOrdering['key'], descending }
    const { stations, count, head } = await reader.stations(
      { ...query, limit, offset, ordering },
      requester,
    )
    return {
      count,
      items: stations.map(withSeries),
      version: known === undefined ? head : undefined,
    }
  }
  // The catalogue knows no states, so all stations are read and sorted here.
  const all = await reader.stations({ ...query, limit: maxStations, offset: 0 }, requester)
  await requester.turn()
  const found = all.stations.map(withSeries)
  if (stateKey !== undefined) found.sort(byState(stateKey, descending))
  if (format === 'geojson') return { items: found }
  return { count: all.count, items: found.slice(offset, offset + limit) }
}

/** Maximum number of stations that are sorted by their states; a network may have thousands. */
const maxStations = 20_000

function stateKeyOf({ key }: { readonly key: string }) {
  return stateKeys.find((each) => each === key)
}

/** Stations without a value come last in both directions, equal ones are sorted by code. */
function byState(key: (typeof stateKeys)[number], descending: boolean) {
  const valueOf = ({ series, state }: ListedStation): number | undefined => {
    if (key === 'state') return state && severityOf(state)
    return series?.summary.ended === false ? series.summary.completeness : undefined
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

function nowCell({ state }: ListedStation) {
  return state === undefined ? '' : stateCell(state)
}

function completeCell({ series }: ListedStation) {
  const { ended = true, completeness } = series?.summary ?? {}
  return shareCell(ended ? null : (completeness ?? null))
}
