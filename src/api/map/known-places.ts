/** The places of stations: by the headers of their files, else from `stations_file`. */
import type { CatalogueReader } from '../../catalogue/questions/reader.ts'
import type { Head } from '../../catalogue/records.ts'
import { StationPlaces } from '../../series/station-places.ts'

/** Reads the places once for each state of the catalogue. */
export class KnownPlaces {
  readonly #reader: Pick<CatalogueReader, 'stationPositions'>
  readonly #inFile: StationPlaces
  #kept: { readonly version: string; readonly places: Promise<StationPlaces> } | undefined

  constructor(reader: Pick<CatalogueReader, 'stationPositions'>, inFile = new StationPlaces([])) {
    this.#reader = reader
    this.#inFile = inFile
  }

  /** The places in the state of a head, or in a newer one. @throws NotBuilt */
  at({ epoch, seq, detailsSeq }: Head): Promise<StationPlaces> {
    const version = [epoch, seq, detailsSeq].join()
    const places = this.#kept?.version === version ? this.#kept.places : this.#read()
    this.#kept = { version, places }
    // Only an answer is kept.
    places.catch(() => (this.#kept = undefined))
    return places
  }

  async #read(): Promise<StationPlaces> {
    return this.#inFile.with(await this.#reader.stationPositions())
  }
}
