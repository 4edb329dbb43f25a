/** A map of stations, drawn here in SVG: no tile of somebody else, no script. */
import { geoPath } from 'd3-geo'
import type { Position } from 'geojson'
import { LRUCache } from 'lru-cache'
import type { StationPlace } from '../../series/station-places.ts'
import type { StationDelivery } from '../../series/station-states.ts'
import type { Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { stationLegend, stationMark, stationMarks, stationShape } from '../pages/marks.ts'
import type { Scale } from './coastline.ts'
import { Coastline } from './coastline.ts'
import { Outline } from './outline.ts'
import type { View } from './view.ts'
import { isInView, viewOf } from './view.ts'

/** A station on a map. */
interface MappedStation extends StationPlace {
  /** `undefined` for one that is not expected. */
  readonly state: StationDelivery | undefined
}

/** A station that is on a map if its place is known. */
interface PlacedStation extends Pick<MappedStation, 'code' | 'state'> {
  readonly place: StationPlace | undefined
}

/** Maps that are kept without their stations: few extents are asked for again and again. */
const keptMaps = 24

/** The worst lie above the others. */
const order = [undefined, ...(Object.keys(stationMarks) as StationDelivery[]).toReversed()]

/** Draws maps of stations whose places are known. */
export class StationMap {
  readonly #kept = new LRUCache<string, Html>({ max: keptMaps })
  readonly #world = new Map<Scale, Coastline>()

  /** Reads the coasts that a map of these places needs. */
  readAhead(places: readonly StationPlace[]): void {
    this.of(
      places.map((place) => ({ code: place.code, state: undefined, place })),
      '',
    )
  }

  /**
   * A map of those of these stations whose places are known; nothing if there are none.
   * @param up the path from the page to the API
   * @param isKnown false if no station has a state yet
   */
  of(stations: readonly PlacedStation[], up: string, isKnown = true): Html | undefined {
    const mapped = stations.flatMap(({ code, state, place }) =>
      place === undefined ? [] : [{ ...place, code, state }],
    )
    return mapped.length === 0 ? undefined : this.draw(mapped, up, isKnown)
  }

  /** A map of at least one station, with its legend. */
  draw(stations: readonly MappedStation[], up: string, isKnown = true): Html {
    const silent = isKnown ? 'not expected' : 'not known yet'
    const view = viewOf(stations.map(placeOf))
    const [shown, outside] = [true, false].map((isShown) =>
      stations.filter((station) => isInView(placeOf(station), view) === isShown),
    ) as [MappedStation[], MappedStation[]]
    const land = this.#kept.get(view.key) ?? this.#land(view)
    this.#kept.set(view.key, land)
    const sorted = shown.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state))
    return html`<figure class="map">
<div>
${land}
<svg class="stations" role="group" aria-label="${labelOf(stations)}">
${sorted.map((station) => markOf(station, view, { up, silent }))}</svg>
</div>
${stationLegend(
  sorted.flatMap(({ state }) => state ?? []),
  sorted.some(({ state }) => state === undefined) && html`${stationMark(undefined)} ${silent}`,
)}${outside.length > 0 && outsideWords(outside, up)}</figure>
`
  }

  #land({ projection, scale, cap, width, height }: View): Html {
    const world = this.#world.get(scale) ?? new Coastline(scale)
    this.#world.set(scale, world)
    const [land, borders] = [world.land(cap), world.borders(cap)].map((shape) => {
      const outline = new Outline()
      geoPath(projection, outline)(shape)
      return outline.toString()
    })
    return html`<svg viewBox="0 0 ${width} ${height}" aria-hidden="true"><path class="land" d="${land}"/><path class="border" d="${borders}"/></svg>`
  }
}

function placeOf({ longitude, latitude }: MappedStation): Position {
  return [longitude, latitude]
}

/** The stations that are too far away from the others to be on the map. */
function outsideWords(stations: readonly MappedStation[], up: string): Html {
  const links = stations.map(
    ({ code, state }) => html` <a href="${up}station/${code}/">${stationMark(state)} ${code}</a>`,
  )
  return html`<p class="small">Not on the map:${links}</p>
`
}

function labelOf(stations: readonly MappedStation[]): string {
  const counts = (Object.keys(stationMarks) as StationDelivery[]).flatMap((state) => {
    const count = stations.filter((station) => station.state === state).length
    return count > 0 ? `${count} ${stationMarks[state]}` : []
  })
  return [`Map of ${stations.length} stations`, counts.join(', ')].filter(Boolean).join(': ')
}

/**
 * The mark of a station, of the same size however wide the map is. Those that deliver are no tab
 * stops, because they may be hundreds: on Now the countries of the matrix open their names, on
 * Stations the list has them.
 */
function markOf(
  { code, name, latitude, longitude, state }: MappedStation,
  { projection, width, height }: View,
  { up, silent }: { readonly up: string; readonly silent: string },
): Html {
  const [x, y] = projection([longitude, latitude]) ?? [0, 0]
  const words = state === undefined ? silent : stationMarks[state]
  const title = name === undefined ? code : `${code} ${isolated(name)}`
  const isGood = state === undefined || state === 'delivers'
  return html`<svg x="${percent(x / width)}" y="${percent(y / height)}"><a href="${up}station/${code}/"${isGood && html` tabindex="-1"`}><title>${title}: ${words}</title>${stationShape(state, 0, 0)}</a></svg>
`
}

/** A name that is written from right to left, or has marks for it, turns only itself. */
function isolated(name: string): string {
  return /^[\p{ASCII}\p{Script=Latin}]*$/u.test(name) ? name : `\u2068${name}\u2069`
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10}%`
}
