/** The station in a path, and what a code that no station has could have meant. */
import { distance } from 'fastest-levenshtein'
import type { FastifyRequest } from 'fastify'
import type { CatalogueReader } from '../../catalogue/reader.ts'
import type { Requester } from '../http/context.ts'
import { UnknownName } from '../http/errors.ts'
import * as schema from '../openapi/schema.ts'

/** The path of a station below the API. */
export const stationPath = 'station/:code(^[A-Za-z0-9]{4}$|^[A-Za-z0-9]{9}$)/'

/** Its parameter in the OpenAPI document. */
export const stationParams = {
  code: schema.text('Station code, in upper or lower case.', {
    pattern: '^(?:[A-Za-z0-9]{4}|[A-Za-z0-9]{9})$',
    examples: ['GRAZ'],
  }),
}

/** Returns the station code in the path, in upper case. */
export function codeOf({ params }: FastifyRequest): string {
  return (params as { readonly code: string }).code.toUpperCase()
}

/** Maximum number of codes that are suggested. */
const maxSuggestions = 5

/** Largest edit distance between a code and its suggestion. */
const maxDistance = 2

/**
 * Maximum number of stations that are compared with an unknown code. A network may have thousands
 * of stations.
 */
const maxStations = 20_000

/**
 * The error for a station that the catalogue does not have, with the codes that were probably
 * meant.
 * @param code in upper case, 4 or 9 characters
 */
export async function unknownStation(
  reader: Pick<CatalogueReader, 'stations'>,
  code: string,
  requester: Requester,
): Promise<UnknownName> {
  const { stations } = await reader.stations({ limit: maxStations, offset: 0 }, requester)
  await requester.turn()
  const candidates = stations
    .map((station) => ({
      code: station.code,
      // A code of 4 characters is the beginning of one of 9.
      edits: distance(code, station.code.slice(0, code.length)),
    }))
    .filter(({ edits }) => edits <= maxDistance)
    .sort((a, b) => a.edits - b.edits || (a.code < b.code ? -1 : 1))
  return new UnknownName(candidates.slice(0, maxSuggestions).map((each) => each.code))
}
