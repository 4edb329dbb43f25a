/** The stations whose places are known, as GeoJSON (RFC 7946). */
import { stateMeanings, states } from '../../series/station-states.ts'
import type { Links } from '../http/links.ts'
import * as schema from '../openapi/schema.ts'
import { serialise } from '../resources/fields.ts'
import type { ListedStation } from './station-fields.ts'
import { stationFields } from './station-fields.ts'

const { code, country, url, first_data_date, last_data_date, count } = stationFields

/** What is said of a station besides its place, as in its JSON. */
const properties = { code, country, url, first_data_date, last_data_date, count }

/** @returns the text of a FeatureCollection; a station without a place is left out */
export function stationsGeoJson(stations: readonly ListedStation[], links: Links): string {
  const features = stations.flatMap((station) => {
    const { place } = station
    if (place === undefined) return []
    const { longitude, latitude, name = null } = place
    return {
      type: 'Feature',
      id: station.code,
      geometry: { type: 'Point', coordinates: [longitude, latitude] },
      properties: {
        ...serialise(properties, station, links),
        name,
        state: station.known?.state ?? null,
      },
    }
  })
  return JSON.stringify({ type: 'FeatureCollection', features })
}

const feature = schema.object('A station.', {
  type: schema.oneOf('Always `Feature`.', ['Feature'], 'Feature'),
  id: schema.text('The code.', 'GRAZ00AUT'),
  geometry: schema.object('Its place.', {
    type: schema.oneOf('Always `Point`.', ['Point'], 'Point'),
    coordinates: schema.tuple(
      'Longitude and latitude in degrees.',
      schema.signed('Longitude.', 15.493, { minimum: -180, maximum: 180 }),
      schema.signed('Latitude.', 47.067, { minimum: -90, maximum: 90 }),
    ),
  }),
  properties: schema.object('Fields of the station.', {
    ...Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, field.schema])),
    name: schema.textOrNull('Its name, as `stations_file` has it.', 'Graz Lustbühel'),
    state: schema.orNull(
      schema.oneOf(
        `The worst state of its series now: ${states.map((state) => `\`${state}\`: ${stateMeanings[state]}`).join('; ')}. Null if it has no series.`,
        states,
      ),
      'present',
    ),
  }),
})

/** The schema of the answer. */
export const geoJsonSchema = schema.object('GeoJSON.', {
  type: schema.oneOf('Always `FeatureCollection`.', ['FeatureCollection'], 'FeatureCollection'),
  features: schema.list('The stations whose places are known, sorted as asked.', feature),
})
