/** The answer for a station that the catalogue does not have. */
import { distance } from 'fastest-levenshtein'
import type { CatalogueReader } from '../../catalogue/reader.ts'
import { UnknownName } from '../http/errors.ts'

/** Largest number of suggestions. */
const maxSuggestions = 5

/** Largest edit distance of a suggestion. */
const maxDistance = 2

/** A network may have thousands of stations. */
const maxStations = 20_000

/** @param code in upper case, 4 or 9 characters */
export async function unknownStation(
  reader: Pick<CatalogueReader, 'stations'>,
  code: string,
): Promise<UnknownName> {
  const { stations } = await reader.stations({ limit: maxStations, offset: 0 })
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
